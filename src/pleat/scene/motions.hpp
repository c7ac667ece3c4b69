// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Motions of a scene from keys or files.
#pragma once

#include "pleat/io/motion_file.hpp"
#include "pleat/model/motion.hpp"
#include "pleat/scene/scene_file.hpp"

#include <filesystem>
#include <map>

namespace pleat {

/// Motion files that were read; bodies of one character share theirs.
using MotionFiles = std::map<std::filesystem::path, MotionFile>;

/// The keys of the description, or those of its file.
/// \throw InputError where the file is bad or does not have that body
[[nodiscard]] Motion read_motion(const MotionDescription& description, MotionFiles& files);

/// The motion `after` everything, and later by `delay` [s].
[[nodiscard]] Motion moved(Motion motion, const Transform& after, double delay);

} // namespace pleat
