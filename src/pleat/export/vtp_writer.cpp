// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Arrays are appended as raw bytes: after the mark _ each array is its length in bytes (uint64) and
// its values, little-endian. The XML in front of them has the offset of each.
#include "pleat/export/vtp_writer.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/geometry/decompose.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace pleat {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

std::string shortest(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
}

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '&'   ? "&amp;"
               : c == '<' ? "&lt;"
               : c == '>' ? "&gt;"
               : c == '"' ? "&quot;"
                          : std::string(1, c);
    return out;
}

/// The arrays of a file, in order.
class Appended {
public:
    /// \return the element that stands for the array
    template <class T>
    std::string add(const char* type, const char* name, int components,
                    const std::vector<T>& values)
    {
        const std::string element = std::string("<DataArray type=\"") + type + "\" Name=\"" + name +
                                    "\" NumberOfComponents=\"" + std::to_string(components) +
                                    "\" format=\"appended\" offset=\"" +
                                    std::to_string(bytes_.size()) + "\"/>\n";
        const std::uint64_t size = values.size() * sizeof(T);
        append(&size, sizeof size);
        append(values.data(), size);
        return element;
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void append(const void* data, std::size_t size)
    {
        if (size > 0) bytes_.append(static_cast<const char*>(data), size);
    }
    std::string bytes_;
};

/// Larger and smaller principal strain of each face.
std::vector<double> principal_strains(const VtpMesh& m)
{
    std::vector<double> strains;
    for (const auto& f : m.faces) {
        const auto x = [&](std::size_t k) { return m.x[m.vert_node[f[k]]]; };
        const Mat2 du = from_columns(m.u[f[1]] - m.u[f[0]], m.u[f[2]] - m.u[f[0]]);
        const Vec2 s = svd(from_columns(x(1) - x(0), x(2) - x(0)) * inverse(du)).s;
        strains.push_back(s[0] - 1);
        strains.push_back(s[1] - 1);
    }
    return strains;
}

std::string point_data(const VtpMesh& m, Appended& arrays)
{
    const bool has_verts = !m.u.empty();
    std::string text = "<PointData";
    if (!m.v.empty()) text += " Vectors=\"velocity\"";
    if (has_verts) text += " TCoords=\"material\"";
    text += ">\n";
    if (!m.v.empty()) {
        std::vector<double> values;
        for (std::size_t i = 0; i < (has_verts ? m.u.size() : m.x.size()); ++i)
            for (const double c : m.v[has_verts ? m.vert_node[i] : i].e) values.push_back(c);
        text += arrays.add("Float64", "velocity", 3, values);
    }
    if (has_verts) {
        std::vector<double> values;
        for (const Vec2& u : m.u) values.insert(values.end(), u.e.begin(), u.e.end());
        text += arrays.add("Float64", "material", 2, values);
        text += arrays.add("Int32", "node", 1,
                           std::vector<std::int32_t>(m.vert_node.begin(), m.vert_node.end()));
    }
    return text + "</PointData>\n";
}

std::string cell_data(const VtpMesh& m, Appended& arrays)
{
    std::string text = "<CellData>\n";
    if (!m.u.empty()) text += arrays.add("Float64", "strain", 2, principal_strains(m));
    if (!m.face_panel.empty())
        text += arrays.add("Int32", "panel", 1,
                           std::vector<std::int32_t>(m.face_panel.begin(), m.face_panel.end()));
    return text + "</CellData>\n";
}

} // namespace

void write_vtp(const std::filesystem::path& path, const VtpMesh& m)
{
    PLEAT_ASSERT(m.u.size() == m.vert_node.size(), "one node a vert");
    PLEAT_ASSERT(m.v.empty() || m.v.size() == m.x.size(), "one velocity a node");
    const bool has_verts = !m.u.empty();
    const std::size_t points = has_verts ? m.u.size() : m.x.size();
    PLEAT_ASSERT(points <= std::numeric_limits<std::int32_t>::max(), "indices fit in int");
    Appended arrays;
    std::string text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n";
    text +=
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
        shortest(m.time) + "</DataArray>\n</FieldData>\n";
    text += "<Piece NumberOfPoints=\"" + std::to_string(points) +
            "\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" +
            std::to_string(m.faces.size()) + "\">\n";
    text += point_data(m, arrays) + cell_data(m, arrays);
    std::vector<double> x;
    for (std::size_t i = 0; i < points; ++i)
        for (const double c : m.x[has_verts ? m.vert_node[i] : i].e) x.push_back(c);
    std::vector<std::int64_t> connectivity, offsets;
    for (const auto& f : m.faces) {
        for (const std::uint32_t corner : f) connectivity.push_back(corner);
        offsets.push_back(std::int64_t(connectivity.size()));
    }
    text += "<Points>\n" + arrays.add("Float64", "Points", 3, x) + "</Points>\n<Polys>\n" +
            arrays.add("Int64", "connectivity", 1, connectivity) +
            arrays.add("Int64", "offsets", 1, offsets) + "</Polys>\n</Piece>\n</PolyData>\n";
    text += "<AppendedData encoding=\"raw\">\n_";
    AtomicFile file(path);
    file.append(text);
    file.append(arrays.bytes());
    file.append("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

void write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries)
{
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\">\n<Collection>\n";
    for (const PvdEntry& e : entries)
        text += "<DataSet timestep=\"" + shortest(e.time) + "\" group=\"\" part=\"" +
                std::to_string(e.part) + "\" name=\"" + escaped(e.name) + "\" file=\"" +
                escaped(e.file.generic_string()) + "\"/>\n";
    AtomicFile file(path);
    file.append(text + "</Collection>\n</VTKFile>\n");
    file.commit();
}

} // namespace pleat
