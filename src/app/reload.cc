// SPDX-License-Identifier: Apache-2.0
#include "app/reload.h"

#include <utility>

#include "base/strings.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view log_level_key = "log.level";
constexpr std::string_view roots_key = "connectors.directory.roots";

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
  const bool roots = std::erase(changed, roots_key) > 0;
  const bool limits = current_.rate_limit != fresh.rate_limit;
  if (!same_state(*before.limits, *fresh.settings.limits))
    changed.emplace_back("rate_limit.store or rate_limit.max_identities");
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
  current_.origins[std::string(roots_key)] = fresh.origins[std::string(roots_key)];
  take_roots();
  auto in_use = std::make_shared<ratelimit::Policy>(*fresh.settings.limits);
  in_use->store = before.limits->store;
  in_use->max_identities = before.limits->max_identities;
  current_.settings.limits = std::move(in_use);
}

}  // namespace cairn::app
