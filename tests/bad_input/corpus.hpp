// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The table of tests/bad_input/README.md: the defect of each file, and what the message must
// contain.
#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

struct BadInput {
    std::string file; // relative to tests/bad_input
    std::string defect;
    std::vector<std::string> message_contains;
    std::string found_by; // "reader", "mesh check", ...
};

inline std::filesystem::path bad_input_folder()
{
    return std::filesystem::path(PLEAT_SOURCE_DIR) / "tests" / "bad_input";
}

/// The rows of the table, in its order.
inline std::vector<BadInput> read_bad_inputs()
{
    std::ifstream in(bad_input_folder() / "README.md");
    std::vector<BadInput> rows;
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("| ") || line.starts_with("| file |")) continue;
        std::vector<std::string> cells;
        for (std::size_t at = 2; at < line.size();) {
            const std::size_t end = line.find(" |", at);
            if (end == std::string::npos) break;
            cells.push_back(line.substr(at, end - at));
            at = end + 3;
        }
        if (cells.size() != 4) continue;
        BadInput row{cells[0], cells[1], {}, cells[3]};
        for (std::size_t at = cells[2].find('`'); at != std::string::npos;) {
            const std::size_t end = cells[2].find('`', at + 1);
            if (end == std::string::npos) break;
            row.message_contains.push_back(cells[2].substr(at + 1, end - at - 1));
            at = cells[2].find('`', end + 1);
        }
        rows.push_back(row);
    }
    return rows;
}

/// Whether the words are in the message and no digit follows them ("line 1" is not in "line 12").
inline bool says(std::string_view message, std::string_view words)
{
    for (std::size_t at = message.find(words); at != std::string_view::npos;
         at = message.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if (end == message.size() || std::isdigit(static_cast<unsigned char>(message[end])) == 0)
            return true;
    }
    return false;
}

} // namespace pleat
