// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The folder of a run, read back: which frames are there, and what they hold.
#pragma once

#include "pleat/export/frame_attributes.hpp"
#include "pleat/export/name_pattern.hpp"
#include "pleat/scene/scene_file.hpp"
#include "pleat/sim/frames.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pleat {

/// Keeps other Pleat processes from writing to the same folder; released when the process ends in
/// any way.
class FolderLock {
public:
    /// \throw InputError where another program holds it, FileError where it cannot be had.
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int file_ = -1;
};

/// How the frames of a run are named: what run.json says, else the default.
[[nodiscard]] NamePattern name_pattern_of(const std::filesystem::path& folder);

/// Removes the files of frames behind `last_frame`, checkpoints too, and what a run that was killed
/// left half written. \throw FileError
void trim_run(const std::filesystem::path& folder, int last_frame);

/// Copies a run up to a frame into a folder, to resume it there.
/// \throw InputError where that folder holds a run, FileError
void copy_run(const std::filesystem::path& from, const std::filesystem::path& to, int last_frame);

class RunFolder {
public:
    /// \throw InputError where the folder holds no frames.
    explicit RunFolder(std::filesystem::path folder);

    /// Numbers of the frames, in order.
    [[nodiscard]] const std::vector<int>& frames() const { return frames_; }
    [[nodiscard]] int last_frame() const { return frames_.back(); }
    /// The scene that was run, where scene.json can still be read.
    [[nodiscard]] const std::optional<SceneDescription>& scene() const { return scene_; }

    /// Every object of the frame; cloths are those with material points. Static obstacles, which
    /// are written once, are in every frame in which the scene has them.
    /// \throw InputError where the frame is not there or a file of it is broken.
    /// Velocities are those of the files (PLY), else of the attributes, else there are none; panels
    /// are those of the attributes, else found in the mesh and ordered by where they lie.
    [[nodiscard]] std::vector<ObjectMesh> read(int frame) const;

    /// What `pleat run` wrote beside a cloth's mesh; nothing where there is no such file, or where
    /// it does not fit the mesh (of a run that was changed by hand).
    [[nodiscard]] std::optional<FrameAttributes> read_attributes(const ObjectMesh& mesh,
                                                                 int frame) const;

private:
    struct Object {
        std::string name; // the file's stem
        std::string extension;
        std::set<int> frames;
    };
    [[nodiscard]] std::filesystem::path file_of(const Object& object, int frame) const;
    void add_attributes(ObjectMesh& mesh, int frame) const;

    std::filesystem::path folder_;
    NamePattern names_;
    std::vector<Object> objects_;
    std::vector<int> frames_;
    std::optional<SceneDescription> scene_;
    /// Of obstacles that have any, by name: mesh files do not hold them.
    std::map<std::string, std::vector<std::array<std::uint32_t, 3>>> planes_;
};

} // namespace pleat
