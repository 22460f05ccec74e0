// SPDX-License-Identifier: Apache-2.0
// Reading the keys of a sort.
#include "base/strings.h"
#include "search/errors.h"
#include "search/read/script_body.h"
#include "search/reader.h"
#include "search/request.h"

namespace cairn::search {
namespace {

using index::SortKey;

constexpr std::size_t nested_levels_max = 20;

SortKey key_of(const std::string& name) {
  SortKey key;
  if (name == "_score") {
    key.by = SortKey::By::score;
    key.descending = true;
  } else if (name == "_doc" || name == "_shard_doc") {
    key.by = SortKey::By::doc;
    key.field = name;
  } else {
    key.by = SortKey::By::field;
    key.field = name;
  }
  return key;
}

Status read_order(const std::string& order, SortKey& key) {
  const std::string lower = lower_ascii(order);
  if (lower != "asc" && lower != "desc")
    return illegal_argument("Unknown SortOrder [" + order + "]; use asc or desc");
  key.descending = lower == "desc";
  return ok_status();
}

Status read_mode(const std::string& mode, SortKey& key) {
  if (mode == "min")
    key.mode = SortKey::Mode::min;
  else if (mode == "max")
    key.mode = SortKey::Mode::max;
  else if (mode == "avg")
    key.mode = SortKey::Mode::avg;
  else if (mode == "sum")
    key.mode = SortKey::Mode::sum;
  else
    return illegal_argument("Unknown SortMode [" + mode + "]; use min, max, avg or sum");
  return ok_status();
}

// Each level is within the one before. The filters are read with the mapping of each index.
Status read_nested(std::string_view text, const std::string& path, const Json& json,
                   SortKey& key) {
  if (!json.is_object()) return parsing_error(text, path, "[nested] must be an object");
  if (key.nested.size() == nested_levels_max)
    return illegal_argument("a sort key takes [" + std::to_string(nested_levels_max) +
                            "] levels of [nested] at most");
  Reader in(json, text, path, "nested_sort", Reader::Style::strict);
  SortKey::Nested out;
  CAIRN_TRY(const auto at, in.string("path"));
  if (!at || at->empty()) return in.fault("path", "[nested] requires a [path]");
  out.path = *at;
  CAIRN_TRY(const Json* filter, in.object("filter"));
  if (filter != nullptr) out.filter = *filter;
  CAIRN_TRY(const auto most, in.integer("max_children"));
  if (most && *most < 1) return illegal_argument("[max_children] must be 1 or more");
  if (most) out.max_children = static_cast<std::size_t>(*most);
  const Json* below = in.any("nested");
  CAIRN_CHECK(in.finish());
  key.nested.push_back(std::move(out));
  return below == nullptr ? ok_status() : read_nested(text, path + ".nested", *below, key);
}

Status read_settings(std::string_view text, const std::string& name, const Json& settings,
                     SortKey& key, std::string& format) {
  Reader in(settings, text, "sort." + name, "field_sort", Reader::Style::strict);
  CAIRN_TRY(const auto order, in.string("order"));
  if (order) CAIRN_CHECK(read_order(*order, key));
  CAIRN_TRY(const auto mode, in.string("mode"));
  if (mode) CAIRN_CHECK(read_mode(*mode, key));
  CAIRN_TRY(key.unmapped_type, in.string_or("unmapped_type", ""));
  CAIRN_TRY(format, in.string_or("format", ""));
  CAIRN_TRY(key.numeric_type, in.string_or("numeric_type", ""));
  if (const Json* nested = in.any("nested"))
    CAIRN_CHECK(read_nested(text, in.path_of("nested"), *nested, key));
  if (const Json* missing = in.any("missing")) {
    if (missing->is_object() || missing->is_array())
      return in.fault("missing", "missing must be a value, _first or _last");
    if (missing->is_string() && missing->as_string() == "_first")
      key.missing_first = true;
    else if (!missing->is_string() || missing->as_string() != "_last")
      key.missing = *missing;
  }
  return in.finish();
}

/// By what a script gives: its values have a name of their own among the fields.
Result<SortKey> read_script_key(std::string_view text, const Json& json, std::size_t place) {
  const std::string path = "sort._script";
  if (!json.is_object())
    return parsing_error(text, path, "[_script] is an object with [type] and [script]");
  Reader in(json, text, path, "_script", Reader::Style::strict);
  SortKey key{.by = SortKey::By::field, .field = "_script/" + std::to_string(place)};
  CAIRN_TRY(const auto type, in.string("type"));
  CAIRN_TRY(const auto order, in.string("order"));
  CAIRN_TRY(const auto mode, in.string("mode"));
  const Json* script = in.any("script");
  if (in.any("nested") != nullptr)
    return not_offered("nested in a sort by _script", "sort by a field of the objects");
  CAIRN_CHECK(in.finish());
  if (script == nullptr) return in.fault("script", "Required [script]");
  if (!type) return in.fault("type", "Required [type]: number or string");
  if (*type == "version")
    return not_offered("[version] as the type of a sort by _script",
                       "give back texts that order so");
  if (*type != "number" && *type != "string")
    return illegal_argument("Unknown ScriptSortType [" + *type + "]; use number or string");
  key.script_gives_text = *type == "string";
  if (order) CAIRN_CHECK(read_order(*order, key));
  if (mode) CAIRN_CHECK(read_mode(*mode, key));
  if (key.script_gives_text && (key.mode == SortKey::Mode::avg || key.mode == SortKey::Mode::sum))
    return illegal_argument("script sort of type [string] doesn't support mode [" + *mode + "]");
  CAIRN_TRY(key.script, read_script_body(text, *script, in.path_of("script"), {}));
  return key;
}

Status parse_one(std::string_view text, const Json& json, std::vector<SortKey>& keys,
                 std::vector<std::string>& formats) {
  if (json.is_string()) {
    keys.push_back(key_of(json.as_string()));
    formats.emplace_back();
    return ok_status();
  }
  if (!json.is_object())
    return illegal_argument(
        "malformed sort format, within the sort array, an object, or an actual "
        "string are allowed");
  for (const auto& [name, value] : json.as_object()) {
    if (name == "_geo_distance") return not_offered("sort by " + name, "");
    if (name == "_script") {
      CAIRN_TRY(SortKey key, read_script_key(text, value, keys.size()));
      keys.push_back(std::move(key));
      formats.emplace_back();
      continue;
    }
    SortKey key = key_of(name);
    std::string format;
    if (value.is_string()) {
      CAIRN_CHECK(read_order(value.as_string(), key));
    } else if (value.is_object()) {
      CAIRN_CHECK(read_settings(text, name, value, key, format));
    } else {
      return parsing_error(text, "sort." + name, "[sort] a key must be an order or an object");
    }
    key.format = format;
    keys.push_back(std::move(key));
    formats.push_back(std::move(format));
  }
  return ok_status();
}

}  // namespace

Status parse_sort(std::string_view text, const Json& json, std::vector<SortKey>& keys,
                  std::vector<std::string>& formats) {
  if (!json.is_array()) return parse_one(text, json, keys, formats);
  for (const Json& element : json.as_array()) CAIRN_CHECK(parse_one(text, element, keys, formats));
  return ok_status();
}

}  // namespace cairn::search
