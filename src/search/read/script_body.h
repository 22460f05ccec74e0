// SPDX-License-Identifier: Apache-2.0
// Scripts in requests.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "index/query.h"

namespace cairn::search {

/// Gives the script of a name that it is kept by.
using KeptScript = std::function<Result<index::Script>(const std::string& id)>;

/// A script as a text, or as an object: {"source" or "id", "lang", "params", "options"}. `text` is
/// what it stands in, `path` where. Without `find` one that is kept comes without its source.
/// Errors: parsing_exception, illegal_argument_exception, and those of `find`.
Result<index::Script> read_script_body(std::string_view text, const Json& given,
                                       const std::string& path, const KeptScript& find);

/// The script of a kept one as queries take it. Errors: illegal_argument_exception for another
/// language.
Result<index::Script> as_script(const std::string& id, std::string_view lang,
                                const std::string& source);

}  // namespace cairn::search
