// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/mesh_sequence.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <system_error>

namespace pleat {

namespace {

// More digits than any index has; a width of a million would make file names of a megabyte.
constexpr std::size_t most_width = 20;

/// A pattern cut at its number. printf is never given a user's pattern.
struct Pattern {
    std::string before, after;
    std::size_t width = 0;
    char fill = ' ';
};

/// \return the length of the conversion that starts at text[0] == '%', or 0.
std::size_t read_conversion(std::string_view text, Pattern& pattern)
{
    std::size_t i = 1;
    pattern.fill = i < text.size() && text[i] == '0' ? '0' : ' ';
    pattern.width = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
        pattern.width = std::min<std::size_t>(pattern.width * 10 + (text[i] - '0'), most_width + 1);
    if (i == text.size() || pattern.width > most_width) return 0;
    return text[i] == 'd' || text[i] == 'i' || text[i] == 'u' ? i + 1 : 0;
}

/// \param number_count how many numbers the pattern has; \return nothing where a % is no number.
std::optional<Pattern> read_pattern(std::string_view text, std::size_t& number_count)
{
    Pattern pattern;
    number_count = 0;
    for (std::size_t i = 0; i < text.size();) {
        std::string& part = number_count == 0 ? pattern.before : pattern.after;
        if (text[i] != '%') {
            part += text[i++];
        } else if (text.substr(i).starts_with("%%")) {
            part += '%';
            i += 2;
        } else {
            const std::size_t length = read_conversion(text.substr(i), pattern);
            if (length == 0) return std::nullopt;
            ++number_count;
            i += length;
        }
    }
    return pattern;
}

bool exists(const std::string& file)
{
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
}

std::string describe_face(const std::array<std::uint32_t, 3>& face)
{
    return "a triangle of vertices " + std::to_string(face[0] + 1) + " " +
           std::to_string(face[1] + 1) + " " + std::to_string(face[2] + 1);
}

/// \throw InputError at the first difference.
void check_same_topology(const ObjFile& first, const std::string& first_name, const ObjFile& other,
                         const std::string& name)
{
    const auto& faces_a = first.mesh.face_nodes;
    const auto& faces_b = other.mesh.face_nodes;
    const std::string as_in = ", as in " + first_name;
    if (first.mesh.node_x.size() != other.mesh.node_x.size())
        throw InputError(Problem{name, "", std::to_string(other.mesh.node_x.size()) + " vertices",
                                 std::to_string(first.mesh.node_x.size()) + as_in});
    const std::size_t shared = std::min(faces_a.size(), faces_b.size());
    for (std::size_t i = 0; i < shared; ++i) {
        if (faces_a[i] == faces_b[i]) continue;
        throw InputError(Problem{
            name, "line " + std::to_string(other.face_line[i]), describe_face(faces_b[i]),
            describe_face(faces_a[i]) + as_in + " line " + std::to_string(first.face_line[i])});
    }
    if (faces_a.size() != faces_b.size())
        throw InputError(Problem{name, "", std::to_string(faces_b.size()) + " triangles",
                                 std::to_string(faces_a.size()) + as_in});
}

} // namespace

bool is_sequence_pattern(std::string_view pattern)
{
    std::size_t number_count = 0;
    return read_pattern(pattern, number_count) && number_count > 0;
}

std::string sequence_file(std::string_view pattern, int index)
{
    PLEAT_ASSERT(index >= 0, "files are numbered from 0 on");
    std::size_t number_count = 0;
    const std::optional<Pattern> parts = read_pattern(pattern, number_count);
    if (!parts || number_count != 1)
        throw InputError(Problem{std::string(pattern), "",
                                 !parts ? "a % that is not a place for a number"
                                        : std::to_string(number_count) + " places for a number",
                                 "a pattern with one number, such as body_%04d.obj"});
    const std::string number = std::to_string(index);
    const std::size_t padding = parts->width - std::min(parts->width, number.size());
    return parts->before + std::string(padding, parts->fill) + number + parts->after;
}

SequenceFiles find_sequence(const std::filesystem::path& pattern, int first)
{
    const std::string text = pattern.string();
    SequenceFiles found;
    int index = first;
    for (; index < std::numeric_limits<int>::max(); ++index) {
        std::string file = sequence_file(text, index);
        if (!exists(file)) break;
        found.files.emplace_back(std::move(file));
    }
    const bool has_next =
        index < std::numeric_limits<int>::max() - 1 && exists(sequence_file(text, index + 1));
    if (found.files.empty())
        throw InputError(
            Problem{sequence_file(text, first), "", "the first file of " + text + " is missing",
                    has_next ? "that file; there is one of number " + std::to_string(first + 1)
                             : "files numbered from " + std::to_string(first) + " on"});
    if (has_next)
        found.notes.push_back(text + " ends before number " + std::to_string(index) +
                              ", which is missing, although there is a number " +
                              std::to_string(index + 1));
    return found;
}

MeshSequence read_sequence(std::vector<std::filesystem::path> files)
{
    PLEAT_ASSERT(!files.empty(), "a sequence has a first file");
    MeshSequence sequence;
    sequence.files = std::move(files);
    sequence.first = read_obj(sequence.files.front());
    sequence.frame_x.push_back(sequence.first.mesh.node_x);
    const std::string first_name = sequence.files.front().string();
    for (const std::string& note : sequence.first.notes)
        sequence.notes.emplace_back(first_name).append(": ").append(note);
    for (std::size_t i = 1; i < sequence.files.size(); ++i) {
        ObjFile other = read_obj(sequence.files[i]);
        check_same_topology(sequence.first, first_name, other, sequence.files[i].string());
        sequence.frame_x.push_back(std::move(other.mesh.node_x));
    }
    return sequence;
}

} // namespace pleat
