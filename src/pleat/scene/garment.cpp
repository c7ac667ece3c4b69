// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Outlines are measured first, then seams decide how many points each stretch gets, then
// panels are triangulated and remeshed inside, then sewn and placed.
//
// Notation: a side is a stretch of an outline between two corners; a share is a place along a side,
// as a fraction of its length. Seams join sides at equal shares. So all shares at which any partner
// of a side has a point must be known before a side is sampled; sampling earlier would leave one
// side of a seam with a point that the other lacks, which the mesh check refuses.
#include "pleat/scene/garment.hpp"

#include "pleat/core/disjoint_sets.hpp"
#include "pleat/core/error.hpp"
#include "pleat/geometry/triangulate.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

namespace pleat {

namespace {

constexpr double pi = std::numbers::pi;
constexpr int fine_segments = 96;              // by which a curve's length is measured
constexpr double largest_turn = 25 * pi / 180; // of a curve from one sample to the next
constexpr double shortest_edge = 1e-6;         // [m]
constexpr double unasked_mismatch = 1.02;      // beyond this a mismatch is worth a note
constexpr double largest_mismatch = 4;         // as the mesh check has it
// Ends of edges on the two sides of a seam that are nearer than this share of the edge length meet
// in one node.
constexpr double snap = 0.15;
constexpr double largest_panel = 20;        // beyond this the unit may be wrong [m]
constexpr double extent_reach = 0.12;       // share of a panel's height
constexpr std::size_t most_samples = 20000; // of one panel's outline

std::string millimetres(double metres)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f mm", 1000 * metres);
    return text;
}

std::string times(double ratio)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2fx", ratio);
    return text;
}

std::string point_text(const Vec2& p)
{
    char text[64];
    std::snprintf(text, sizeof text, "(%.4g, %.4g) m", p[0], p[1]);
    return text;
}

Vec2 bezier(const Vec2& a, const std::vector<Vec2>& control, const Vec2& b, double t)
{
    const double s = 1 - t;
    if (control.empty()) return s * a + t * b;
    if (control.size() == 1) return s * s * a + 2 * s * t * control[0] + t * t * b;
    return s * s * s * a + 3 * s * s * t * control[0] + 3 * s * t * t * control[1] + t * t * t * b;
}

/// A stretch of an outline between two corners, dart legs included.
struct Piece {
    std::size_t panel = 0, edge = 0; // edge: into the panel's list; dart legs have their edge's
    std::vector<Vec2> line;          // fine
    std::vector<double> along;       // length up to each point of it
    double turning = 0;              // [rad]
    bool dart_leg = false;
    std::vector<double> cuts; // where samples lie between the ends, shares of the length
    std::uint32_t first = 0;  // its first sample
    bool sewn = false;

    [[nodiscard]] double length() const { return along.back(); }
    void measure()
    {
        along.assign(1, 0.0);
        turning = 0;
        for (std::size_t i = 1; i < line.size(); ++i) {
            along.push_back(along.back() + norm(line[i] - line[i - 1]));
            if (i < 2) continue;
            const Vec2 p = line[i - 1] - line[i - 2], q = line[i] - line[i - 1];
            turning += std::abs(std::atan2(cross(p, q), dot(p, q)));
        }
    }
    [[nodiscard]] Vec2 at(double share) const
    {
        const double s = share * length();
        const auto next = std::upper_bound(along.begin(), along.end(), s);
        if (next == along.end()) return line.back();
        const auto i = std::size_t(next - along.begin());
        if (i == 0) return line.front();
        const double span = along[i] - along[i - 1];
        return line[i - 1] + (span > 0 ? (s - along[i - 1]) / span : 0) * (line[i] - line[i - 1]);
    }
    /// The stretch from one share to another.
    [[nodiscard]] Piece part(double from, double to) const
    {
        Piece p = *this;
        p.line = {at(from)};
        for (std::size_t i = 0; i < line.size(); ++i)
            if (along[i] > from * length() + 1e-12 && along[i] < to * length() - 1e-12)
                p.line.push_back(line[i]);
        p.line.push_back(at(to));
        p.measure();
        return p;
    }
    void reverse()
    {
        std::reverse(line.begin(), line.end());
        measure();
    }
    /// Segments so that none is above `edge_length` and none turns too far, over a share of it.
    [[nodiscard]] std::size_t segments(double share, double edge_length) const
    {
        // A little below: the remesher then finds no outline edge to split.
        const double by_length = std::ceil(share * length() / (0.999 * edge_length));
        const double by_turn = std::ceil(share * turning / largest_turn);
        return std::size_t(std::clamp(std::max(by_length, by_turn), 1.0, 1e6));
    }
};

struct Link { // of one side of a seam
    std::size_t piece;
    bool forward;
};

class GarmentMaker {
public:
    GarmentMaker(const Pattern& pattern, const GarmentOptions& options)
        : from_(pattern), options_(options)
    {}

    Garment run()
    {
        for (std::size_t p = 0; p < from_.panels.size(); ++p) cut_outline(p);
        throw_if_bad();
        measure_panels();
        throw_if_bad();
        for (std::size_t p = 0; p < from_.panels.size(); ++p) sew_darts(p);
        for (const PatternSeam& s : from_.seams) sew(s);
        throw_if_bad();
        for (Piece& piece : pieces_)
            if (!piece.sewn) cut_evenly(piece);
        number_samples();
        throw_if_bad();
        for (std::size_t p = 0; p < from_.panels.size(); ++p) check_rings(p);
        throw_if_bad();
        join_partners();
        for (std::size_t p = 0; p < from_.panels.size(); ++p) {
            fill_panel(p);
            out_.panels[p].faces =
                std::size_t(std::count(out_.face_panel.begin(), out_.face_panel.end(), int(p)));
            if (options_.on_panel) options_.on_panel(p + 1, from_.panels.size(), out_.panels[p]);
        }
        place();
        check_mesh();
        throw_if_bad();
        measure_openings();
        for (const double share : {0.25, 0.5, 0.75}) measure_section(share);
        return std::move(out_);
    }

private:
    void problem(std::string place, std::string found, std::string expected)
    {
        problems_.push_back(
            {from_.file.string(), std::move(place), std::move(found), std::move(expected)});
    }
    void throw_if_bad()
    {
        if (!problems_.empty()) throw InputError(std::move(problems_));
    }
    [[nodiscard]] const PatternEdge& edge_of(const Piece& piece) const
    {
        const PatternPanel& panel = from_.panels[piece.panel];
        std::size_t e = piece.edge;
        if (e < panel.outline.size()) return panel.outline[e];
        e -= panel.outline.size();
        for (const PatternRing& hole : panel.holes) {
            if (e < hole.size()) return hole[e];
            e -= hole.size();
        }
        PLEAT_ASSERT(false, "the edge belongs to the panel");
        return panel.outline[0];
    }

    // --- outlines to pieces ---------------------------------------------------------------------

    std::vector<Piece> flatten(std::size_t p, const PatternRing& ring, std::size_t first_edge)
    {
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const PatternEdge& e = ring[i];
            const Vec2& to = ring[(i + 1) % ring.size()].from;
            Piece piece;
            piece.panel = p;
            piece.edge = first_edge + i;
            const int n = e.control.empty() ? 1 : fine_segments;
            for (int k = 0; k < n; ++k)
                piece.line.push_back(bezier(e.from, e.control, to, double(k) / n));
            piece.line.push_back(to);
            piece.measure();
            if (!(piece.length() >= shortest_edge))
                problem(e.place,
                        "the edge \"" + e.name + "\" of panel \"" + from_.panels[p].name +
                            "\" has no length at " + point_text(e.from),
                        "edges of at least a thousandth of a millimetre");
            pieces.push_back(std::move(piece));
        }
        return pieces;
    }

    void cut_outline(std::size_t p)
    {
        const PatternPanel& panel = from_.panels[p];
        std::vector<std::vector<Piece>> rings;
        std::size_t first_edge = 0;
        const auto add = [&](const PatternRing& ring, const std::string& place) {
            const bool one_curve = ring.size() >= 1 && !ring[0].control.empty();
            if (ring.size() < 2 || (ring.size() < 3 && !one_curve && ring[1].control.empty())) {
                problem(place, std::to_string(ring.size()) + " edges",
                        "an outline of three edges or more, or of two with a curve");
                return;
            }
            rings.push_back(flatten(p, ring, first_edge));
            first_edge += ring.size();
        };
        add(panel.outline, panel.place + ".outline");
        for (std::size_t h = 0; h < panel.holes.size(); ++h)
            add(panel.holes[h], panel.place + ".holes[" + std::to_string(h) + "]");
        if (!problems_.empty()) return;
        for (std::size_t r = 0; r < rings.size(); ++r) {
            std::vector<Vec2> points;
            Ring all;
            for (const Piece& piece : rings[r])
                for (std::size_t k = 0; k + 1 < piece.line.size(); ++k) {
                    all.push_back(std::uint32_t(points.size()));
                    points.push_back(piece.line[k]);
                }
            // Walked with the panel on the left.
            if ((twice_area(points, all) > 0) == (r == 0)) continue;
            std::reverse(rings[r].begin(), rings[r].end());
            for (Piece& piece : rings[r]) piece.reverse();
        }
        for (const PatternDart& dart : panel.darts) cut_dart(panel, dart, rings[0]);
        panel_rings_.emplace_back();
        for (std::vector<Piece>& ring : rings) {
            panel_rings_.back().emplace_back();
            for (Piece& piece : ring) {
                panel_rings_.back().back().push_back(pieces_.size());
                pieces_.push_back(std::move(piece));
            }
        }
    }

    /// Sizes of the panels, before anything costs time; too many faces are a problem.
    void measure_panels()
    {
        double area = 0;
        std::size_t largest = 0;
        for (std::size_t p = 0; p < panel_rings_.size(); ++p) {
            PanelReport r{from_.panels[p].name};
            Vec2 low{forever, forever}, high{-forever, -forever};
            for (const auto& ring : panel_rings_[p]) {
                std::vector<Vec2> points;
                for (std::size_t i : ring)
                    points.insert(points.end(), pieces_[i].line.begin(), pieces_[i].line.end() - 1);
                Ring all(points.size());
                std::iota(all.begin(), all.end(), 0u);
                r.area += 0.5 * twice_area(points, all); // holes go the other way round
                for (const Vec2& u : points)
                    for (std::size_t k = 0; k < 2; ++k) {
                        low[k] = std::min(low[k], u[k]);
                        high[k] = std::max(high[k], u[k]);
                    }
            }
            r.width = high[0] - low[0];
            r.height = high[1] - low[1];
            area += r.area;
            out_.panels.push_back(r);
            if (r.area > out_.panels[largest].area) largest = p;
        }
        const double faces = estimated_faces(area, from_.edge_length);
        if (!(faces > double(options_.most_faces))) return;
        const PanelReport& r = out_.panels[largest];
        char found[256], expected[256];
        std::snprintf(found, sizeof found,
                      "%.3g m^2 in edges of %s, about %.3g faces; the largest panel, \"%.80s\", is "
                      "%.3g x %.3g m",
                      area, millimetres(from_.edge_length).c_str(), faces, r.name.c_str(), r.width,
                      r.height);
        std::snprintf(expected, sizeof expected, "at most %zu faces: %s", options_.most_faces,
                      std::max(r.width, r.height) > largest_panel
                          ? "is the drawing in centimetres (\"unit\": 0.01) or millimetres "
                            "(\"unit\": 0.001)?"
                          : "a longer edge_length");
        problem("panels", found, expected);
    }

    /// Replaces the piece of the outline under a dart by a part, two legs and a part.
    void cut_dart(const PatternPanel& panel, const PatternDart& dart, std::vector<Piece>& ring)
    {
        double whole = 0, before = 0;
        for (const Piece& piece : ring)
            if (edge_name(panel, piece) == dart.edge && !piece.dart_leg) whole += piece.length();
        const double middle = dart.at * whole;
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const Piece piece = ring[i];
            if (edge_name(panel, piece) != dart.edge || piece.dart_leg) continue;
            const double a = middle - dart.width / 2 - before, b = a + dart.width;
            if (middle - before > piece.length()) {
                before += piece.length();
                continue;
            }
            const double l = piece.length();
            if (a < shortest_edge || b > l - shortest_edge) break;
            const Vec2 p = piece.at(a / l), q = piece.at(b / l);
            const Vec2 along = q - p;
            const Vec2 inward = normalized(Vec2{-along[1], along[0]});
            const Vec2 apex = 0.5 * (p + q) + dart.depth * inward;
            std::vector<Piece> parts{piece.part(0, a / l), piece, piece, piece.part(b / l, 1)};
            parts[1].line = {p, apex};
            parts[2].line = {apex, q};
            for (std::size_t k : {1u, 2u}) {
                parts[k].measure();
                parts[k].dart_leg = true;
            }
            ring.erase(ring.begin() + std::ptrdiff_t(i));
            ring.insert(ring.begin() + std::ptrdiff_t(i), parts.begin(), parts.end());
            return;
        }
        problem(dart.place,
                "a dart of " + millimetres(dart.width) + " that does not fit on \"" + dart.edge +
                    "\" (" + millimetres(whole) + ") where it is",
                "a narrower dart, or another place along the edge");
    }

    static std::string edge_name(const PatternPanel& panel, const Piece& piece)
    {
        return piece.edge < panel.outline.size() ? panel.outline[piece.edge].name : std::string();
    }

    // --- seams ----------------------------------------------------------------------------------

    void sew_darts(std::size_t p)
    {
        const auto& ring = panel_rings_[p][0];
        int count = 0;
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::size_t next = (i + 1) % ring.size();
            if (!pieces_[ring[i]].dart_leg || !pieces_[ring[next]].dart_leg) continue;
            sew_sides({{ring[i], true}}, {{ring[next], false}},
                      from_.panels[p].name + " dart " + std::to_string(count++), {},
                      from_.panels[p].place);
            ++i;
        }
    }

    bool find_pieces(const PatternEdgeUse& use, bool forward, std::vector<Link>& side)
    {
        std::vector<Link> found;
        for (std::size_t p = 0; p < from_.panels.size(); ++p) {
            if (from_.panels[p].name != use.panel) continue;
            for (const auto& ring : panel_rings_[p])
                for (std::size_t i : ring)
                    if (!pieces_[i].dart_leg && edge_of(pieces_[i]).name == use.edge)
                        found.push_back({i, forward});
        }
        if (!forward) std::reverse(found.begin(), found.end());
        for (const Link& link : found) {
            if (pieces_[link.piece].sewn) {
                problem(use.place, "the edge \"" + use.panel + "." + use.edge + "\" a second time",
                        "each edge in one seam");
                return false;
            }
            pieces_[link.piece].sewn = true;
        }
        side.insert(side.end(), found.begin(), found.end());
        return true;
    }

    void sew(const PatternSeam& seam)
    {
        std::vector<Link> a, b;
        bool good = true;
        for (const PatternEdgeUse& use : seam.a) good = find_pieces(use, true, a) && good;
        for (const PatternEdgeUse& use : seam.b) good = find_pieces(use, false, b) && good;
        if (good) sew_sides(a, b, seam.name, seam.gather, seam.place);
    }

    [[nodiscard]] double length_of(const std::vector<Link>& side) const
    {
        double sum = 0;
        for (const Link& l : side) sum += pieces_[l.piece].length();
        return sum;
    }

    /// Shares of a side's length at which its pieces end, 0 and 1 included.
    [[nodiscard]] std::vector<double> ends_of(const std::vector<Link>& side) const
    {
        const double whole = length_of(side);
        std::vector<double> ends{0};
        double sum = 0;
        for (const Link& l : side) ends.push_back((sum += pieces_[l.piece].length()) / whole);
        ends.back() = 1;
        return ends;
    }

    void sew_sides(const std::vector<Link>& a, const std::vector<Link>& b, const std::string& name,
                   std::optional<double> gather, const std::string& place)
    {
        const SeamReport report{name, length_of(a), length_of(b)};
        out_.seams.push_back(report);
        for (const auto* side : {&a, &b})
            for (const Link& l : *side) pieces_[l.piece].sewn = true;
        if (report.ratio() > largest_mismatch) {
            problem(place,
                    "\"" + name + "\" joins " + millimetres(report.length_a) + " to " +
                        millimetres(report.length_b),
                    "sides whose lengths differ less than fourfold");
            return;
        }
        if (gather ? std::abs(report.ratio() / *gather - 1) > unasked_mismatch - 1
                   : report.ratio() > unasked_mismatch)
            out_.notes.push_back(
                "seam \"" + name + "\": " + millimetres(report.length_a) + " eased onto " +
                millimetres(report.length_b) + " (" + times(report.ratio()) + ")" +
                (gather ? ", not the " + times(*gather) + " it was to be gathered" : ""));

        // Stations: where a piece ends on either side. Nearly equal ends are merged.
        const std::vector<double> ends_a = ends_of(a), ends_b = ends_of(b);
        const double near = snap * from_.edge_length / std::min(report.length_a, report.length_b);
        std::vector<std::array<double, 2>> knots{{0, 0}};
        std::vector<bool> used(ends_b.size());
        for (std::size_t i = 1; i + 1 < ends_a.size(); ++i)
            for (std::size_t j = 1; j + 1 < ends_b.size(); ++j)
                if (!used[j] && std::abs(ends_a[i] - ends_b[j]) <= near &&
                    ends_b[j] > knots.back()[1]) {
                    used[j] = true;
                    knots.push_back({ends_a[i], ends_b[j]});
                    break;
                }
        knots.push_back({1, 1});
        const auto across = [&](double t, std::size_t from) {
            std::size_t k = 1;
            while (k + 1 < knots.size() && knots[k][from] < t) ++k;
            const double t0 = knots[k - 1][from], t1 = knots[k][from];
            const double u0 = knots[k - 1][1 - from], u1 = knots[k][1 - from];
            return u0 + (t - t0) / (t1 - t0) * (u1 - u0);
        };
        std::vector<std::array<double, 2>> stations = knots;
        const auto is_knot = [&](double t, std::size_t side) {
            return std::any_of(knots.begin(), knots.end(),
                               [&](const auto& k) { return k[side] == t; });
        };
        for (double t : ends_a)
            if (!is_knot(t, 0)) stations.push_back({t, across(t, 0)});
        for (double t : ends_b)
            if (!is_knot(t, 1)) stations.push_back({across(t, 1), t});
        std::sort(stations.begin(), stations.end());

        std::vector<std::array<double, 2>> samples{stations[0]};
        for (std::size_t k = 0; k + 1 < stations.size(); ++k) {
            const auto &s = stations[k], &t = stations[k + 1];
            const std::size_t n = std::max(segments_between(a, ends_a, s[0], t[0]),
                                           segments_between(b, ends_b, s[1], t[1]));
            if (samples.size() + n > most_samples) {
                problem(place, "\"" + name + "\" needs more than 20000 points",
                        "a longer edge_length");
                return;
            }
            for (std::size_t i = 1; i <= n; ++i) {
                const double w = double(i) / double(n);
                samples.push_back({s[0] + w * (t[0] - s[0]), s[1] + w * (t[1] - s[1])});
            }
        }
        cut_side(a, ends_a, samples, 0);
        cut_side(b, ends_b, samples, 1);
        sewn_.push_back({a, b, samples.size()});
    }

    /// \pre no piece of the side ends between s and t
    [[nodiscard]] std::size_t segments_between(const std::vector<Link>& side,
                                               const std::vector<double>& ends, double s,
                                               double t) const
    {
        const double middle = 0.5 * (s + t);
        std::size_t i = 0;
        while (i + 1 < side.size() && ends[i + 1] < middle) ++i;
        return pieces_[side[i].piece].segments((t - s) / (ends[i + 1] - ends[i]),
                                               from_.edge_length);
    }

    void cut_side(const std::vector<Link>& side, const std::vector<double>& ends,
                  const std::vector<std::array<double, 2>>& samples, std::size_t column)
    {
        for (std::size_t i = 0; i < side.size(); ++i) {
            Piece& piece = pieces_[side[i].piece];
            const double t0 = ends[i], t1 = ends[i + 1];
            for (const auto& sample : samples) {
                const double share = (sample[column] - t0) / (t1 - t0);
                if (share <= 1e-9 || share >= 1 - 1e-9) continue;
                piece.cuts.push_back(side[i].forward ? share : 1 - share);
            }
            std::sort(piece.cuts.begin(), piece.cuts.end());
        }
    }

    void cut_evenly(Piece& piece) const
    {
        const std::size_t n = piece.segments(1, from_.edge_length);
        for (std::size_t i = 1; i < n; ++i) piece.cuts.push_back(double(i) / double(n));
    }

    // --- samples --------------------------------------------------------------------------------

    void number_samples()
    {
        for (std::size_t p = 0; p < panel_rings_.size(); ++p) {
            std::size_t count = 0;
            for (const auto& ring : panel_rings_[p])
                for (std::size_t i : ring) count += 1 + pieces_[i].cuts.size();
            if (count > most_samples) {
                problem(from_.panels[p].place, std::to_string(count) + " points on its outline",
                        "a longer edge_length; at most 20000");
                continue;
            }
            rings_.emplace_back();
            for (const auto& ring : panel_rings_[p]) {
                rings_.back().emplace_back();
                for (std::size_t i : ring) {
                    Piece& piece = pieces_[i];
                    piece.first = std::uint32_t(u_.size());
                    rings_.back().back().push_back(piece.first);
                    u_.push_back(piece.line.front());
                    sample_piece_.push_back(i);
                    for (double c : piece.cuts) {
                        rings_.back().back().push_back(std::uint32_t(u_.size()));
                        u_.push_back(piece.at(c));
                        sample_piece_.push_back(i);
                    }
                }
                for (std::size_t k = 0; k < ring.size(); ++k)
                    next_piece_[ring[k]] = ring[(k + 1) % ring.size()];
            }
        }
    }

    [[nodiscard]] std::vector<std::uint32_t> samples_of(const Link& link) const
    {
        const Piece& piece = pieces_[link.piece];
        std::vector<std::uint32_t> s(piece.cuts.size() + 1);
        std::iota(s.begin(), s.end(), piece.first);
        s.push_back(pieces_[next_piece_.at(link.piece)].first);
        if (!link.forward) std::reverse(s.begin(), s.end());
        return s;
    }

    void join_partners()
    {
        DisjointSets nodes(u_.size());
        for (const Sewn& s : sewn_) {
            std::vector<std::uint32_t> station(s.samples, 0xffffffffu);
            for (const auto* side : {&s.a, &s.b}) {
                std::size_t at = 0;
                for (const Link& link : *side) {
                    const auto samples = samples_of(link);
                    PLEAT_ASSERT(at + samples.size() <= s.samples, "sides have equal samples");
                    for (std::size_t k = 0; k < samples.size(); ++k) {
                        std::uint32_t& first = station[at + k];
                        if (first == 0xffffffffu)
                            first = samples[k];
                        else
                            nodes.join(first, samples[k]);
                    }
                    at += samples.size() - 1;
                }
            }
        }
        for (std::uint32_t i = 0; i < u_.size(); ++i) root_.push_back(nodes.root(i));
    }

    void check_rings(std::size_t p)
    {
        const PatternPanel& panel = from_.panels[p];
        const auto who = [&](std::size_t ring, std::size_t side) {
            return "edge \"" + edge_of(pieces_[sample_piece_[rings_[p][ring][side]]]).name + "\"";
        };
        if (const auto c = find_crossing(u_, rings_[p])) {
            const std::string a = who(c->ring_a, c->side_a), b = who(c->ring_b, c->side_b);
            problem(panel.place,
                    "the outline of panel \"" + panel.name + "\" crosses itself: " + a +
                        (a == b ? " meets itself" : " meets " + b) + " near " + point_text(c->near),
                    "an outline that meets itself nowhere");
            return;
        }
        for (std::size_t h = 1; h < rings_[p].size(); ++h) {
            bool bad = !is_inside(u_, rings_[p][0], u_[rings_[p][h][0]]);
            for (std::size_t k = 1; k < rings_[p].size(); ++k)
                bad = bad || (k != h && is_inside(u_, rings_[p][k], u_[rings_[p][h][0]]));
            if (bad)
                problem(panel.place + ".holes[" + std::to_string(h - 1) + "]",
                        "a hole outside the outline or inside another hole",
                        "holes inside the outline and apart");
        }
    }

    // --- panels to triangles --------------------------------------------------------------------

    void fill_panel(std::size_t p)
    {
        MeshInput flat;
        std::map<std::uint32_t, std::uint32_t> local;
        std::vector<std::uint32_t> global;
        for (const Ring& ring : rings_[p])
            for (std::uint32_t i : ring) {
                local[i] = std::uint32_t(global.size());
                global.push_back(i);
                flat.node_x.push_back({u_[i][0], u_[i][1], 0});
                flat.material_u.push_back(u_[i]);
            }
        for (const auto& t : triangulate(u_, rings_[p]))
            flat.face_nodes.push_back({local[t[0]], local[t[1]], local[t[2]]});
        flat.face_points = flat.face_nodes;
        if (const auto found = find_mesh_problems(flat); !found.empty()) {
            problem(from_.panels[p].place,
                    "panel \"" + from_.panels[p].name + "\" cannot be filled: " + found[0].found,
                    found[0].expected);
            return;
        }
        Mesh mesh = build_mesh(flat);
        const double l = from_.edge_length;
        MetricField metric(mesh.vert_count(), FieldRule::interpolate);
        for (VertId v : mesh.verts()) metric[v] = identity<2>() * (1 / (l * l));
        Field<NodeId, Vec3> x(FieldRule::interpolate);
        x.values = flat.node_x;
        Field<NodeId, int> sample(mesh.node_count(), FieldRule::agree, 0); // 1 + its sample
        std::vector<NodeId> outline;
        for (std::size_t i = 0; i < global.size(); ++i) {
            outline.push_back(make_id<NodeId>(i));
            sample[outline.back()] = int(global[i]) + 1;
        }
        lock_nodes(mesh, outline);
        FieldSet fields;
        fields.add(x);
        fields.add(metric);
        fields.add(sample);
        remesh_to_metric(mesh, metric, x, fields);

        std::vector<std::uint32_t> vert_of(mesh.vert_count());
        for (VertId v : mesh.verts()) {
            const int s = sample[mesh.node(v)];
            if (s > 0) {
                vert_of[index(v)] = std::uint32_t(s - 1);
                continue;
            }
            vert_of[index(v)] = std::uint32_t(u_.size());
            root_.push_back(std::uint32_t(u_.size()));
            u_.push_back(mesh.u(v));
            sample_piece_.push_back(pieces_.size()); // none
        }
        for (FaceId f : mesh.faces()) {
            const auto& v = mesh[f].verts;
            out_.mesh.face_points.push_back(
                {vert_of[index(v[0])], vert_of[index(v[1])], vert_of[index(v[2])]});
            out_.mesh.face_material.push_back(from_.panels[p].material);
            out_.face_panel.push_back(int(p));
        }
    }

    // --- placing --------------------------------------------------------------------------------

    [[nodiscard]] Vec3 placed(std::size_t p, const Vec2& u) const
    {
        const PatternPlacement& placement = from_.panels[p].placement;
        const Vec2 scaled{placement.scale[0] * u[0], placement.scale[1] * u[1]};
        Vec3 x = Vec3{scaled[0], 0, 0} + scaled[1] * from_.up;
        if (placement.wrap) x = wrapped(*placement.wrap, p, u);
        return apply(placement.transform, x);
    }

    [[nodiscard]] Vec3 wrapped(const PatternWrap& w, std::size_t p, const Vec2& u) const
    {
        const double height = u[1] - w.base[1];
        std::size_t k = 0;
        while (k + 1 < w.radius.size() && w.radius[k + 1].height <= height) ++k;
        double side = w.radius[k].side, front = w.radius[k].front;
        if (k + 1 < w.radius.size() && height > w.radius[k].height) {
            const auto &a = w.radius[k], &b = w.radius[k + 1];
            const double s = (height - a.height) / (b.height - a.height);
            side = a.side + s * (b.side - a.side);
            front = a.front + s * (b.front - a.front);
        }
        double angle = w.angle;
        if (w.sector) {
            const auto [low, high] = extent_at(p, u[1]);
            const double share =
                high > low ? std::clamp((u[0] - low) / (high - low), 0.0, 1.0) : 0.5;
            angle = (*w.sector)[0] + share * ((*w.sector)[1] - (*w.sector)[0]);
        } else {
            // Ramanujan's perimeter of the ellipse at the centre's height.
            const double a = w.radius[0].side, b = w.radius[0].front;
            const double round = pi * (3 * (a + b) - std::sqrt((3 * a + b) * (a + 3 * b)));
            angle += 2 * pi * (u[0] - w.base[0]) / w.turn.value_or(round);
        }
        const Vec3 across = cross(w.axis, w.front);
        return w.centre + height * w.axis + front * std::cos(angle) * w.front +
               side * std::sin(angle) * across;
    }

    /// Where the panel begins and ends at a height, or a little above and below: the points of a
    /// curved hem then lie between its corners, not at them.
    [[nodiscard]] std::array<double, 2> extent_at(std::size_t p, double v) const
    {
        const Ring& ring = rings_[p][0];
        double low = forever, high = -forever, bottom = forever, top = -forever;
        for (std::uint32_t i : ring) {
            bottom = std::min(bottom, u_[i][1]);
            top = std::max(top, u_[i][1]);
        }
        const double reach = extent_reach * (top - bottom);
        for (std::size_t k = 0; k < ring.size(); ++k) {
            const Vec2 &a = u_[ring[k]], &b = u_[ring[(k + 1) % ring.size()]];
            if (std::abs(a[1] - v) <= reach) {
                low = std::min(low, a[0]);
                high = std::max(high, a[0]);
            }
            if (std::min(a[1], b[1]) > v || std::max(a[1], b[1]) < v) continue;
            if (a[1] == b[1]) {
                low = std::min({low, a[0], b[0]});
                high = std::max({high, a[0], b[0]});
                continue;
            }
            const double x = a[0] + (v - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            low = std::min(low, x);
            high = std::max(high, x);
        }
        return {std::min(low, high), high};
    }

    void place()
    {
        if (!problems_.empty()) return;
        std::vector<std::size_t> vert_panel(u_.size(), 0);
        for (std::size_t f = 0; f < out_.face_panel.size(); ++f)
            for (std::uint32_t v : out_.mesh.face_points[f])
                vert_panel[v] = std::size_t(out_.face_panel[f]);
        std::vector<std::uint32_t> node_of(u_.size(), 0xffffffffu), number(u_.size(), 0xffffffffu);
        std::vector<double> weight;
        MeshInput& m = out_.mesh;
        bool labels = false;
        for (std::uint32_t v = 0; v < u_.size(); ++v) {
            std::uint32_t& n = number[root_[v]];
            if (n == 0xffffffffu) {
                n = std::uint32_t(m.node_x.size());
                m.node_x.push_back({});
                m.node_label.push_back(0);
                weight.push_back(0);
            }
            node_of[v] = n;
            m.node_x[n] += placed(vert_panel[v], u_[v]);
            weight[n] += 1;
        }
        for (std::size_t n = 0; n < m.node_x.size(); ++n) m.node_x[n] /= weight[n];
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (const int label = edge_of(pieces_[i]).label; label != 0 && !pieces_[i].dart_leg)
                for (std::uint32_t s : samples_of({i, true})) {
                    m.node_label[node_of[s]] = label;
                    labels = true;
                }
        if (!labels) m.node_label.clear();
        m.material_u = u_;
        for (const auto& f : m.face_points)
            m.face_nodes.push_back({node_of[f[0]], node_of[f[1]], node_of[f[2]]});
        if (std::all_of(m.face_material.begin(), m.face_material.end(),
                        [](int i) { return i == 0; }))
            m.face_material.clear();
    }

    void check_mesh()
    {
        if (!problems_.empty()) return;
        const MeshInput& m = out_.mesh;
        for (const MeshProblem& found : find_mesh_problems(m, 20)) {
            // A face or vert that shows where.
            std::size_t face = 0;
            const auto has = [&](std::uint32_t f) {
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::uint32_t id : found.ids)
                        if ((found.element == MeshElement::material_point
                                 ? m.face_points[f][k]
                                 : m.face_nodes[f][k]) == id)
                            return true;
                return false;
            };
            if (found.element == MeshElement::face && !found.ids.empty())
                face = found.ids[0];
            else
                while (face + 1 < m.face_nodes.size() && !has(std::uint32_t(face))) ++face;
            const PatternPanel& panel = from_.panels[std::size_t(out_.face_panel[face])];
            problem(panel.place,
                    "panel \"" + panel.name + "\" near " +
                        point_text(m.material_u[m.face_points[face][0]]) +
                        " when sewn: " + found.found,
                    found.expected + "; see what its edges are sewn to, in which order, and where "
                                     "panels are placed");
        }
    }

    // --- girths ---------------------------------------------------------------------------------

    /// A stretch of a way around: from one end to another, in rest lengths.
    struct Stretch {
        std::array<std::uint64_t, 2> ends;
        double length = 0;
        std::string name;
    };

    /// Joins stretches at their ends to ways that close.
    static std::vector<GirthReport> closed_ways(const std::vector<Stretch>& stretches)
    {
        std::map<std::uint64_t, std::vector<std::size_t>> at;
        for (std::size_t i = 0; i < stretches.size(); ++i)
            for (const std::uint64_t end : stretches[i].ends) at[end].push_back(i);
        std::vector<bool> used(stretches.size());
        std::vector<GirthReport> ways;
        for (std::size_t first = 0; first < stretches.size(); ++first) {
            if (used[first]) continue;
            GirthReport way;
            std::vector<std::string> names;
            std::uint64_t end = stretches[first].ends[0];
            for (std::size_t i = first; i < stretches.size();) {
                used[i] = true;
                const Stretch& s = stretches[i];
                way.length += s.length;
                if (!s.name.empty() && std::find(names.begin(), names.end(), s.name) == names.end())
                    names.push_back(s.name);
                end = s.ends[0] == end ? s.ends[1] : s.ends[0];
                i = stretches.size();
                for (const std::size_t next : at[end])
                    if (!used[next]) i = next;
            }
            if (end != stretches[first].ends[0]) continue;
            for (const std::string& name : names)
                way.name += (way.name.empty() ? "" : " + ") + name;
            ways.push_back(std::move(way));
        }
        std::sort(ways.begin(), ways.end(),
                  [](const GirthReport& a, const GirthReport& b) { return a.length > b.length; });
        return ways;
    }

    void measure_openings()
    {
        const MeshInput& m = out_.mesh;
        std::map<std::array<std::uint32_t, 2>, int> faces; // of an edge
        const auto key = [&](std::size_t f, std::size_t k) {
            const std::uint32_t a = m.face_nodes[f][k], b = m.face_nodes[f][(k + 1) % 3];
            return std::array{std::min(a, b), std::max(a, b)};
        };
        for (std::size_t f = 0; f < m.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) ++faces[key(f, k)];
        std::vector<Stretch> border;
        for (std::size_t f = 0; f < m.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                if (faces[key(f, k)] != 1) continue;
                const std::uint32_t a = m.face_points[f][k], b = m.face_points[f][(k + 1) % 3];
                // Faces have their panel on the left as outlines do: the piece that starts at a.
                const std::size_t piece = sample_piece_[a];
                border.push_back({{m.face_nodes[f][k], m.face_nodes[f][(k + 1) % 3]},
                                  norm(u_[b] - u_[a]),
                                  piece < pieces_.size() ? from_.panels[pieces_[piece].panel].name +
                                                               "." + edge_of(pieces_[piece]).name
                                                         : std::string()});
            }
        for (GirthReport& way : closed_ways(border)) {
            way.name = "opening " + way.name;
            out_.girths.push_back(std::move(way));
        }
    }

    /// The level cut through the placed garment, measured in the panels.
    void measure_section(double share)
    {
        const MeshInput& m = out_.mesh;
        double low = forever, high = -forever;
        for (const Vec3& x : m.node_x) {
            low = std::min(low, dot(x, from_.up));
            high = std::max(high, dot(x, from_.up));
        }
        const double level = low + share * (high - low);
        std::vector<Stretch> cuts;
        for (std::size_t f = 0; f < m.face_nodes.size(); ++f) {
            std::array<std::uint64_t, 2> ends{};
            std::array<Vec2, 2> u{};
            std::size_t count = 0;
            for (std::size_t k = 0; k < 3 && count < 2; ++k) {
                const std::size_t j = (k + 1) % 3;
                const std::uint32_t a = m.face_nodes[f][k], b = m.face_nodes[f][j];
                const double ha = dot(m.node_x[a], from_.up) - level;
                const double hb = dot(m.node_x[b], from_.up) - level;
                if ((ha >= 0) == (hb >= 0)) continue;
                ends[count] = std::uint64_t(std::min(a, b)) << 32 | std::max(a, b);
                const Vec2 &ua = m.material_u[m.face_points[f][k]],
                           &ub = m.material_u[m.face_points[f][j]];
                u[count++] = ua + ha / (ha - hb) * (ub - ua);
            }
            if (count == 2) cuts.push_back({ends, norm(u[1] - u[0]), ""});
        }
        for (GirthReport& way : closed_ways(cuts)) {
            char text[64];
            std::snprintf(text, sizeof text, "around at height %.2f m", level);
            way.name = text;
            out_.girths.push_back(std::move(way));
        }
    }

    struct Sewn {
        std::vector<Link> a, b;
        std::size_t samples;
    };

    const Pattern& from_;
    const GarmentOptions& options_;
    std::vector<Piece> pieces_;
    std::vector<std::vector<std::vector<std::size_t>>> panel_rings_; // pieces by panel and ring
    std::map<std::size_t, std::size_t> next_piece_;
    std::vector<Sewn> sewn_;
    std::vector<Vec2> u_; // samples of the outlines, then what fills the panels
    std::vector<std::size_t> sample_piece_;
    std::vector<std::vector<Ring>> rings_; // by panel
    std::vector<std::uint32_t> root_;      // partners have the same
    Garment out_;
    std::vector<Problem> problems_;
};

} // namespace

double estimated_faces(double area, double edge_length)
{
    // 4.5 to 4.6 in the shipped patterns at 20 and 50 mm: edges are at most as long as told.
    constexpr double faces_a_square = 4.6;
    return faces_a_square * area / (edge_length * edge_length);
}

Garment make_garment(const Pattern& pattern, const GarmentOptions& options)
{
    return GarmentMaker(pattern, options).run();
}

} // namespace pleat
