// SPDX-License-Identifier: Apache-2.0
// The rows: a name, how its text is read, and who is told.
#include "app/settings/cluster_setting_table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/strings.h"
#include "format/time.h"
#include "index/live_settings.h"

namespace cairn::app {
namespace {

using index::ClusterSetting;

constexpr std::int64_t most_whole = std::numeric_limits<std::int32_t>::max();

Error unfit(std::string_view name, const std::string& text, std::string_view why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = "Failed to parse value [" + text + "] for setting [" + std::string(name) +
                     "] " + std::string(why)};
}

/// A row whose text `read` makes a value of, and `give` takes it.
template <class Value>
ClusterSetting row(std::string name, std::string fallback,
                   std::function<Result<Value>(const std::string&)> read,
                   std::function<void(Value)> give) {
  return {.name = std::move(name),
          .fallback = [fallback] { return fallback; },
          .check = [read](const std::string& text) -> Status {
            CAIRN_TRY([[maybe_unused]] const auto value, read(text));
            return ok_status();
          },
          .take =
              [read, give, fallback](const std::optional<std::string>& text) {
                auto value = read(text.value_or(fallback));
                if (value.ok()) give(*std::move(value));
              }};
}

ClusterSetting flag(const std::string& name, bool fallback, std::function<void(bool)> give) {
  return row<bool>(
      name, fallback ? "true" : "false",
      [name](const std::string& text) -> Result<bool> {
        if (text == "true" || text == "false") return text == "true";
        return Error{.kind = ErrorKind::invalid_argument,
                     .code = "illegal_argument_exception",
                     .message = "Failed to parse value [" + text +
                                "] as only [true] or [false] are allowed."};
      },
      std::move(give));
}

ClusterSetting whole(const std::string& name, std::int64_t fallback,
                     std::function<void(std::int64_t)> give) {
  return row<std::int64_t>(
      name, std::to_string(fallback),
      [name](const std::string& text) -> Result<std::int64_t> {
        const auto number = parse_number<std::int64_t>(text);
        if (!number) return unfit(name, text, "as a whole number");
        if (*number < 0) return unfit(name, text, "must be >= 0");
        if (*number > most_whole)
          return unfit(name, text, "must be <= " + std::to_string(most_whole));
        return *number;
      },
      std::move(give));
}

/// `least_ms`: -1 where -1 is for ever.
ClusterSetting duration(const std::string& name, std::int64_t fallback_ms, std::int64_t least_ms,
                        std::function<void(std::int64_t)> give) {
  return row<std::int64_t>(
      name, fallback_ms < 0 ? "-1" : format_time_value(fallback_ms),
      [name, least_ms](const std::string& text) -> Result<std::int64_t> {
        CAIRN_TRY(const std::int64_t ms, parse_time_value(text, name));
        if (ms < least_ms)
          return unfit(name, text,
                       "must be >= " + (least_ms < 0 ? "-1" : format_time_value(least_ms)));
        return ms;
      },
      std::move(give));
}

ClusterSetting bytes(const std::string& name, std::uint64_t fallback,
                     std::function<void(std::uint64_t)> give) {
  return row<std::uint64_t>(
      name, format_byte_size(fallback),
      [name](const std::string& text) { return parse_byte_size(text, name); }, std::move(give));
}

constexpr std::array<std::pair<std::string_view, os::LogLevel>, 4> level_names = {
    {{"debug", os::LogLevel::debug},
     {"info", os::LogLevel::info},
     {"warn", os::LogLevel::warn},
     {"error", os::LogLevel::error}}};

std::optional<os::LogLevel> level_of(std::string_view text) {
  for (const auto& [name, level] : level_names)
    if (name == text) return level;
  return std::nullopt;
}

std::string name_of_level(os::LogLevel level) {
  for (const auto& [name, known] : level_names)
    if (known == level) return std::string(name);
  return {};
}

ClusterSetting log_level(LogLevels& levels) {
  return {.name = "log.level",
          .fallback = [&levels] { return name_of_level(levels.configured()); },
          .check = [](const std::string& text) -> Status {
            if (level_of(text)) return ok_status();
            return unfit("log.level", text, "must be one of debug, info, warn, error");
          },
          .take =
              [&levels](const std::optional<std::string>& text) {
                levels.set_kept(text ? level_of(*text) : std::nullopt);
              }};
}

}  // namespace

std::vector<ClusterSetting> cluster_setting_table(const ClusterSettingGround& ground) {
  index::LiveSettings& live = ground.indices.live();
  search::Service& search = ground.search;
  tasks::AsyncSearches& searches = ground.tasks.searches();
  const search::Options& defaults = search.options();
  return {
      row<index::AutoCreateRule>(
          "action.auto_create_index", "true",
          [](const std::string& text) { return index::AutoCreateRule::parse(text); },
          [&live](index::AutoCreateRule rule) { live.set_auto_create(std::move(rule)); }),
      flag("action.destructive_requires_name", true,
           [&live](bool names) { live.patterns_name_indices = !names; }),
      flag("cluster.indices.close.enable", true,
           [&live](bool may) { live.indices_close = may; }),
      {.name = "cluster.metadata.*"},
      log_level(ground.log_levels),
      duration("search.default_search_timeout", -1, -1,
               [&search](std::int64_t ms) { search.set_default_timeout(ms); }),
      whole("search.max_buckets", static_cast<std::int64_t>(live.max_buckets.load()),
            [&live](std::int64_t most) { live.max_buckets = static_cast<std::size_t>(most); }),
      bytes("search.max_async_search_response_size",
            ground.tasks.options().search_answer_bytes,
            [&searches](std::uint64_t most) { searches.set_answer_bytes(most); }),
      duration("search.max_keep_alive", defaults.max_keep_alive_ms, 1,
               [&search](std::int64_t ms) { search.contexts().set_max_keep_alive(ms); }),
      whole("search.max_open_scroll_context",
            static_cast<std::int64_t>(defaults.max_open_contexts),
            [&search](std::int64_t most) {
              search.contexts().set_most(static_cast<std::size_t>(most));
            }),
  };
}

std::vector<std::string> configured_settings(const std::vector<ClusterSetting>& table) {
  std::vector<std::string> out = {"rate_limit.*"};
  for (const Setting& one : setting_table()) {
    const auto same = [&](const ClusterSetting& other) { return other.name == one.key; };
    if (std::none_of(table.begin(), table.end(), same)) out.push_back(one.key);
  }
  return out;
}

}  // namespace cairn::app
