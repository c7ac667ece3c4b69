// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/energies/elastic_batch.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

namespace pleat {

namespace {

template <class Law> inline constexpr bool is_measured = std::is_same_v<Law, MembraneMeasured>;

/// The plate a bending law stands for, where it is one.
std::optional<BendingPlate> plate_law(const BendingLaw& law)
{
    if (const auto* sheet = std::get_if<BendingIsotropicSheet>(&law)) return plate_of(*sheet);
    if (const auto* plate = std::get_if<BendingPlate>(&law)) return *plate;
    return {};
}

/// Numbers of an edge inside one fabric; none where the fabric is a plate.
HingeNumbers numbers_of(const BendingLaw& law, const HingeRest& rest, double theta)
{
    return std::visit(
        [&](const auto& l) -> HingeNumbers {
            if constexpr (BendingLawModel<std::remove_cvref_t<decltype(l)>>) {
                return freeze(l, rest, theta);
            } else {
                return {};
            }
        },
        law);
}

/// Numbers of an edge between two fabrics.
HingeNumbers numbers_of(const BendingLaw& law_0, const BendingLaw& law_1, const HingeRest& rest,
                        double theta)
{
    const auto* measured_0 = std::get_if<BendingMeasured>(&law_0);
    const auto* measured_1 = std::get_if<BendingMeasured>(&law_1);
    if (measured_0 != nullptr && measured_1 != nullptr) {
        const double curvature = std::abs(theta) * rest.length / rest.area_sum;
        const double k0 = measured_stiffness(*measured_0, rest.weft_angle[0], curvature);
        const double k1 = measured_stiffness(*measured_1, rest.weft_angle[1], curvature);
        return measured_numbers(std::min(k0, k1), rest);
    }
    return 0.5 * numbers_of(law_0, rest, theta) + 0.5 * numbers_of(law_1, rest, theta);
}

template <class Visit> void for_list(std::span<const std::uint32_t> list, Visit&& visit)
{
    parallel_for(list.size(), [&](std::size_t k) { visit(list[k]); });
}

} // namespace

ElasticBatch::ElasticBatch(const Model& model, const Dependencies& dependencies)
{
    const Mesh& mesh = model.mesh;
    faces_.resize(mesh.face_count());
    faces_of_material_.resize(model.materials.size());
    for (FaceId f : mesh.faces()) {
        const auto nodes = mesh.nodes_of(f);
        const auto& v = mesh[f].verts;
        faces_[index(f)] = {{index(nodes[0]), index(nodes[1]), index(nodes[2])},
                            face_rest(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2]))};
        faces_of_material_[index(model.face_material[f])].push_back(index(f));
    }

    Field<EdgeId, std::uint32_t> hinge_of(mesh.edge_count(), FieldRule::reset, no_row);
    for (EdgeId e : mesh.edges()) {
        if (mesh.is_border(e)) continue;
        const auto& edge = mesh[e];
        const auto side_0 = mesh.verts_of(e, 0), side_1 = mesh.verts_of(e, 1);
        const VertId far_0 = mesh.opposite_vert(e, 0), far_1 = mesh.opposite_vert(e, 1);
        Hinge h{};
        h.nodes = {index(edge.nodes[0]), index(edge.nodes[1]), index(mesh.node(far_0)),
                   index(mesh.node(far_1))};
        if (h.nodes[2] == h.nodes[3]) continue; // two faces on the same three nodes: no fold
        h.edge = e;
        h.material = {model.face_material[edge.faces[0]], model.face_material[edge.faces[1]]};
        h.rest = hinge_rest({mesh.u(side_0[0]), mesh.u(side_0[1])}, mesh.u(far_0),
                            {mesh.u(side_1[0]), mesh.u(side_1[1])}, mesh.u(far_1));
        h.least_area2 = least_area2(h.rest);
        h.plates = {no_row, no_row};
        hinge_of[e] = static_cast<std::uint32_t>(hinges_.size());
        hinges_.push_back(h);
    }

    // Plates: their stencils, and who answers for the area of border faces.
    const auto is_plate = [&](FaceId f) {
        return plate_law(model.materials[index(model.face_material[f])].bending).has_value();
    };
    const auto hinge_count = [&](FaceId f) {
        int count = 0;
        for (EdgeId e : mesh[f].edges) count += hinge_of[e] != no_row ? 1 : 0;
        return count;
    };
    Field<FaceId, double> answers(mesh.face_count(), FieldRule::reset, 0.0);
    for (FaceId f : mesh.faces()) {
        if (!is_plate(f)) continue;
        const double area = faces_[index(f)].rest.area;
        std::vector<FaceId> whole; // neighbours of the same fabric with all their angles
        if (hinge_count(f) < 3)
            for (EdgeId e : mesh[f].edges) {
                if (hinge_of[e] == no_row) continue;
                const FaceId other = mesh[e].faces[0] == f ? mesh[e].faces[1] : mesh[e].faces[0];
                if (model.face_material[other] == model.face_material[f] && hinge_count(other) == 3)
                    whole.push_back(other);
            }
        if (static_cast<int>(whole.size()) == hinge_count(f) && !whole.empty()) {
            for (FaceId w : whole) answers[w] += area / static_cast<double>(whole.size());
        } else {
            answers[f] += area;
        }
    }
    for (FaceId f : mesh.faces()) {
        if (answers[f] == 0) continue;
        Plate p{};
        p.face = f;
        p.area = answers[f];
        const auto nodes = mesh.nodes_of(f);
        p.nodes = {index(nodes[0]), index(nodes[1]), index(nodes[2]), no_row, no_row, no_row};
        p.hinges = {no_row, no_row, no_row};
        const auto plate = static_cast<std::uint32_t>(plates_.size());
        for (std::size_t k = 0; k < 3; ++k) {
            p.corner[k].fill(4);
            const EdgeId e = mesh[f].edges[k];
            if (hinge_of[e] == no_row) continue;
            p.hinges[k] = hinge_of[e];
            Hinge& h = hinges_[hinge_of[e]];
            const std::size_t side = mesh[e].faces[0] == f ? 0 : 1;
            h.plates[side] = plate;
            const std::uint32_t far = h.nodes[3 - side]; // of the other side
            if (std::find(p.nodes.begin(), p.nodes.end(), far) == p.nodes.end())
                p.nodes[3 + k] = far;

            const auto ends = mesh.verts_of(e, side);
            const Vec2 along = mesh.u(ends[1]) - mesh.u(ends[0]);
            const Vec2 far_own = mesh.u(mesh.opposite_vert(e, side)) - mesh.u(ends[0]);
            PlateEdge& edge = p.edges[k];
            edge.present = true;
            edge.along = normalized(along);
            edge.inward = {-edge.along[1], edge.along[0]};
            if (dot(edge.inward, far_own) < 0) edge.inward *= -1;
            edge.length = h.rest.length;
            edge.height = h.rest.height[side];
            edge.foot = h.rest.foot[side] * edge.length;
            edge.other_height = h.rest.height[1 - side];
            edge.other_foot = h.rest.foot[1 - side] * edge.length;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            if (p.hinges[k] == no_row) continue;
            const auto& h = hinges_[p.hinges[k]].nodes;
            for (std::size_t i = 0; i < 6; ++i) {
                if (p.nodes[i] == no_row) continue;
                const auto at = std::find(h.begin(), h.end(), p.nodes[i]);
                p.corner[k][i] = static_cast<std::uint8_t>(at - h.begin());
            }
        }
        plates_.push_back(p);
    }

    // The pattern and who adds to what.
    std::vector<std::uint32_t> face_nodes, hinge_nodes, plate_nodes;
    for (const Face& f : faces_)
        face_nodes.insert(face_nodes.end(), f.nodes.begin(), f.nodes.end());
    for (const Hinge& h : hinges_)
        hinge_nodes.insert(hinge_nodes.end(), h.nodes.begin(), h.nodes.end());
    for (const Plate& p : plates_)
        plate_nodes.insert(plate_nodes.end(), p.nodes.begin(), p.nodes.end());
    const std::array<ElementList, 3> lists{ElementList{face_nodes, 3}, ElementList{hinge_nodes, 4},
                                           ElementList{plate_nodes, 6}};
    parts_ = build_pattern(mesh.node_count(), lists, dependencies);
    face_rows_ = build_row_gather(mesh.node_count(), lists[0]);
    hinge_rows_ = build_row_gather(mesh.node_count(), lists[1]);

    face_numbers_.resize(faces_.size());
    hinge_numbers_.resize(hinges_.size());
    face_work_.resize(faces_.size());
    hinge_work_.resize(hinges_.size());
    plate_stiffness_.resize(plates_.size());
}

void ElasticBatch::freeze(const Model& model, std::span<const Vec3> x)
{
    PLEAT_ASSERT(model.mesh.face_count() == faces_.size(), "the batch belongs to this mesh");
    for (std::size_t m = 0; m < model.materials.size(); ++m) {
        const auto* law = std::get_if<MembraneMeasured>(&model.materials[m].membrane);
        if (law == nullptr) continue;
        for_list(faces_of_material_[m], [&](std::uint32_t i) {
            const Face& f = faces_[i];
            const Strain g =
                green_strain(deformation(f.rest, x[f.nodes[0]], x[f.nodes[1]], x[f.nodes[2]]));
            face_numbers_[i] = pleat::freeze(*law, g);
        });
    }
    has_isometric_ = false;
    for (const Material& m : model.materials)
        has_isometric_ = has_isometric_ || std::holds_alternative<BendingIsometric>(m.bending);
    if (has_isometric_ && isometric_weights_.empty()) {
        isometric_weights_.resize(hinges_.size());
        parallel_for(hinges_.size(), [&](std::size_t i) {
            isometric_weights_[i] = isometric_weights(hinges_[i].rest);
        });
    }
    parallel_for(hinges_.size(), [&](std::size_t i) {
        const Hinge& h = hinges_[i];
        const BendingLaw& law_0 = model.materials[index(h.material[0])].bending;
        // Only the measured law looks at the angle, and an angle costs an arc tangent.
        const double theta =
            std::holds_alternative<BendingMeasured>(law_0)
                ? dihedral_angle(x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]], x[h.nodes[3]])
                : 0.0;
        hinge_numbers_[i] =
            h.material[0] == h.material[1]
                ? numbers_of(law_0, h.rest, theta)
                : numbers_of(
                      law_0, model.materials[index(h.material[1])].bending, h.rest,
                      dihedral_angle(x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]], x[h.nodes[3]]));
    });
    parallel_for(plates_.size(), [&](std::size_t i) {
        const Plate& p = plates_[i];
        const auto plate = plate_law(model.materials[index(model.face_material[p.face])].bending);
        plate_stiffness_[i] =
            plate ? plate_stiffness(*plate, p.edges, p.area, faces_[index(p.face)].rest.area)
                  : Mat3{};
    });
}

double ElasticBatch::energy(const Model& model, std::span<const Vec3> x)
{
    double total = 0;
    for (std::size_t m = 0; m < model.materials.size(); ++m)
        total += std::visit(
            [&](const auto& law) {
                using Law = std::remove_cvref_t<decltype(law)>;
                const auto& list = faces_of_material_[m];
                return parallel_sum(list.size(), [&](std::size_t k) {
                    const std::uint32_t i = list[k];
                    const Face& f = faces_[i];
                    const std::array<Vec3, 3> p{x[f.nodes[0]], x[f.nodes[1]], x[f.nodes[2]]};
                    const double c = model.compression_scale[make_id<FaceId>(i)];
                    if constexpr (is_measured<Law>) {
                        return face_energy(face_numbers_[i], f.rest, p, c);
                    } else {
                        return face_energy(pleat::freeze(law, Strain{}), f.rest, p, c);
                    }
                });
            },
            model.materials[m].membrane);
    const auto points = [&](const Hinge& h) {
        return std::array<Vec3, 4>{x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]], x[h.nodes[3]]};
    };
    total += parallel_sum(hinges_.size(), [&](std::size_t i) {
        const Hinge& h = hinges_[i];
        return hinge_energy(hinge_numbers_[i], h.rest, points(h), model.rest_angle[h.edge]);
    });
    total += parallel_sum(plates_.size(), [&](std::size_t i) {
        const Plate& p = plates_[i];
        Vec3 theta{};
        for (std::size_t k = 0; k < 3; ++k) {
            if (p.hinges[k] == no_row) continue;
            const Hinge& h = hinges_[p.hinges[k]];
            const auto q = points(h);
            theta[k] = dihedral_angle(q[0], q[1], q[2], q[3]) - model.rest_angle[h.edge];
        }
        return 0.5 * dot(theta, plate_stiffness_[i] * theta);
    });
    return total;
}

template <bool with_tangent, class Law>
void ElasticBatch::evaluate_faces(const Model& model, const Law& law, double damping,
                                  std::span<const std::uint32_t> faces, std::span<const Vec3> x,
                                  StiffnessScale scale)
{
    const auto constants = [&] {
        if constexpr (is_measured<Law>) {
            return 0;
        } else {
            return pleat::freeze(law, Strain{});
        }
    }();
    const double material_scale = scale.stiffness + scale.damping * damping;
    for_list(faces, [&](std::uint32_t i) {
        const Face& face = faces_[i];
        FaceWork& w = face_work_[i];
        const auto& numbers = [&]() -> const auto&
        {
            if constexpr (is_measured<Law>) {
                return face_numbers_[i];
            } else {
                return constants;
            }
        }
        ();
        w.f = deformation(face.rest, x[face.nodes[0]], x[face.nodes[1]], x[face.nodes[2]]);
        const Strain g = green_strain(w.f);
        const double c = model.compression_scale[make_id<FaceId>(i)];
        Stress s{};
        if (c == 1) {
            s = stress(numbers, g);
            if constexpr (with_tangent) w.m = tangent(numbers, g, Definiteness::psd);
        } else {
            const CompressionMap map = compress(g, c);
            const Stress inner = stress(numbers, map.scaled);
            s = pull_back(map, inner);
            if constexpr (with_tangent)
                w.m = pull_back(map, inner, tangent(numbers, map.scaled, Definiteness::psd),
                                Definiteness::psd);
        }
        const Mat2 sigma = stress_tensor(s) * face.rest.area;
        w.p = w.f * sigma;
        if constexpr (with_tangent) {
            w.m *= material_scale * face.rest.area;
            w.sigma = clamp_psd(sigma) * scale.stiffness;
        }
    });
}

template <bool with_tangent>
void ElasticBatch::evaluate(const Model& model, std::span<const Vec3> x, StiffnessScale scale)
{
    PLEAT_ASSERT(model.mesh.face_count() == faces_.size(), "the batch belongs to this mesh");
    for (std::size_t m = 0; m < model.materials.size(); ++m)
        std::visit(
            [&](const auto& law) {
                evaluate_faces<with_tangent>(model, law, model.materials[m].damping,
                                             faces_of_material_[m], x, scale);
            },
            model.materials[m].membrane);

    parallel_for(hinges_.size(), [&](std::size_t i) {
        const Hinge& h = hinges_[i];
        const HingeNumbers& n = hinge_numbers_[i];
        HingeWork& w = hinge_work_[i];
        const DihedralGradient d = dihedral_gradient(x[h.nodes[0]], x[h.nodes[1]], x[h.nodes[2]],
                                                     x[h.nodes[3]], h.least_area2);
        const double rest_angle = model.rest_angle[h.edge];
        w.g = d.g;
        w.angle = d.angle - rest_angle;
        w.moment = angle_moment(n, d.angle, rest_angle);
        const double damping = 0.5 * (model.materials[index(h.material[0])].damping +
                                      model.materials[index(h.material[1])].damping);
        if constexpr (with_tangent)
            w.stiffness =
                (scale.stiffness + scale.damping * damping) * angle_stiffness(n, d.angle) +
                scale.damping * n.damping;
        if (n.isometric != 0) {
            const auto& q = isometric_weights_[i];
            const Vec3& x0 = x[h.nodes[0]];
            w.y = q[1] * (x[h.nodes[1]] - x0) + q[2] * (x[h.nodes[2]] - x0) +
                  q[3] * (x[h.nodes[3]] - x0);
            if constexpr (with_tangent) {
                w.isometric = identity<3>() * (scale.stiffness * n.isometric);
                // Only a change of |y| is a change of shape.
                const double length = norm(w.y);
                const double damp = scale.damping * damping * n.isometric;
                w.isometric += length > 1e-12 * h.rest.length
                                   ? outer(w.y, w.y) * (damp / (length * length))
                                   : identity<3>() * damp;
            }
        }
    });
    if (!plates_.empty())
        parallel_for(hinges_.size(), [&](std::size_t i) {
            for (std::uint32_t plate : hinges_[i].plates) {
                if (plate == no_row) continue;
                const Plate& p = plates_[plate];
                for (std::size_t k = 0; k < 3; ++k) {
                    if (p.hinges[k] != i) continue;
                    for (std::size_t l = 0; l < 3; ++l)
                        if (p.hinges[l] != no_row)
                            hinge_work_[i].moment +=
                                plate_stiffness_[plate](k, l) * hinge_work_[p.hinges[l]].angle;
                }
            }
        });
}

void ElasticBatch::gather_forces(std::span<Vec3> f) const
{
    parallel_for(f.size(), [&](std::size_t n) {
        Vec3 sum{};
        for (std::uint32_t k = face_rows_.start[n]; k < face_rows_.start[n + 1]; ++k) {
            const std::uint32_t e = face_rows_.entry[k] / 8, c = face_rows_.entry[k] % 8;
            sum -= face_work_[e].p * faces_[e].rest.b[c];
        }
        for (std::uint32_t k = hinge_rows_.start[n]; k < hinge_rows_.start[n + 1]; ++k) {
            const std::uint32_t e = hinge_rows_.entry[k] / 8, c = hinge_rows_.entry[k] % 8;
            sum -= hinge_work_[e].moment * hinge_work_[e].g[c];
            if (hinge_numbers_[e].isometric != 0)
                sum -= (hinge_numbers_[e].isometric * isometric_weights_[e][c]) * hinge_work_[e].y;
        }
        f[n] = sum;
    });
}

void ElasticBatch::forces(const Model& model, std::span<const Vec3> x, std::span<Vec3> f)
{
    evaluate<false>(model, x, {});
    gather_forces(f);
}

void ElasticBatch::linearise(const Model& model, std::span<const Vec3> x, StiffnessScale scale,
                             std::span<Vec3> f, std::span<Mat3> off)
{
    evaluate<true>(model, x, scale);
    gather_forces(f);
    const auto face_part = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const FaceWork& w = face_work_[e];
        const auto& b = faces_[e].rest.b;
        return face_block(w.f, w.m, w.sigma, b[i], b[j]);
    };
    const auto hinge_part = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const HingeWork& w = hinge_work_[e];
        return outer(w.g[i] * w.stiffness, w.g[j]);
    };
    const auto hinge_part_isometric = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const HingeWork& w = hinge_work_[e];
        Mat3 k = outer(w.g[i] * w.stiffness, w.g[j]);
        if (hinge_numbers_[e].isometric != 0)
            k += w.isometric * (isometric_weights_[e][i] * isometric_weights_[e][j]);
        return k;
    };
    const auto plate_part = [&](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        const Plate& p = plates_[e];
        const double damping = model.materials[index(model.face_material[p.face])].damping;
        const double s = scale.stiffness + scale.damping * damping;
        Mat3 k{};
        for (std::size_t a = 0; a < 3; ++a) {
            if (p.hinges[a] == no_row || p.corner[a][i] >= 4) continue;
            Vec3 sum{};
            for (std::size_t b = 0; b < 3; ++b) {
                if (p.hinges[b] == no_row || p.corner[b][j] >= 4) continue;
                sum += (s * plate_stiffness_[e](a, b)) * hinge_work_[p.hinges[b]].g[p.corner[b][j]];
            }
            k += outer(hinge_work_[p.hinges[a]].g[p.corner[a][i]], sum);
        }
        return k;
    };
    const GatherPart faces{parts_.gathers[0], face_part};
    if (!plates_.empty() || has_isometric_) {
        assemble_blocks(pattern(), off, faces, GatherPart{parts_.gathers[1], hinge_part_isometric},
                        GatherPart{parts_.gathers[2], plate_part});
    } else {
        assemble_blocks(pattern(), off, faces, GatherPart{parts_.gathers[1], hinge_part});
    }
}

double elastic_energy(const Model& model, const State& state)
{
    ElasticBatch batch(model);
    batch.freeze(model, state.x.span());
    return batch.energy(model, state.x.span());
}

std::vector<Vec3> elastic_forces(const Model& model, const State& state)
{
    ElasticBatch batch(model);
    batch.freeze(model, state.x.span());
    std::vector<Vec3> f(model.mesh.node_count());
    batch.forces(model, state.x.span(), f);
    return f;
}

} // namespace pleat
