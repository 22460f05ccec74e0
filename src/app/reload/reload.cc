// SPDX-License-Identifier: Apache-2.0
#include "app/reload/reload.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/settings/limit_settings.h"
#include "app/settings/s3_clients.h"
#include "app/settings/shown_settings.h"
#include "base/strings.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view roots_key = "connectors.directory.roots";

using Values = std::map<std::string, std::string>;

/// All that have a text: of the table, of clients of S3 and of the limits.
Values values_of(const Settings& settings) {
  Values out;
  for (const auto& setting : setting_table()) out[setting.key] = setting.get(settings);
  for (auto& row : s3_client_rows(settings.s3_clients)) out[row.key] = std::move(row.value);
  for (auto& row : limit_rows(*settings.limits)) out[row.key] = std::move(row.text);
  return out;
}

/// Those that are there on one side only too.
std::vector<std::string> changed_keys(const Values& before, const Values& after) {
  std::vector<std::string> out;
  for (const auto& [key, value] : after) {
    const auto old = before.find(key);
    if (old == before.end() || old->second != value) out.push_back(key);
  }
  for (const auto& [key, value] : before)
    if (!after.contains(key)) out.push_back(key);
  return out;
}

bool is_limit_origin(std::string_view key) { return limit_path(key).has_value(); }

/// What a limiter is built with, and cannot change.
bool same_state(const ratelimit::Policy& a, const ratelimit::Policy& b) {
  return a.store == b.store && a.max_identities == b.max_identities;
}

}  // namespace

Reload::Reload(LoadedSettings current, SettingsSources sources, TakePolicy take_policy,
               TakeRoots take_roots, TakeLevel take_level)
    : current_(std::move(current)),
      sources_(std::move(sources)),
      take_policy_(std::move(take_policy)),
      take_roots_(std::move(take_roots)),
      take_level_(std::move(take_level)),
      seen_(current_.files) {
  this->take_roots();
}

void Reload::take_roots() {
  if (!take_roots_) return;
  take_roots_({.roots = current_.settings.connectors.directory_roots,
               .origin = current_.origins[std::string(roots_key)],
               .drop_in_folder = drop_in_folder(sources_.file, sources_.environment)});
}

bool Reload::look() {
  if (state_of_files(sources_.file, sources_.environment) == seen_) return false;
  now();
  return true;
}

ReloadOutcome Reload::now() {
  seen_ = state_of_files(sources_.file, sources_.environment);
  auto fresh = load_settings(sources_);
  if (!fresh.ok()) {
    os::log(os::LogLevel::error, "app", "settings not reloaded, the old ones stay",
            {{"reason", fresh.error().message}});
    return {.faults = {{"settings", fresh.error().message}}};
  }
  return take(*std::move(fresh));
}

/// Of values that are in use, and stand in the sources as they are: a line may be another now.
void Reload::take_origins(const LoadedSettings& fresh) {
  const Values mine = values_of(current_.settings), theirs = values_of(fresh.settings);
  const auto in_use = [&](const std::string& key) {
    const auto here = mine.find(key), there = theirs.find(key);
    return here != mine.end() && there != theirs.end() && here->second == there->second;
  };
  std::erase_if(current_.origins, [](const auto& one) { return is_limit_origin(one.first); });
  for (const auto& [key, origin] : fresh.origins)
    if (is_limit_origin(key) || in_use(key)) current_.origins[key] = origin;
  current_.settings.files = fresh.settings.files;
}

ReloadOutcome Reload::take(LoadedSettings fresh) {
  const auto& before = current_.settings;
  ReloadOutcome out{.reloaded = true};
  for (std::string& key : changed_keys(values_of(before), values_of(fresh.settings)))
    (is_taken_at_once(key) ? out.changed : out.needs_restart).push_back(std::move(key));
  const auto& changed = out.needs_restart;
  const bool level = before.log_level != fresh.settings.log_level;
  const bool roots = before.connectors.directory_roots != fresh.settings.connectors.directory_roots;
  const bool limits = current_.rate_limit != fresh.rate_limit;
  // A password in an address has no text.
  const auto of_state = [](const std::string& key) {
    return key.starts_with("rate_limit.store.") || key == "rate_limit.max_identities";
  };
  if (!same_state(*before.limits, *fresh.settings.limits) &&
      std::none_of(changed.begin(), changed.end(), of_state))
    out.needs_restart.emplace_back("rate_limit.store.urls");
  if (level) take_level_(fresh.settings.log_level);
  if (limits) take_policy_(fresh.settings.limits);
  os::log(os::LogLevel::info, "app", "settings reloaded",
          {{"rate_limit", limits ? "changed" : "unchanged"},
           {"log_level", level ? "changed" : "unchanged"},
           {"folders", roots ? "changed" : "unchanged"}});
  if (!changed.empty())
    os::log(os::LogLevel::warn, "app", "changed settings need a restart",
            {{"settings", join(changed, ", ")}});
  // What needs a restart is told again at the next change: it is still not in use.
  current_.rate_limit = std::move(fresh.rate_limit);
  current_.settings.log_level = fresh.settings.log_level;
  current_.settings.connectors.directory_roots = fresh.settings.connectors.directory_roots;
  auto in_use = std::make_shared<ratelimit::Policy>(*fresh.settings.limits);
  in_use->store = before.limits->store;
  in_use->max_identities = before.limits->max_identities;
  current_.settings.limits = std::move(in_use);
  take_origins(fresh);
  take_roots();
  return out;
}

}  // namespace cairn::app
