// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/motion_file.hpp"

#include "pleat/io/file_bytes.hpp"
#include "pleat/io/line_problems.hpp"
#include "pleat/io/text_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace pleat {

namespace {

// Files round to a few digits, which moves the length by 1e-3 or so; beyond this the four numbers
// are no rotation but something else, for instance angles.
constexpr double quaternion_length_tolerance = 0.05;

// The shortest frame of a body: "0 0 0\n" and "1 0 0 0\n".
constexpr std::size_t least_frame_bytes = 6 + 8;

class MotionReader {
public:
    MotionReader(std::string_view text, const std::string& name)
        : text_(text), lines_(text), problems_(name)
    {}

    MotionFile read()
    {
        if (const NotText bad = find_not_text(text_); bad.line != 0)
            problems_.add(bad.line, bad.found, "a motion file in plain text");
        else if (read_frame_count())
            read_bodies();
        problems_.throw_if_any();
        return std::move(motion_);
    }

private:
    /// Moves to the next line that is not empty.
    bool next_line()
    {
        while (lines_.next()) {
            FieldCursor fields(lines_.line());
            if (!fields.next().empty()) return true;
        }
        return false;
    }

    bool read_frame_count()
    {
        constexpr const char* form = "NumFrames: N with N of 1 or more";
        if (!next_line()) {
            problems_.add(1, "an empty file", form);
            return false;
        }
        FieldCursor fields(lines_.line());
        std::string_view keyword = fields.next();
        std::string_view field = fields.next();
        if (keyword.ends_with(':'))
            keyword.remove_suffix(1); // "NumFrames : 5" and "NumFrames 5"
        else if (field == ":")
            field = fields.next();
        std::int64_t count = 0;
        NumberKind kind = parse_integer(field, count);
        if (kind == NumberKind::out_of_range && !field.starts_with('-')) {
            kind = NumberKind::good;
            count = std::numeric_limits<std::int64_t>::max();
        }
        if (keyword != "NumFrames" || kind != NumberKind::good || count < 1 ||
            !fields.next().empty()) {
            problem(quote_field(lines_.line()), form);
            return false;
        }
        // The last line may lack its end.
        const std::size_t most = (lines_.rest() + 1) / least_frame_bytes;
        if (static_cast<std::uint64_t>(count) > most) {
            problem(quote_field(field) + " frames", "no more than the " +
                                                        std::to_string(text_.size()) +
                                                        " bytes of the file can hold");
            return false;
        }
        motion_.frame_count = static_cast<std::size_t>(count);
        return true;
    }

    void read_bodies()
    {
        while (next_line()) {
            MotionFile::Body& body = motion_.bodies.emplace_back();
            body.name = trimmed(lines_.line());
            if (!check_header("the positions")) return;
            for (std::size_t i = 0; i < motion_.frame_count; ++i) {
                Vec3 x{};
                if (!read_row(x, "x y z", i)) return;
                body.position.push_back(x);
            }
            if (!next_line()) return ends_early("the header line of the quaternions");
            if (!check_header("the quaternions")) return;
            for (std::size_t i = 0; i < motion_.frame_count; ++i) {
                Vec<double, 4> q{};
                if (!read_row(q, "w x y z", i)) return;
                body.quaternion.push_back(unit(q));
            }
        }
        if (motion_.bodies.empty()) ends_early("at least one body");
    }

    static std::string trimmed(std::string_view line)
    {
        while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
        return std::string(line);
    }

    /// A row of numbers where a header belongs means that NumFrames is too small.
    bool check_header(const std::string& what)
    {
        if (lines_.line().size() > max_line_bytes) {
            problem("a line of " + std::to_string(lines_.line().size()) + " bytes",
                    "at most " + std::to_string(max_line_bytes));
            return false;
        }
        FieldCursor fields(lines_.line());
        std::size_t count = 0;
        for (std::string_view f = fields.next(); !f.empty(); f = fields.next(), ++count) {
            double value = 0.0;
            if (parse_real(f, value) != NumberKind::good) return true;
        }
        if (count < 3) return true; // a body may be called by a number
        problem("a row of numbers", "the header line of " + what + " after " +
                                        std::to_string(motion_.frame_count) + " frames");
        return false;
    }

    /// \return false where there is no point in reading on.
    template <std::size_t N> bool read_row(Vec<double, N>& row, const char* form, std::size_t frame)
    {
        const auto expected = [&] {
            return std::string(form) + " of frame " + std::to_string(frame) + ", body " +
                   std::to_string(motion_.bodies.size() - 1);
        };
        if (!next_line()) {
            ends_early(expected());
            return false;
        }
        FieldCursor fields(lines_.line());
        for (std::size_t i = 0; i < N; ++i) {
            const std::string_view field = fields.next();
            const NumberKind kind = parse_real(field, row[i]);
            if (kind == NumberKind::good) continue;
            if (kind == NumberKind::missing) {
                problem(std::to_string(i) + " numbers", expected());
            } else {
                problem(quote_field(field) + " (" + std::string(describe(kind)) + ")", expected());
            }
            row = {};
            row[0] = 1.0;
            // Letters at the front: the next header, so the rows are too few and all that follows
            // would be out of step.
            return !(kind == NumberKind::malformed && i == 0) && !problems_.full();
        }
        if (const std::string_view more = fields.next(); !more.empty())
            problem(quote_field(more) + " too many", expected());
        return !problems_.full();
    }

    Vec<double, 4> unit(const Vec<double, 4>& q)
    {
        const double length = norm(q);
        if (!(std::abs(length - 1.0) <= quaternion_length_tolerance)) {
            std::array<char, 32> text{};
            const auto end = std::to_chars(text.data(), text.data() + text.size(), length,
                                           std::chars_format::general, 3);
            problem("a quaternion of length " + std::string(text.data(), end.ptr), "length 1");
            return {1.0, 0.0, 0.0, 0.0};
        }
        return q / length;
    }

    void ends_early(const std::string& expected)
    {
        problems_.add(std::max(lines_.number(), 1u), "the end of the file", expected);
    }

    void problem(std::string found, std::string expected)
    {
        problems_.add(lines_.number(), std::move(found), std::move(expected));
    }

    std::string_view text_;
    LineCursor lines_;
    LineProblems problems_;
    MotionFile motion_;
};

} // namespace

MotionFile parse_motion_file(std::string_view text, const std::string& name)
{
    return MotionReader(text, name).read();
}

MotionFile read_motion_file(const std::filesystem::path& path)
{
    const FileBytes file = read_file_bytes(path);
    return parse_motion_file(file.text(), path.string());
}

} // namespace pleat
