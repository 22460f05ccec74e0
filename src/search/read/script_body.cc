// SPDX-License-Identifier: Apache-2.0
#include "search/read/script_body.h"

#include <optional>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

Status check_language(const std::optional<std::string>& lang) {
  if (!lang || *lang == "painless") return ok_status();
  return illegal_argument("script_lang not supported [" + *lang + "]: there is [painless]");
}

}  // namespace

Result<index::Script> read_script_body(std::string_view text, const Json& given,
                                       const std::string& path, const KeptScript& find) {
  if (given.is_string()) return index::Script{.source = given.as_string()};
  if (!given.is_object())
    return parsing_error(text, path, "a script is a text, or an object with [source] or [id]");
  Reader in(given, text, path, "script", Reader::Style::strict);
  CAIRN_TRY(const auto source, in.string("source"));
  CAIRN_TRY(const auto id, in.string("id"));
  CAIRN_TRY(const auto lang, in.string("lang"));
  CAIRN_TRY(const Json* params, in.object("params"));
  CAIRN_TRY(const Json* options, in.object("options"));
  CAIRN_CHECK(in.finish());
  if (source.has_value() == id.has_value())
    return illegal_argument(
        "must specify either [source] for an inline script or [id] for a stored "
        "script");
  if (options != nullptr && !options->as_object().empty())
    return illegal_argument("[painless] has no compiler options: leave [options] out");
  if (id && lang) return illegal_argument("illegally specified <lang> for a stored script");
  CAIRN_CHECK(check_language(lang));
  index::Script out;
  if (!id) {
    out.source = *source;
  } else if (find) {
    CAIRN_TRY(out, find(*id));
  } else {
    out.id = *id;
  }
  if (params != nullptr) out.params = *params;
  return out;
}

Result<index::Script> as_script(const std::string& id, std::string_view lang,
                                const std::string& source) {
  if (lang == "painless") return index::Script{.source = source, .id = id};
  return illegal_argument("the stored script [" + id + "] is of the language [" +
                          std::string(lang) + "]: queries take those in [painless]");
}

}  // namespace cairn::search
