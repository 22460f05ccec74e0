// SPDX-License-Identifier: Apache-2.0
#include "index/settings/settings_table.h"

#include <algorithm>
#include <array>

namespace cairn::index {
namespace {

using Takes = SettingRow::Takes;

constexpr SettingRow count(std::string_view name, std::string_view fallback, std::int64_t least = 1,
                           std::int64_t most = INT64_MAX) {
  return {.name = name, .takes = Takes::count, .fallback = fallback, .least = least, .most = most};
}
constexpr SettingRow flag(std::string_view name) {
  return {.name = name, .takes = Takes::flag, .fallback = "false"};
}
constexpr SettingRow time(std::string_view name, std::string_view fallback) {
  return {.name = name, .takes = Takes::time, .fallback = fallback};
}
constexpr SettingRow only(std::string_view name, std::string_view value, std::string_view instead,
                          bool may_change = true) {
  return {.name = name,
          .takes = Takes::only,
          .may_change = may_change,
          .fallback = value,
          .instead = instead};
}
constexpr SettingRow fixed(std::string_view name, Takes takes = Takes::anything) {
  return {.name = name, .takes = takes, .may_change = false};
}

// A mapping is written as JSON, which is read no deeper than 100: hence the bound of its depth.
constexpr std::array rows = {
    // Heeded.
    time("refresh_interval", "1s"),
    time("search.idle.after", "30s"),
    time("gc_deletes", "60s"),
    count("max_result_window", "10000"),
    count("max_inner_result_window", "100"),
    count("max_docvalue_fields_search", "100", 0),
    count("max_script_fields", "32", 0, 1'000),
    count("max_terms_count", "65536", 1, 1'000'000),
    count("max_rescore_window", "10000"),
    count("max_regex_length", "1000", 1, 10'000),
    count("max_ngram_diff", "1", 0, 63),
    count("max_shingle_diff", "3", 0, 3),
    count("analyze.max_token_count", "10000"),
    count("highlight.max_analyzed_offset", "1000000"),
    count("mapping.total_fields.limit", "1000"),
    count("mapping.depth.limit", "20", 1, 40),
    count("mapping.field_name_length.limit", "1024", 1, 8191),
    count("mapping.nested_fields.limit", "100", 0, 1000),
    count("mapping.nested_objects.limit", "10000", 0, 1'000'000),
    SettingRow{.name = "merge.scheduler.auto_throttle", .takes = Takes::flag, .fallback = "true"},
    flag("blocks.write"),
    flag("blocks.read_only"),
    flag("blocks.read_only_allow_delete"),
    flag("hidden"),
    flag("public"),
    SettingRow{.name = "query.default_field", .fallback = "*"},
    SettingRow{.name = "analysis.*", .may_change = false},
    // One value alone is what happens.
    only("blocks.read", "false", "blocks are write and read_only"),
    only("blocks.metadata", "false", "blocks are write and read_only"),
    only("default_pipeline", "_none", "there are no ingest pipelines, only [_none]"),
    only("final_pipeline", "_none", "there are no ingest pipelines, only [_none]"),
    only("mapping.ignore_malformed", "false", "set [ignore_malformed] on each field"),
    only("mapping.coerce", "true", "set [coerce] on each field"),
    only("mapping.total_fields.ignore_dynamic_beyond_limit", "false",
         "a document with too many fields is refused; raise the limit"),
    only("mode", "standard", "it can be [standard]", false),
    only("routing_partition_size", "1", "an index has one shard", false),
    only("soft_deletes.enabled", "true", "deletions are always kept for a while", false),
    only("lifecycle.*", "",
         "there are no lifecycle policies: delete indices that are no longer needed"),
    // Kept and shown. They say how the platform lays out its work: shards and nodes, of which there
    // is one, its log, its merges, its cache. No answer depends on them.
    count("number_of_replicas", "1", 0),
    SettingRow{.name = "number_of_shards",
               .takes = Takes::count,
               .may_change = false,
               .fallback = "1",
               .most = 1024},
    fixed("number_of_routing_shards", Takes::count),
    count("mapping.dimension_fields.limit", ""),
    SettingRow{.name = "auto_expand_replicas"},
    SettingRow{.name = "max_refresh_listeners"},
    SettingRow{.name = "priority"},
    SettingRow{.name = "translog.*"},
    SettingRow{.name = "merge.*"},
    SettingRow{.name = "routing.*"},
    SettingRow{.name = "unassigned.*"},
    SettingRow{.name = "requests.cache.enable", .takes = Takes::flag},
    SettingRow{.name = "write.wait_for_active_shards"},
    fixed("codec"),
    fixed("shard.*"),
    fixed("soft_deletes.*"),
    fixed("similarity.*"),
    fixed("load_fixed_bitset_filters_eagerly", Takes::flag),
    fixed("creation_date", Takes::own_value),
    fixed("uuid", Takes::own_value),
    fixed("version.*", Takes::own_value),
    fixed("provided_name", Takes::own_value)};

}  // namespace

std::span<const SettingRow> all_settings() { return rows; }

const SettingRow* find_setting(std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const SettingRow& row) {
    return row.name.ends_with('*') ? name.starts_with(row.name.substr(0, row.name.size() - 1))
                                   : name == row.name;
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace cairn::index
