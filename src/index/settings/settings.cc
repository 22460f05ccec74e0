// SPDX-License-Identifier: Apache-2.0
#include "index/settings/settings.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "format/time.h"
#include "index/errors.h"
#include "index/settings/settings_table.h"

namespace cairn::index {
namespace {

// Each is looked for among those before it.
constexpr std::size_t settings_max = 2000;

using Flat = std::vector<std::pair<std::string, Json>>;

// Lists and null stay; scalars become texts.
Json as_text(const Json& value) {
  if (value.is_null() || value.is_string()) return value;
  if (!value.is_array()) return value.dump();
  Json out = Json::array();
  for (const Json& element : value.as_array())
    out.push(element.is_object() ? element : as_text(element));
  return out;
}

void flatten(const Json& json, const std::string& prefix, Flat& out) {
  for (const auto& [name, value] : json.as_object()) {
    const std::string path = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object())
      flatten(value, path, out);
    else
      out.emplace_back(path, as_text(value));
  }
}

void place(Json& root, std::string_view path, const Json& value) {
  Json* at = &root;
  for (;;) {
    const auto dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    if (dot == std::string_view::npos) {
      at->set(head, value);
      return;
    }
    if (at->find(head) == nullptr || !at->find(head)->is_object()) at->set(head, Json::object());
    at = at->find(head);
    path.remove_prefix(dot + 1);
  }
}

Error refused_value(std::string_view name, std::string_view value, std::string_view instead) {
  return illegal_argument("[index." + std::string(name) + "] cannot be [" + std::string(value) +
                          "] here; " + std::string(instead));
}

Error wrong_value(const std::string& name, const std::string& text, const std::string& why) {
  return illegal_argument("Failed to parse value [" + text + "] for setting [index." + name + "]" +
                          why);
}

Status check_count(const SettingRow& row, const std::string& name, const Json& value,
                   const std::string& text) {
  const auto number = value.is_string() ? parse_number<std::int64_t>(text) : std::nullopt;
  if (!number) return wrong_value(name, text, "");
  if (*number < row.least)
    return wrong_value(name, text, " must be >= " + std::to_string(row.least));
  if (*number > row.most) return wrong_value(name, text, " must be <= " + std::to_string(row.most));
  return ok_status();
}

Status check_value(const SettingRow& row, const std::string& name, const Json& value) {
  using Takes = SettingRow::Takes;
  if (row.takes == Takes::own_value)
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "validation_exception",
                 .message = "Validation Failed: 1: private index setting [index." + name +
                            "] can not be set explicitly;"};
  if (value.is_null()) return ok_status();
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  if (row.takes == Takes::only && text != row.fallback)
    return refused_value(name, text, row.instead);
  if (row.takes == Takes::flag && text != "true" && text != "false")
    return illegal_argument("Failed to parse value [" + text +
                            "] as only [true] or [false] are allowed.");
  if (row.takes == Takes::time) CAIRN_CHECK(parse_time_value(text, "index." + name));
  if (name.starts_with("similarity.") && !(name.ends_with(".type") && text == "BM25"))
    return refused_value(name, text, "the similarity is BM25 with its usual parameters");
  return row.takes == Takes::count ? check_count(row, name, value, text) : ok_status();
}

// Sizes of the pieces that an analyzer cuts: they decide how many terms a text becomes.
Status check_sizes(const Json& part, const Json& settings, const std::string& kind) {
  if (!part.is_object()) return ok_status();
  const auto limit = [&](std::string_view name) {
    return static_cast<std::int64_t>(setting_number(settings, name));
  };
  for (const auto& [name, one] : part.as_object()) {
    const std::string type = one.is_object() ? one.string_or("type") : std::string();
    const auto size = [&](std::string_view member, std::int64_t fallback) {
      const Json* given = one.find(member);
      if (given == nullptr) return fallback;
      if (given->is_integer()) return given->as_int();
      return given->is_string() ? parse_number<std::int64_t>(given->as_string()).value_or(fallback)
                                : fallback;
    };
    if (type == "ngram" || type == "nGram") {
      const std::int64_t apart = size("max_gram", 2) - size("min_gram", 1);
      const std::int64_t most = limit("max_ngram_diff");
      if (apart > most)
        return illegal_argument(
            "The difference between max_gram and min_gram in NGram " + kind +
            " must be less than or equal to: [" + std::to_string(most) + "] but was [" +
            std::to_string(apart) +
            "]. This limit can be set by changing the [index.max_ngram_diff] index level setting.");
    } else if (type == "shingle") {
      const bool single = one.string_or("output_unigrams") != "false" &&
                          one.bool_or("output_unigrams", true);
      const std::int64_t least = size("min_shingle_size", 2);
      const std::int64_t widest = size("max_shingle_size", std::max<std::int64_t>(least, 2));
      const std::int64_t apart = widest - least + (single ? 1 : 0);
      const std::int64_t most = limit("max_shingle_diff");
      if (apart > most)
        return illegal_argument(
            "In Shingle TokenFilter the difference between max_shingle_size and min_shingle_size "
            "(and +1 if outputting unigrams) must be less than or equal to: [" +
            std::to_string(most) + "] but was [" + std::to_string(apart) +
            "]. This limit can be set by changing the [index.max_shingle_diff] index level "
            "setting.");
    }
  }
  return ok_status();
}

}  // namespace

Result<Json> normalise_settings(const Json& given) {
  Json out = Json::object();
  if (given.is_null()) return out;
  if (!given.is_object()) return illegal_argument("[settings] must be an object");
  Flat flat;
  flatten(given, "", flat);
  if (flat.size() > settings_max)
    return illegal_argument("[settings] has more than [" + std::to_string(settings_max) +
                            "] entries");
  for (auto& [path, value] : flat) {
    std::string name = path.starts_with("index.") ? path.substr(6) : path;
    const SettingRow* row = find_setting(name);
    if (row == nullptr)
      return illegal_argument("unknown setting [index." + name +
                              "] please check that any required plugins are installed, or check "
                              "the breaking changes documentation for removed settings");
    CAIRN_CHECK(check_value(*row, name, value));
    place(out, name, value);
  }
  if (out.as_object().empty()) return out;
  return Json::object({{"index", std::move(out)}});
}

namespace {

/// `may`: whether a setting may change; `where`: of which indices, for the error.
template <class May>
Result<Json> changed_settings(const Json& base, const Json& change, May may,
                              std::string_view where) {
  Json out = base;
  const Json* below = change.find("index");
  if (below == nullptr) return out;
  Flat flat;
  flatten(*below, "", flat);
  for (const auto& [name, value] : flat) {
    const SettingRow* row = find_setting(name);
    if (row == nullptr || !may(name, *row))
      return illegal_argument("Can't update non dynamic settings [[index." + name + "]] for " +
                              std::string(where));
    place(out, "index." + name, value);
  }
  return out;
}

}  // namespace

Result<Json> change_settings(const Json& base, const Json& change) {
  return changed_settings(
      base, change, [](const std::string&, const SettingRow& row) { return row.may_change; },
      "open indices");
}

Result<Json> change_any_setting(const Json& base, const Json& change) {
  return changed_settings(
      base, change,
      [](const std::string& name, const SettingRow& row) {
        return row.may_change || name.starts_with("analysis.") || name == "codec";
      },
      "closed indices");
}

std::optional<std::string> setting(const Json& settings, std::string_view name) {
  const Json* index = settings.find("index");
  const Json* value = index == nullptr ? nullptr : index->find_path(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->as_string();
}

std::vector<std::string> setting_list(const Json& settings, std::string_view name) {
  const Json* index = settings.find("index");
  const Json* value = index == nullptr ? nullptr : index->find_path(name);
  std::vector<std::string> out;
  if (value != nullptr && value->is_string()) out.push_back(value->as_string());
  if (value != nullptr && value->is_array())
    for (const Json& element : value->as_array())
      if (element.is_string()) out.push_back(element.as_string());
  return out;
}

std::optional<Error> blocked(const Json& settings, const std::string& index, Change change) {
  struct Block {
    std::string_view name;
    std::string_view shown;
    Change most;  // of the changes that it forbids
  };
  static constexpr std::array blocks = {
      Block{"blocks.write", "FORBIDDEN/8/index write (api)", Change::documents},
      Block{"blocks.read_only", "FORBIDDEN/5/index read-only (api)", Change::removal},
      Block{"blocks.read_only_allow_delete",
            "TOO_MANY_REQUESTS/12/index has read-only-allow-delete block", Change::mapping}};
  std::string all;
  for (const Block& block : blocks)
    if (change <= block.most && setting(settings, block.name) == "true")
      all += "[" + std::string(block.shown) + "];";
  if (all.empty()) return std::nullopt;
  return Error{.kind = ErrorKind::permission_denied,
               .code = "cluster_block_exception",
               .message = "index [" + index + "] blocked by: " + all};
}

std::uint64_t setting_number(const Json& settings, std::string_view name) {
  if (const auto text = setting(settings, name))
    if (const auto number = parse_number<std::uint64_t>(*text)) return *number;
  const SettingRow* row = find_setting(name);
  return row == nullptr ? 0 : parse_number<std::uint64_t>(row->fallback).value_or(0);
}

std::optional<std::int64_t> setting_ms(const Json& settings, std::string_view name) {
  const auto text = setting(settings, name);
  if (!text) return std::nullopt;
  const auto ms = parse_time_value(*text, "index." + std::string(name));
  if (!ms) return std::nullopt;
  return *ms;
}

Status check_analysis_sizes(const Json& settings) {
  const Json* index = settings.find("index");
  const Json* analysis = index == nullptr ? nullptr : index->find("analysis");
  if (analysis == nullptr || !analysis->is_object()) return ok_status();
  if (const Json* part = analysis->find("tokenizer"))
    CAIRN_CHECK(check_sizes(*part, settings, "Tokenizer"));
  if (const Json* part = analysis->find("filter"))
    CAIRN_CHECK(check_sizes(*part, settings, "TokenFilter"));
  return ok_status();
}

Json default_settings(const Json& settings) {
  Json out = Json::object({{"index", Json::object()}});
  for (const SettingRow& row : all_settings()) {
    if (row.fallback.empty() || row.name.ends_with('*')) continue;
    const Json* index = settings.find("index");
    const bool is_set = index != nullptr && index->find_path(row.name) != nullptr;
    if (is_set) continue;
    const Json value(std::string{row.fallback});
    place(out, "index." + std::string(row.name),
          row.name == "query.default_field" ? Json(Json::Array{value}) : value);
  }
  return out;
}

Json settings_named(const Json& settings, const std::vector<std::string>& names) {
  if (names.empty()) return settings;
  Flat flat;
  flatten(settings, "", flat);
  Json out = Json::object();
  for (const auto& [name, value] : flat)
    if (std::any_of(names.begin(), names.end(), [&](const std::string& wanted) {
          return wanted == "_all" || wildcard_match(wanted, name);
        }))
      place(out, name, value);
  return out;
}

Json flat_settings(const Json& settings) {
  Flat flat;
  if (settings.is_object()) flatten(settings, "", flat);
  Json out = Json::object();
  for (auto& [name, value] : flat) out.set(name, std::move(value));
  return out;
}

std::optional<std::int64_t> refresh_interval_ms(const Json& settings) {
  return setting_ms(settings, "refresh_interval");
}

Json shown_settings(const Json& settings, const std::string& name, const std::string& uuid,
                    std::int64_t created_ms) {
  Json out = settings.is_object() ? settings : Json::object();
  for (const char* always : {"number_of_shards", "number_of_replicas"})
    if (!setting(out, always))
      place(out, std::string("index.") + always, std::string(find_setting(always)->fallback));
  place(out, "index.uuid", uuid);
  place(out, "index.creation_date", std::to_string(created_ms));
  place(out, "index.provided_name", name);
  place(out, "index.version.created", "8521000");
  return out;
}

}  // namespace cairn::index
