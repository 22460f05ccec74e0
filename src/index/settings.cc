// SPDX-License-Identifier: Apache-2.0
#include "index/settings.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "format/time.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

// Known names below "index"; those that end in * stand for all that begin so.
constexpr std::array dynamic_names = {"number_of_replicas",
                                      "refresh_interval",
                                      "max_result_window",
                                      "max_inner_result_window",
                                      "max_rescore_window",
                                      "max_docvalue_fields_search",
                                      "max_script_fields",
                                      "max_ngram_diff",
                                      "max_shingle_diff",
                                      "max_refresh_listeners",
                                      "max_terms_count",
                                      "max_regex_length",
                                      "analyze.max_token_count",
                                      "highlight.max_analyzed_offset",
                                      "mapping.total_fields.limit",
                                      "mapping.total_fields.ignore_dynamic_beyond_limit",
                                      "mapping.depth.limit",
                                      "mapping.field_name_length.limit",
                                      "mapping.nested_fields.limit",
                                      "mapping.nested_objects.limit",
                                      "mapping.dimension_fields.limit",
                                      "mapping.ignore_malformed",
                                      "mapping.coerce",
                                      "auto_expand_replicas",
                                      "search.idle.after",
                                      "default_pipeline",
                                      "final_pipeline",
                                      "blocks.write",
                                      "blocks.read_only",
                                      "blocks.read_only_allow_delete",
                                      "blocks.read",
                                      "blocks.metadata",
                                      "hidden",
                                      "priority",
                                      "public",
                                      "gc_deletes",
                                      "translog.*",
                                      "merge.*",
                                      "query.default_field",
                                      "lifecycle.*",
                                      "routing.*",
                                      "unassigned.*",
                                      "requests.cache.enable",
                                      "write.wait_for_active_shards"};
constexpr std::array fixed_names = {"number_of_shards",
                                    "number_of_routing_shards",
                                    "codec",
                                    "analysis.*",
                                    "shard.*",
                                    "creation_date",
                                    "uuid",
                                    "version.*",
                                    "provided_name",
                                    "soft_deletes.*",
                                    "mode",
                                    "similarity.*",
                                    "routing_partition_size",
                                    "load_fixed_bitset_filters_eagerly"};

// Each is looked for among those before it.
constexpr std::size_t settings_max = 2000;

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view known) {
    if (known.ends_with('*')) return name.starts_with(known.substr(0, known.size() - 1));
    return name == known;
  });
}

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

/// Settings that would be kept and change nothing, though whoever sets them counts on it.
Status check_offered(const std::string& name, const std::string& value) {
  const auto refused = [&](std::string_view instead) -> Status {
    return illegal_argument("[index." + name + "] cannot be [" + value + "] here; " +
                            std::string(instead));
  };
  const bool is_block = name == "blocks.read" || name == "blocks.metadata";
  if (is_block && value == "true") return refused("blocks are write and read_only");
  if ((name == "default_pipeline" || name == "final_pipeline") && value != "_none")
    return refused("there are no ingest pipelines, only [_none]");
  if (name == "mode" && value != "standard") return refused("it can be [standard]");
  if (name.starts_with("lifecycle."))
    return refused("there are no lifecycle policies: delete indices that are no longer needed");
  if (name == "mapping.ignore_malformed" && value != "false")
    return refused("set [ignore_malformed] on each field");
  if (name == "mapping.coerce" && value != "true") return refused("set [coerce] on each field");
  if (name == "mapping.total_fields.ignore_dynamic_beyond_limit" && value != "false")
    return refused("a document with too many fields is refused; raise the limit");
  if (name.starts_with("similarity.") && !(name.ends_with(".type") && value == "BM25"))
    return refused("the similarity is BM25 with its usual parameters");
  return ok_status();
}

Status check_value(const std::string& name, const Json& value) {
  if (value.is_null()) return ok_status();
  if (name == "refresh_interval") {
    CAIRN_CHECK(parse_time_value(value.is_string() ? value.as_string() : value.dump(),
                                 "index.refresh_interval"));
    return ok_status();
  }
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  if ((name == "public" || name.starts_with("blocks.")) && text != "true" && text != "false")
    return illegal_argument("Failed to parse value [" + text +
                            "] as only [true] or [false] are allowed.");
  CAIRN_CHECK(check_offered(name, text));
  const bool is_count = name == "number_of_shards" || name == "number_of_replicas" ||
                        name == "max_result_window" || name == "max_docvalue_fields_search" ||
                        name == "max_terms_count" || name == "analyze.max_token_count" ||
                        (name.starts_with("mapping.") && name.ends_with(".limit"));
  if (!is_count) return ok_status();
  const auto number =
      value.is_string() ? parse_number<std::int64_t>(value.as_string()) : std::nullopt;
  if (!number)
    return illegal_argument("Failed to parse value [" +
                            (value.is_string() ? value.as_string() : value.dump()) +
                            "] for setting [index." + name + "]");
  const bool may_be_none = name == "number_of_replicas" || name == "max_docvalue_fields_search" ||
                           name == "mapping.nested_fields.limit" ||
                           name == "mapping.nested_objects.limit";
  const std::int64_t least = may_be_none ? 0 : 1;
  if (*number < least)
    return illegal_argument("Failed to parse value [" + std::to_string(*number) +
                            "] for setting [index." + name +
                            "] must be >= " + std::to_string(least));
  // A mapping is written as JSON, which is read no deeper than 100.
  std::int64_t most = INT64_MAX;
  if (name == "number_of_shards") most = 1024;
  if (name == "mapping.depth.limit") most = 40;
  if (name == "mapping.field_name_length.limit") most = 8191;
  if (*number > most)
    return illegal_argument("Failed to parse value [" + std::to_string(*number) +
                            "] for setting [index." + name +
                            "] must be <= " + std::to_string(most));
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
    if (!is_one_of(dynamic_names, name) && !is_one_of(fixed_names, name))
      return illegal_argument("unknown setting [index." + name +
                              "] please check that any required plugins are installed, or check "
                              "the breaking changes documentation for removed settings");
    CAIRN_CHECK(check_value(name, value));
    place(out, name, value);
  }
  if (out.as_object().empty()) return out;
  return Json::object({{"index", std::move(out)}});
}

Result<Json> change_settings(const Json& base, const Json& change) {
  Json out = base;
  const Json* below = change.find("index");
  if (below == nullptr) return out;
  Flat flat;
  flatten(*below, "", flat);
  for (const auto& [name, value] : flat) {
    if (!is_one_of(dynamic_names, name))
      return illegal_argument("Can't update non dynamic settings [[index." + name +
                              "]] for open indices");
    place(out, "index." + name, value);
  }
  return out;
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

std::optional<std::int64_t> refresh_interval_ms(const Json& settings) {
  const auto text = setting(settings, "refresh_interval");
  if (!text) return std::nullopt;
  const auto ms = parse_time_value(*text, "index.refresh_interval");
  if (!ms) return std::nullopt;
  return *ms;
}

Json shown_settings(const Json& settings, const std::string& name, const std::string& uuid,
                    std::int64_t created_ms) {
  Json out = settings.is_object() ? settings : Json::object();
  if (!setting(out, "number_of_shards")) place(out, "index.number_of_shards", "1");
  if (!setting(out, "number_of_replicas")) place(out, "index.number_of_replicas", "1");
  place(out, "index.uuid", uuid);
  place(out, "index.creation_date", std::to_string(created_ms));
  place(out, "index.provided_name", name);
  place(out, "index.version.created", "8521000");
  return out;
}

}  // namespace cairn::index
