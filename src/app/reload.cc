// SPDX-License-Identifier: Apache-2.0
#include "app/reload.h"

#include <utility>

#include "base/strings.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view log_level_key = "log.level";

/// Rows of the table whose value differs.
std::vector<std::string> changed_keys(const Settings& before, const Settings& after) {
  std::vector<std::string> out;
  for (const auto& setting : setting_table())
    if (setting.get(before) != setting.get(after)) out.push_back(setting.key);
  return out;
}

/// What a limiter is built with, and cannot change.
bool same_state(const ratelimit::Policy& a, const ratelimit::Policy& b) {
  return a.store == b.store && a.max_identities == b.max_identities;
}

}  // namespace

Reload::Reload(LoadedSettings current, SettingsSources sources, TakePolicy take_policy)
    : current_(std::move(current)),
      sources_(std::move(sources)),
      take_policy_(std::move(take_policy)),
      seen_(current_.files) {}

bool Reload::look() {
  if (state_of_files(sources_.file, sources_.environment) == seen_) return false;
  now();
  return true;
}

bool Reload::now() {
  seen_ = state_of_files(sources_.file, sources_.environment);
  auto fresh = load_settings(sources_);
  if (!fresh.ok()) {
    os::log(os::LogLevel::error, "app", "settings not reloaded, the old ones stay",
            {{"reason", fresh.error().message}});
    return false;
  }
  take(*std::move(fresh));
  return true;
}

void Reload::take(LoadedSettings fresh) {
  const auto& before = current_.settings;
  auto changed = changed_keys(before, fresh.settings);
  const bool level = std::erase(changed, log_level_key) > 0;
  const bool limits = current_.rate_limit != fresh.rate_limit;
  if (!same_state(*before.limits, *fresh.settings.limits))
    changed.emplace_back("rate_limit.store or rate_limit.max_identities");
  if (level) os::set_log_level(fresh.settings.log_level);
  if (limits) take_policy_(fresh.settings.limits);
  os::log(os::LogLevel::info, "app", "settings reloaded",
          {{"rate_limit", limits ? "changed" : "unchanged"},
           {"log_level", level ? "changed" : "unchanged"}});
  if (!changed.empty())
    os::log(os::LogLevel::warn, "app", "changed settings need a restart",
            {{"settings", join(changed, ", ")}});
  // What needs a restart is told again at the next change: it is still not in use.
  current_.rate_limit = std::move(fresh.rate_limit);
  current_.settings.log_level = fresh.settings.log_level;
  auto in_use = std::make_shared<ratelimit::Policy>(*fresh.settings.limits);
  in_use->store = before.limits->store;
  in_use->max_identities = before.limits->max_identities;
  current_.settings.limits = std::move(in_use);
}

}  // namespace cairn::app
