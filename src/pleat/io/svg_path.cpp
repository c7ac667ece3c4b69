// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/svg_path.hpp"

#include "pleat/core/error.hpp"
#include "pleat/io/text_fields.hpp"

#include <pugixml.hpp>

#include <cmath>
#include <numbers>
#include <utility>

namespace pleat {

namespace {

constexpr double largest_coordinate = 1e9;      // user units; far beyond any drawing
constexpr std::size_t most_segments = 1u << 20; // of one path

bool is_space(char c)
{
    return is_blank(c) || c == '\n';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class PathParser {
public:
    PathParser(std::string_view data, const std::string& file, const std::string& place)
        : data_(data), file_(file), place_(place)
    {}

    std::vector<PathRing> run()
    {
        skip_space();
        if (at_ == data_.size()) fail("a path without data", "M x y ... Z");
        while (at_ < data_.size()) {
            const char command = data_[at_];
            if (!is_letter(command)) fail("no command", "one of M L H V C S Q T A Z");
            ++at_;
            if (rings_.empty() && !open_ && command != 'M' && command != 'm')
                fail("a path that starts with " + std::string(1, command), "M x y first");
            read(command);
            skip_space();
        }
        close();
        if (rings_.empty()) fail("a path without lines or curves", "a closed outline");
        return std::move(rings_);
    }

private:
    [[noreturn]] void fail(std::string found, std::string expected) const
    {
        throw InputError(Problem{file_, place_ + ", character " + std::to_string(at_ + 1),
                                 std::move(found), std::move(expected)});
    }

    void skip_space()
    {
        while (at_ < data_.size() && is_space(data_[at_])) ++at_;
    }
    void skip_separator()
    {
        skip_space();
        if (at_ < data_.size() && data_[at_] == ',') {
            ++at_;
            skip_space();
        }
    }

    [[nodiscard]] bool number_follows() const
    {
        std::size_t i = at_;
        while (i < data_.size() && (is_space(data_[i]) || data_[i] == ',')) ++i;
        return i < data_.size() &&
               (is_digit(data_[i]) || data_[i] == '.' || data_[i] == '-' || data_[i] == '+');
    }

    double number()
    {
        skip_separator();
        const std::size_t first = at_;
        std::size_t i = at_;
        const auto digits = [&] {
            while (i < data_.size() && is_digit(data_[i])) ++i;
        };
        if (i < data_.size() && (data_[i] == '-' || data_[i] == '+')) ++i;
        digits();
        if (i < data_.size() && data_[i] == '.') {
            ++i;
            digits();
        }
        if (i < data_.size() && (data_[i] == 'e' || data_[i] == 'E')) {
            ++i;
            if (i < data_.size() && (data_[i] == '-' || data_[i] == '+')) ++i;
            digits();
        }
        double value = 0;
        if (parse_real(data_.substr(first, i - first), value) != NumberKind::good)
            fail(quote_field(data_.substr(first, std::min<std::size_t>(i - first + 1, 20))),
                 "a number");
        if (!(std::abs(value) <= largest_coordinate))
            fail("a number beyond 1e9", "smaller numbers");
        at_ = i;
        return value;
    }

    bool flag()
    {
        skip_separator();
        if (at_ >= data_.size() || (data_[at_] != '0' && data_[at_] != '1'))
            fail("no flag", "0 or 1");
        return data_[at_++] == '1';
    }

    Vec2 point(bool relative)
    {
        const double x = number(), y = number();
        return relative ? here_ + Vec2{x, y} : Vec2{x, y};
    }

    void add(std::vector<Vec2> control, const Vec2& to)
    {
        if (!open_) { // behind Z: a new subpath from the same start
            open_ = true;
            ring_.clear();
            start_ = here_;
        }
        if (++segments_ > most_segments) fail("more than a million segments", "a smaller path");
        if (!is_finite(to) || norm(to) > largest_coordinate)
            fail("a point beyond 1e9", "smaller numbers");
        ring_.push_back({here_, std::move(control)});
        here_ = to;
    }

    void close()
    {
        if (open_ && !ring_.empty()) {
            if (here_ != start_) ring_.push_back({here_, {}});
            rings_.push_back(std::move(ring_));
        }
        ring_.clear();
        open_ = false;
        here_ = start_;
    }

    void read(char command)
    {
        const bool relative = command >= 'a';
        const char kind = relative ? static_cast<char>(command - 'a' + 'A') : command;
        if (kind == 'Z') {
            close();
            last_ = 'Z';
            return;
        }
        bool first = true;
        do {
            read_once(kind, relative, first);
            first = false;
        } while (number_follows());
    }

    void read_once(char kind, bool relative, bool first)
    {
        switch (kind) {
        case 'M':
            if (first) {
                close();
                here_ = start_ = point(relative);
                open_ = true;
                ring_.clear();
            } else {
                add({}, point(relative));
            }
            break;
        case 'L':
            add({}, point(relative));
            break;
        case 'H': {
            const double x = number();
            add({}, {relative ? here_[0] + x : x, here_[1]});
            break;
        }
        case 'V': {
            const double y = number();
            add({}, {here_[0], relative ? here_[1] + y : y});
            break;
        }
        case 'C':
        case 'S': {
            const bool smooth = last_ == 'C' || last_ == 'S';
            const Vec2 a = kind == 'C' ? point(relative) : smooth ? 2.0 * here_ - control_ : here_;
            const Vec2 b = point(relative), to = point(relative);
            add({a, b}, to);
            control_ = b;
            break;
        }
        case 'Q':
        case 'T': {
            const bool smooth = last_ == 'Q' || last_ == 'T';
            const Vec2 a = kind == 'Q' ? point(relative) : smooth ? 2.0 * here_ - control_ : here_;
            const Vec2 to = point(relative);
            add({a}, to);
            control_ = a;
            break;
        }
        case 'A': {
            const double rx = number(), ry = number(), turn = number();
            const bool large = flag(), sweep = flag();
            arc(rx, ry, turn * std::numbers::pi / 180, large, sweep, point(relative));
            break;
        }
        default:
            fail("the command " + std::string(1, kind), "one of M L H V C S Q T A Z");
        }
        last_ = kind;
    }

    /// [SVG2] app. B.2.4: from ends to centre, then cubics.
    void arc(double rx, double ry, double turn, bool large, bool sweep, const Vec2& to)
    {
        rx = std::abs(rx);
        ry = std::abs(ry);
        if (to == here_) return;
        if (rx == 0 || ry == 0) {
            add({}, to);
            return;
        }
        const double c = std::cos(turn), s = std::sin(turn);
        const auto in = [&](const Vec2& p) { // into the frame in which the ellipse is a circle
            return Vec2{(c * p[0] + s * p[1]) / rx, (-s * p[0] + c * p[1]) / ry};
        };
        const auto out = [&](const Vec2& p) {
            const double x = p[0] * rx, y = p[1] * ry;
            return Vec2{c * x - s * y, s * x + c * y};
        };
        const Vec2 half = in(0.5 * (to - here_));
        const double length2 = norm2(half);
        double grow = 1, aside = 0; // radii too small are scaled up
        if (length2 >= 1)
            grow = std::sqrt(length2);
        else
            aside = std::sqrt(1 / length2 - 1) * (large == sweep ? 1 : -1);
        const Vec2 middle{aside * half[1],
                          -aside * half[0]}; // from the chord's middle, unit circle
        const Vec2 p0 = (-half - middle) / grow, p1 = (half - middle) / grow;
        const double a0 = std::atan2(p0[1], p0[0]);
        double sweep_angle = std::atan2(p1[1], p1[0]) - a0;
        if (sweep && sweep_angle < 0) sweep_angle += 2 * std::numbers::pi;
        if (!sweep && sweep_angle > 0) sweep_angle -= 2 * std::numbers::pi;
        const int pieces =
            std::max(1, int(std::ceil(std::abs(sweep_angle) * 2 / std::numbers::pi - 1e-9)));
        const double step = sweep_angle / pieces, k = 4.0 / 3 * std::tan(step / 4);
        const Vec2 centre = 0.5 * (here_ + to) + out(middle);
        for (int i = 0; i < pieces; ++i) {
            const double a = a0 + step * i, b = a + step;
            const Vec2 pa{std::cos(a), std::sin(a)}, pb{std::cos(b), std::sin(b)};
            const auto at = [&](const Vec2& p) { return centre + out(grow * p); };
            add({at(pa + k * Vec2{-pa[1], pa[0]}), at(pb - k * Vec2{-pb[1], pb[0]})},
                i + 1 == pieces ? to : at(pb));
        }
    }

    std::string_view data_;
    std::string file_, place_;
    std::size_t at_ = 0, segments_ = 0;
    std::vector<PathRing> rings_;
    PathRing ring_;
    Vec2 here_{}, start_{}, control_{};
    bool open_ = false;
    char last_ = ' ';
};

/// Collects the paths; knows which of the elements around have a transform.
class PathCollector final : public pugi::xml_tree_walker {
public:
    explicit PathCollector(const std::string& file) : file_(file) {}

    bool for_each(pugi::xml_node& node) override
    {
        if (node.type() != pugi::node_element) return true;
        const auto level = std::size_t(depth());
        const bool is_inside = level > 0 && level <= transformed_.size() && transformed_[level - 1];
        transformed_.resize(level);
        transformed_.push_back(is_inside || node.attribute("transform"));
        const std::string_view whole = node.name();
        const std::string_view name = whole.substr(whole.find(':') + 1); // without a prefix
        if (name == "svg") has_svg = true;
        const pugi::xml_attribute id = node.attribute("id"), data = node.attribute("d");
        if (name != "path" || !id || !data) return true;
        if (transformed_.back())
            throw InputError(Problem{file_, "path \"" + std::string(id.value()) + "\"",
                                     "a transform on the path or around it",
                                     "a drawing without: apply transforms in the drawing program"});
        paths.push_back({id.value(), data.value()});
        return true;
    }

    std::vector<SvgPath> paths;
    bool has_svg = false;

private:
    std::string file_;
    std::vector<bool> transformed_; // the open elements, from the root on
};

} // namespace

std::vector<PathRing> parse_svg_path(std::string_view data, const std::string& file,
                                     const std::string& place)
{
    return PathParser(data, file, place).run();
}

std::vector<SvgPath> parse_svg(std::string_view text, const std::string& file)
{
    pugi::xml_document document;
    const pugi::xml_parse_result read = document.load_buffer(text.data(), text.size());
    if (!read && read.status != pugi::status_no_document_element)
        throw InputError(Problem{file, "byte " + std::to_string(read.offset + 1),
                                 read.description(), "well-formed XML"});
    PathCollector collector(file);
    document.traverse(collector);
    if (!collector.has_svg) throw InputError(Problem{file, "", "no svg element", "an SVG drawing"});
    return std::move(collector.paths);
}

} // namespace pleat
