// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The format of scene files, for editors and for the documentation: both are made from the
// descriptions that the reader uses.
#pragma once

#include <string>

namespace pleat {

/// The JSON schema of scene files: docs/scene.schema.json.
[[nodiscard]] std::string scene_schema_text();

/// The page with its tables of keys made anew. A table stands between the lines
/// `<!-- keys of KIND -->` and `<!-- end of keys -->`, where KIND is a definition of the schema.
/// \throw InputError where a kind is unknown or an end is missing.
[[nodiscard]] std::string with_key_tables(const std::string& page, const std::string& file_name);

} // namespace pleat
