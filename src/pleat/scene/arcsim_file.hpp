// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads scenes in the format of ARCSim, the program of [Narain2012], so that old scenes run as they
// are. Written from the files; docs/arcsim.md lists the keys and their meaning in Pleat.
//
// Paths in such files are relative to the folder from which the old program was started. They are
// looked for beside the scene file, then in each folder above it, then in the working directory.
#pragma once

#include "pleat/scene/scene_file.hpp"
#include "pleat/scene/scene_override.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

struct ReadScene {
    SceneDescription scene;
    bool is_arcsim = false;
    std::vector<std::string> notes; // what was not taken over, each once
    std::vector<Problem> problems;  // of read_any_scene_in_part() only
};

/// A scene of either format; which one shows in the file.
/// \throw InputError with every problem of the file.
[[nodiscard]] ReadScene read_any_scene(const std::filesystem::path& path);

/// The same, but problems of a scene in Pleat's format are returned beside what could be read of
/// it, for load_scene() to tell together with what it finds itself.
/// \param overrides values that replace those of the file
/// \throw InputError where the file cannot be read, is no JSON or a bad scene of ARCSim's format.
[[nodiscard]] ReadScene read_any_scene_in_part(const std::filesystem::path& path,
                                               const SceneOverrides& overrides = {});
/// The same for text; paths in it are relative to the folder of `path`.
[[nodiscard]] ReadScene parse_any_scene_in_part(std::string_view text,
                                                const std::filesystem::path& path,
                                                const SceneOverrides& overrides = {});

/// \throw InputError with every problem of the file: wrong kinds of values, files that are in none
/// of the places (they are listed), motions and cloths that do not exist.
[[nodiscard]] ReadScene parse_arcsim_scene(std::string_view text,
                                           const std::filesystem::path& path);

} // namespace pleat
