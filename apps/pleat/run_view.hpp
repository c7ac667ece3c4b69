// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The data of a run for the viewer's page: its description (JSON), its progress (JSON), and frames
// in a compact binary format. All calls may come from several threads at once.
#pragma once

#include "run_meshes.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace pleat::app {

/// What a frame's bytes hold beside positions, faces and material coordinates.
struct PacketOptions {
    bool static_objects = false; // the arrays of objects that are the same in every frame
    bool speed = false;          // of nodes
    bool sizing = false;         // drivers and ellipses of faces
};

/// A frame for the page, little-endian, every array on a multiple of four bytes:
///
///   uint32  "PLF1", version 2, frame, number of objects; then for each object
///   uint32  flags: 1 cloth, 2 static, 4 arrays follow, 8 own face corners in material space,
///           16 fabric of each face, 32 speed, 64 sizing, 128 generations
///   uint32  bytes of the name, nodes N, verts V, faces F, fabric of all faces; the name in UTF-8
///   float32 3 N  positions [m]
///   uint32  3 F  nodes of faces
///   float32 2 V  material points [m]
///   uint32  3 F  verts of faces, where they are not numbered as the nodes
///   uint16  F    fabrics
///   float32 N    speeds [m/s]
///   uint32  number D of sizing metrics, as many as run_json() names
///   float16 D F  edge that each asked for [m]; 3 F ellipse: long, short [m], angle [rad]
///   uint8   F    generations of root-3 subdivision
[[nodiscard]] std::string frame_packet(const RunFolder& folder, const RunLooks& looks, int frame,
                                       const PacketOptions& options);

class RunView {
public:
    /// \throw InputError where the folder holds no run and `may_be_empty` is false.
    RunView(std::filesystem::path folder, bool may_be_empty);

    /// Objects' looks, colours, frame rate, camera: what does not change during the run.
    [[nodiscard]] std::string run_json();
    /// State of the run, numbers of the whole frames, rows of stats.csv from `first_row` on.
    [[nodiscard]] std::string progress_json(std::size_t first_row);
    /// \throw InputError where there is no such frame.
    [[nodiscard]] std::string frame(int number, const PacketOptions& options);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    struct Snapshot {
        RunFolder run;
        RunLooks looks;
        explicit Snapshot(const std::filesystem::path& folder) : run(folder), looks(looks_of(run))
        {}
    };
    [[nodiscard]] std::shared_ptr<const Snapshot> snapshot();

    std::filesystem::path folder_;
    bool may_be_empty_;
    std::mutex mutex_;
    std::shared_ptr<const Snapshot> latest_;
    std::filesystem::file_time_type latest_time_{};
};

/// One HTML file with the page, the run's frames and statistics, to be opened from disk.
/// \param frames which ones \throw InputError, FileError
void export_page(const std::filesystem::path& folder, const std::string& frames,
                 const std::filesystem::path& path);

} // namespace pleat::app
