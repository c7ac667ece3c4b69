// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The elastic energy, forces and stiffness of a whole model, in parallel loops over its elements.
//
// A batch holds everything that depends on the mesh only: rest shapes, stencils, the sparsity
// pattern and the slots that each element adds to. It is built once per mesh; a step only reads it.
// Materials, rest angles and compression scales are read from the model at every call.
//
// Damping is proportional to the stiffness, but only to that of the strain and of the angle (B_i M
// B_j^T and E'' g g^T): the terms that come from the stress would damp a rigid rotation. Laws may
// add damping of their own: D = sum k_d dC/dx dC/dx^T over their conditions C.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/energies/face_element.hpp"
#include "pleat/energies/hinge_element.hpp"
#include "pleat/linalg/block_pattern.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// What linearise() puts into the matrix: stiffness * K + damping * (damping matrix).
struct StiffnessScale {
    double stiffness = 1;
    double damping = 0;
};

class ElasticBatch {
public:
    ElasticBatch() = default;
    /// \pre the mesh has no dead elements; update_derived() was called.
    explicit ElasticBatch(const Model& model);
    /// Without pattern and slots: for freeze() and energy() only.
    [[nodiscard]] static ElasticBatch for_energy(const Model& model);

    [[nodiscard]] const BlockPattern& pattern() const { return parts_.pattern; }

    /// Evaluates the coefficients that a step holds fixed (measured fabrics) at the given
    /// positions.
    void freeze(const Model& model, std::span<const Vec3> x);

    /// [J], with the frozen numbers. \pre freeze() was called since the mesh or materials changed.
    [[nodiscard]] double energy(const Model& model, std::span<const Vec3> x);

    /// Sets f to the elastic forces [N], with the frozen numbers.
    void forces(const Model& model, std::span<const Vec3> x, std::span<Vec3> f);

    /// Sets f to the elastic forces and `off` to the off-diagonal blocks of the (positive
    /// semi-definite) scaled stiffness, in the slots of pattern(). With dependencies the blocks are
    /// those of P^T K P, and f is still by node.
    void linearise(const Model& model, std::span<const Vec3> x, StiffnessScale scale,
                   std::span<Vec3> f, std::span<Mat3> off);

private:
    struct Face {
        std::array<std::uint32_t, 3> nodes;
        FaceRest rest;
    };
    struct Hinge {
        std::array<std::uint32_t, 4> nodes;
        EdgeId edge;
        std::array<MaterialId, 2> material;
        HingeRest rest;
        double least_area2;
    };
    /// A face of a plate: its curvature is the sum of row * angle over its terms.
    struct Plate {
        FaceId face;
        double area;
        std::array<std::uint32_t, 16> nodes; // of its hinges; no_row: unused
        std::uint32_t first_term, last_term;
    };
    struct PlateTerm {
        std::uint32_t hinge;
        Vec3 row;                           // d (curvature uu, vv, uv) / d angle [1/m]
        std::array<std::uint8_t, 4> corner; // which of the plate's nodes the hinge's are
    };
    // Intermediate results for the gathering loops; separate arrays for each reader, since these
    // loops are memory-bound.
    struct FaceWork {
        Mat3x2 f;
        Tangent m;  // scaled, times area
        Mat2 sigma; // scaled, psd, times area
    };
    struct HingeWork {
        std::array<Vec3, 4> g;
        double moment = 0;
        double stiffness = 0; // scaled, damping included
    };
    struct IsometricWork {
        Vec3 y{};
        Mat3 matrix{}; // scaled
    };

    void add_elements(const Model& model);
    class PlateBuilder;
    [[nodiscard]] Vec3 plate_curvature(const Plate& plate) const;
    template <bool with_tangent>
    void evaluate(const Model& model, std::span<const Vec3> x, StiffnessScale scale);
    template <bool with_tangent, class Law>
    void evaluate_faces(const Model& model, const Law& law, double damping,
                        std::span<const std::uint32_t> faces, std::span<const Vec3> x,
                        StiffnessScale scale);
    void gather_forces(std::span<Vec3> f) const;

    std::vector<Face> faces_;
    std::vector<Hinge> hinges_;
    std::vector<Plate> plates_;
    std::vector<PlateTerm> plate_terms_;
    std::vector<std::vector<std::uint32_t>> faces_of_material_;
    bool has_isometric_ = false;
    PatternParts parts_;
    RowGather face_rows_, hinge_rows_;
    std::vector<std::uint32_t> hinge_term_start_, hinge_terms_; // by hinge: its terms

    std::vector<StrainQuadratic> face_numbers_; // of measured faces
    std::vector<HingeNumbers> hinge_numbers_;
    std::vector<std::array<double, 4>> isometric_weights_;
    std::vector<Mat3> plate_tangent_; // times area
    std::vector<std::uint32_t> plate_of_term_;
    std::vector<Vec3> plate_moment_;                   // area * D k
    std::vector<std::array<Mat3, 16>> plate_jacobian_; // d curvature / d node
    std::vector<FaceWork> face_work_;
    std::vector<Mat3x2> face_stress_; // area * F Sigma
    std::vector<HingeWork> hinge_work_;
    std::vector<double> hinge_angle_; // less the rest angle
    std::vector<IsometricWork> isometric_work_;
};

/// Elastic energy of one face, without bending, and of one hinge [J]; 0 for an edge that is no
/// fold. \pre for hinges: !has_plates(model)
[[nodiscard]] double elastic_energy(const Model& model, const State& state, FaceId face);
[[nodiscard]] double elastic_energy(const Model& model, const State& state, EdgeId edge);

/// Whether any fabric bends as a plate: then energy of bending is not that of single hinges.
[[nodiscard]] bool has_plates(const Model& model);

/// Elastic energy of a state [J]. Looks at each element anew: for reports, not for inner loops.
[[nodiscard]] double elastic_energy(const Model& model, const State& state);
/// Of some faces, none twice, and of the hinges that any of them has part in.
/// \pre !has_plates(model): their bending reaches beyond their hinges.
[[nodiscard]] double elastic_energy(const Model& model, const State& state,
                                    std::span<const FaceId> faces);

/// Elastic forces by node [N], likewise.
[[nodiscard]] std::vector<Vec3> elastic_forces(const Model& model, const State& state);

} // namespace pleat
