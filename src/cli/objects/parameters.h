// SPDX-License-Identifier: Apache-2.0
// Parameters of an operation as options of a command line, by the operation's own description.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/arguments.h"
#include "objectclient/value.h"
#include "s3/operations/shape.h"

namespace cairn::cli {

/// True where two names are the same but for case, '-' and '_': "MaxKeys", "max-keys", "max_keys".
bool is_same_name(std::string_view a, std::string_view b);

/// "--max-keys" of "max_keys".
std::string option_of_parameter(std::string_view parameter);

/// An option for each parameter.
void add_parameters(const s3::Shape& input, Syntax& syntax);

/// Options as the syntax spells them: "--MaxKeys" and "--max_keys" become "--max-keys".
std::vector<std::string> with_known_spelling(std::vector<std::string> words, const Syntax& syntax);

/// What was given, and what cannot be read of it. A parameter that cannot be read stands in
/// `params` as its text, which the client will refuse, so that it names all other faults too.
struct GivenParameters {
  objectclient::Params params = {};
  std::vector<std::string> faults = {};
};

/// Structures, lists and maps are JSON (`{"rules":[…]}`, with names in any spelling), or a file
/// with it: `@FILE` or `file://FILE`. Maps may be `a=b,c=d`, lists of texts `a,b`. Texts that are
/// documents and secrets come from files too.
/// Errors: not_found, permission_denied (files).
Result<GivenParameters> read_parameters(const s3::Shape& input, const Arguments& arguments);

/// `a=b,c=d`, JSON, or a file, as a map of texts. Errors: invalid_argument; those of files.
Result<objectclient::Value> read_text_map(std::string_view text);

/// The text, or the contents of the file that `@FILE`, `file://FILE` or `fileb://FILE` names.
Result<std::string> text_or_file(std::string_view text);

}  // namespace cairn::cli
