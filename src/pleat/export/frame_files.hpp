// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The file names of a run's frames: DIR/frames/00012_<name>.obj, one file an object, or as a
// NamePattern says.
#pragma once

#include "pleat/export/frame_sink.hpp"
#include "pleat/export/name_pattern.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pleat {

/// The name as a file may carry it: letters, digits and - _ . stay, every other character becomes
/// one _; cut to 100 characters; "mesh" where nothing is left.
[[nodiscard]] std::string file_stem(std::string_view name);

/// "Pleat: cloth sheet, frame 12, time 0.48 s", for the head of a file.
[[nodiscard]] std::string frame_comment(const Frame& frame, const FrameMesh& mesh);

/// Hands out the paths of one run's mesh files. An object keeps its stem for the whole run;
/// objects whose stems would be the same (also where only the case differs, for file systems that
/// do not see it) get -2, -3, ... in the order in which they first appear.
class FrameFiles {
public:
    /// Makes DIR/frames. \param extension without the dot. \throw FileError
    FrameFiles(const std::filesystem::path& directory, std::string extension,
               NamePattern pattern = {});

    /// The path for each mesh of the frame, in order; nothing for a static one that has been
    /// written before. Static ones are numbered 0 whenever they come.
    [[nodiscard]] std::vector<std::optional<std::filesystem::path>> paths_of(const Frame& frame);

    /// The files of one object that are there, by frame.
    using Written = std::map<int, std::filesystem::path>;
    /// By stem of the object: the files of this extension, also those of an earlier part of a run
    /// that was resumed.
    [[nodiscard]] std::map<std::string, Written> written() const;
    /// The file for all frames together, DIR/run.<extension>.
    [[nodiscard]] std::filesystem::path file_of_run(const std::string& extension) const
    {
        return folder_.parent_path() / ("run." + extension);
    }

private:
    /// An object is known by its name, and by its rank among those of the same name in a frame.
    using ObjectKey = std::pair<std::string, std::size_t>;
    const std::string& stem_of(const ObjectKey& key);

    std::filesystem::path folder_;
    std::string extension_;
    NamePattern pattern_;
    std::map<ObjectKey, std::string> stems_;
    std::set<std::string> taken_; // in lower case
    std::set<ObjectKey> static_done_;
};

} // namespace pleat
