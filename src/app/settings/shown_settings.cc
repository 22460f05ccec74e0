// SPDX-License-Identifier: Apache-2.0
#include "app/settings/shown_settings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "app/settings/limit_settings.h"
#include "base/strings.h"
#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::string_view hidden_text = "***";
constexpr std::string_view set_text = "(set)";

/// Where an address in a text ends: lists have commas between them.
std::size_t address_end(std::string_view text, std::size_t from) {
  return std::min(text.find_first_of(", \t\"'", from), text.size());
}

/// One address behind its "scheme://".
std::string masked_address(std::string_view scheme, std::string_view rest) {
  const bool web = scheme.ends_with("http") || scheme.ends_with("https");
  std::string out;
  const std::size_t authority = std::min(rest.find_first_of("/?#"), rest.size());
  const std::size_t at = rest.substr(0, authority).rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view user = rest.substr(0, at);
    const std::size_t colon = user.find(':');
    if (colon != std::string_view::npos && !web)
      out += std::string(user.substr(0, colon + 1)) + std::string(hidden_text);
    else
      out += web ? hidden_text : user;  // s3://CLIENT@bucket names a client
    out += '@';
    rest.remove_prefix(at + 1);
  }
  if (!web) return out + without_secrets(rest);  // which may have an address in its query
  const std::size_t query = rest.find('?');
  out += rest.substr(0, query);
  if (query != std::string_view::npos) out += "?" + std::string(hidden_text);
  return out;
}

struct ShownPlace {
  std::string_view origin;  // default, file, environment, flag, cluster
  std::string where;
};

ShownPlace shown_place(const std::string& origin) {
  if (origin == "default") return {"default", ""};
  if (origin.starts_with("CAIRN_")) return {"environment", origin};
  return {origin.starts_with("--") ? "flag" : "file", origin};
}

Json shown_row(const std::string& key, std::string value, std::string fallback,
               const ShownPlace& place, std::string_view description, bool secret) {
  const auto shown = [secret](std::string text) {
    if (secret) return text.empty() ? text : std::string(set_text);
    return without_secrets(text);
  };
  return Json::object({{"name", key},
                       {"value", shown(std::move(value))},
                       {"default", shown(std::move(fallback))},
                       {"origin", place.origin},
                       {"where", place.where},
                       {"needs_restart", !is_taken_at_once(key)},
                       {"description", description},
                       {"secret", secret}});
}

std::string origin_or_default(const Origins& origins, const std::string& key) {
  const auto found = origins.find(key);
  return found == origins.end() ? "default" : found->second;
}

}  // namespace

std::string without_secrets(std::string_view value) {
  constexpr std::string_view mark = "://";
  std::string out;
  while (true) {
    const std::size_t found = value.find(mark);
    if (found == std::string_view::npos) return out + std::string(value);
    const std::size_t from = found + mark.size();
    const std::size_t end = address_end(value, from);
    out += value.substr(0, from);
    out += masked_address(value.substr(0, found), value.substr(from, end - from));
    value.remove_prefix(end);
  }
}

bool is_taken_at_once(std::string_view key) {
  if (key.starts_with("rate_limit."))
    return !key.starts_with("rate_limit.store.") && key != "rate_limit.max_identities";
  return key == "log.level" || key == "connectors.directory.roots";
}

Json shown_settings(const LoadedSettings& in_use, const index::ClusterValues& cluster) {
  static const Settings usual;
  Json rows = Json::array();
  for (const Setting& setting : setting_table()) {
    std::string value = setting.get(in_use.settings);
    ShownPlace place = shown_place(origin_or_default(in_use.origins, setting.key));
    // What ends with the process goes before what stays.
    for (const auto& [kind, values] :
         {std::pair("persistent", &cluster.persistent), std::pair("transient", &cluster.transient)})
      if (const auto kept = values->find(setting.key); kept != values->end()) {
        value = kept->second;
        place = {"cluster", kind};
      }
    rows.push(shown_row(setting.key, std::move(value), setting.get(usual), place,
                        setting.description, setting.secret));
  }
  for (const S3ClientRow& row : s3_client_rows(in_use.settings.s3_clients))
    rows.push(shown_row(row.key, row.value, "",
                        shown_place(origin_or_default(in_use.origins, row.key)), row.description,
                        row.secret));
  std::map<std::string, std::string> defaults;
  for (LimitRow& row : limit_rows(ratelimit::default_policy()))
    defaults.emplace(std::move(row.key), std::move(row.text));
  for (const LimitRow& row : limit_rows(*in_use.settings.limits)) {
    const auto found = defaults.find(row.key);
    rows.push(shown_row(row.key, row.text, found == defaults.end() ? "" : found->second,
                        shown_place(limit_origin(in_use.origins, row.key)), "", false));
  }
  Json files = Json::array();
  for (const std::string& file : in_use.settings.files)
    if (os::system_files().info(file).ok()) files.push(file);
  return Json::object({{"settings", std::move(rows)}, {"files", std::move(files)}});
}

}  // namespace cairn::app
