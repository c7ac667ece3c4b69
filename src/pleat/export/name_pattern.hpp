// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How the files of frames are named: "{frame:05d}_{name}" gives 00012_sheet.obj, and
// "{name}.{frame:04d}" gives sheet.0012.obj.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pleat {

inline constexpr std::string_view default_name_pattern = "{frame:05d}_{name}";

class NamePattern {
public:
    NamePattern() : NamePattern(std::string(default_name_pattern)) {}
    /// \param text {name} and {frame} or {frame:0Nd}, each once, apart from each other; else
    ///        letters, digits and - _ . only, no digit beside {frame}
    /// \throw InputError
    explicit NamePattern(std::string text);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// The file name without its extension. \pre frame >= 0
    [[nodiscard]] std::string stem(std::string_view name, int frame) const;

    struct Parts {
        std::string name;
        int frame = 0;
    };
    /// What stem() was called with; nothing where it never gives this one.
    [[nodiscard]] std::optional<Parts> match(std::string_view stem) const;

    bool operator==(const NamePattern&) const = default;

private:
    std::string text_;
    std::string before_, between_, after_; // literal text around the two parts
    bool frame_first_ = true;
    std::size_t digits_ = 0; // at least
};

} // namespace pleat
