// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A callable passed down the stack without owning or allocating.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace pleat {

template <class Signature> class FunctionRef;

/// \pre the callable outlives the call it is passed to.
template <class R, class... Args> class FunctionRef<R(Args...)> {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, Args...>)
        FunctionRef(F&& f) // NOLINT: implicit on purpose, as a parameter type
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(
                  std::forward<Args>(args)...);
          })
    {}

    R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

private:
    void* object_;
    R (*call_)(void*, Args...);
};

} // namespace pleat
