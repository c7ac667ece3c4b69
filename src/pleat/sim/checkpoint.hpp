// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The complete state of a run in one file: a resumed run gives the same bits as one that never
// stopped. Parts of the pipeline hold caches only, so a Simulation is the complete state; a test
// runs every shipped scene with new parts at each frame to verify this.
//
// It does not contain what the scene file defines: fabrics, obstacles, motions of handles, wind. So
// a run can be resumed with another scene file.
//
// The file: "PLEATCKP", version, sizes and checksum (all little-endian), then the content packed by
// zstd. Arrays of one number each, named, in a fixed order.
#pragma once

#include "pleat/sim/run.hpp"
#include "pleat/sim/simulation.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// Changes with every change of what the file holds or means.
inline constexpr std::uint32_t checkpoint_version = 5;

/// Further content of a checkpoint.
struct CheckpointInfo {
    RunReport so_far;               // counts of the run up to here; neither end nor trouble
    double fps = 0;                 // frames a second
    std::uint32_t handle_count = 0; // which the bits of node_handles stand for
    std::vector<std::uint32_t> material_counts; // by cloth: which face_material stands for
    std::uint64_t scene_hash = 0;               // of the scene that was run

    bool operator==(const CheckpointInfo&) const = default;
};

/// The simulation has neither materials nor what is derived from them until a scene gives them.
struct Checkpoint {
    Simulation sim;
    CheckpointInfo info;
};

[[nodiscard]] std::string encode_checkpoint(const Simulation& sim, const CheckpointInfo& info);
/// Compresses content and adds the header; the last step of encode_checkpoint(), public for tests.
[[nodiscard]] std::string pack_checkpoint(std::string_view content);

/// \param name stands for the file in messages.
/// \throw InputError for anything that encode_checkpoint() does not write: another version, a wrong
/// checksum, arrays that do not fit together, numbers that are not finite.
[[nodiscard]] Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name);

// --- the checkpoints of a run's folder, DIR/checkpoint/00012.pleat ------------------------------

[[nodiscard]] std::filesystem::path checkpoint_path(const std::filesystem::path& folder, int frame);

/// The frames that have one, in order.
[[nodiscard]] std::vector<int> checkpoint_frames(const std::filesystem::path& folder);

/// Writes the checkpoint of sim.frame: whole, and on the disk when this returns. \throw FileError
void write_checkpoint(const std::filesystem::path& folder, const Simulation& sim,
                      const CheckpointInfo& info);

struct FoundCheckpoint {
    Checkpoint checkpoint;
    std::vector<std::string> refused; // newer ones that cannot be used, and why
};

/// The newest that can be read, or that of a given frame.
/// \throw InputError where there is none, with why each was refused.
[[nodiscard]] FoundCheckpoint read_checkpoint(const std::filesystem::path& folder,
                                              std::optional<int> frame = std::nullopt);

/// Removes all but the newest `keep`.
void prune_checkpoints(const std::filesystem::path& folder, int keep);

} // namespace pleat
