// SPDX-License-Identifier: Apache-2.0
#include "index/settings/cluster_settings.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "index/errors.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

constexpr std::string_view record_key = "index/cluster-settings";

bool is_pattern(std::string_view name) { return name.ends_with('*'); }

/// Whether the pattern "a.*" has the name. The pattern itself is no name of it.
bool begins_as(std::string_view pattern, std::string_view name) {
  pattern.remove_suffix(1);
  return name.size() > pattern.size() && name.starts_with(pattern);
}

Status flatten(const std::string& name, const Json& value, ClusterChange::Map& out) {
  if (value.is_object()) {
    for (const auto& [member, inner] : value.as_object())
      CAIRN_CHECK(flatten(name.empty() ? member : name + "." + member, inner, out));
    return ok_status();
  }
  if (value.is_array())
    return illegal_argument("setting [" + name + "] is one value, and not a list");
  std::optional<std::string> text;
  if (!value.is_null()) text = value.is_string() ? value.as_string() : value.dump();
  if (!out.emplace(name, std::move(text)).second)
    return illegal_argument("setting [" + name + "] comes twice");
  return ok_status();
}

/// Puts the value where its dotted name leads. Where a value is in the way, the rest stays dotted.
void nest(Json& out, std::string_view name, const std::string& value) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    out.set(std::string(name), value);
    return;
  }
  const std::string head(name.substr(0, dot));
  Json* inner = out.find(head);
  if (inner != nullptr && !inner->is_object()) {
    out.set(std::string(name), value);
    return;
  }
  if (inner == nullptr) inner = &out.set(head, Json::object());
  nest(*inner, name.substr(dot + 1), value);
}

void apply_to(ClusterValues::Map& values, const ClusterChange::Map& change) {
  for (const auto& [name, text] : change) {
    if (text)
      values.insert_or_assign(name, *text);
    else if (is_pattern(name))
      std::erase_if(values, [&](const auto& one) { return begins_as(name, one.first); });
    else
      values.erase(name);
  }
}

std::optional<std::string> in_force(const ClusterValues& values, std::string_view name) {
  for (const auto* map : {&values.transient, &values.persistent})
    if (const auto found = map->find(name); found != map->end()) return found->second;
  return std::nullopt;
}

Result<ClusterValues::Map> values_of(const Json& json) {
  ClusterValues::Map out;
  const Json* kept = json.find("persistent");
  if (kept == nullptr || !kept->is_object())
    return illegal_argument("settings are kept as an object");
  for (const auto& [name, value] : kept->as_object()) {
    if (!value.is_string()) return illegal_argument("a setting is kept as a text");
    out.emplace(name, value.as_string());
  }
  return out;
}

}  // namespace

Result<ClusterChange::Map> read_cluster_settings(const Json& given) {
  ClusterChange::Map out;
  CAIRN_CHECK(flatten("", given, out));
  return out;
}

Json shown_cluster_settings(const ClusterValues::Map& values, bool flat) {
  Json out = Json::object();
  for (const auto& [name, text] : values) {
    if (flat)
      out.set(name, text);
    else
      nest(out, name, text);
  }
  return out;
}

ClusterSettings::ClusterSettings(store::Store& store, std::vector<ClusterSetting> table,
                                 std::vector<std::string> fixed)
    : table_(std::move(table)),
      fixed_(std::move(fixed)),
      record_(store, record_key, "settings of the cluster") {}

const ClusterSetting* ClusterSettings::find(std::string_view name) const {
  for (const ClusterSetting& one : table_)
    if (is_pattern(one.name) ? begins_as(one.name, name) : one.name == name) return &one;
  return nullptr;
}

Status ClusterSettings::check(const ClusterChange::Map& change, std::string_view kind) const {
  for (const auto& [name, text] : change) {
    if (!text && is_pattern(name)) continue;
    const std::string what = std::string(kind) + " setting [" + name + "], not ";
    const ClusterSetting* known = find(name);
    if (known == nullptr) {
      const bool fixed = std::any_of(fixed_.begin(), fixed_.end(), [&](const std::string& one) {
        return is_pattern(one) ? begins_as(one, name) : one == name;
      });
      return illegal_argument(what + (fixed ? "dynamically updateable" : "recognized"));
    }
    if (!text) continue;
    if (name.size() > limits_.text_bytes || text->size() > limits_.text_bytes)
      return illegal_argument("setting [" + name.substr(0, 64) + "] is longer than " +
                              std::to_string(limits_.text_bytes) + " bytes");
    CAIRN_CHECK(known->check(*text));
  }
  return ok_status();
}

Status ClusterSettings::load(const os::Deadline& deadline) {
  const MutexLock lock(changing_);
  return read(deadline);
}

Status ClusterSettings::read(const os::Deadline& deadline) {
  auto found = record_.load(deadline);
  if (!found.ok() && found.error().kind != ErrorKind::corrupt) return found.error();
  damage_.reset();
  ClusterValues next;
  next.transient = values()->transient;
  if (!found.ok()) {
    damage_ = found.error();
  } else if (*found) {
    const auto json = parse_json(**found);
    auto kept = json.ok() ? values_of(*json) : Result<ClusterValues::Map>(json.error());
    if (kept.ok())
      next.persistent = *std::move(kept);
    else
      damage_ = Error{.kind = ErrorKind::corrupt,
                      .message = "the settings of the cluster cannot be read: " +
                                 kept.error().message};
  }
  if (damage_)
    os::log(os::LogLevel::error, "index", "the settings of the cluster are damaged, none holds",
            {{"object", std::string(record_key)}, {"reason", damage_->message}});
  use(std::move(next));
  return ok_status();
}

void ClusterSettings::use(ClusterValues values) {
  for (const auto& [name, text] : values.persistent) {
    const ClusterSetting* known = find(name);
    if (known != nullptr && known->check(text).ok()) continue;
    os::log(os::LogLevel::warn, "index", "a kept setting of the cluster is not heeded",
            {{"setting", name}});
  }
  for (const ClusterSetting& one : table_) {
    if (is_pattern(one.name)) continue;
    auto text = in_force(values, one.name);
    if (text && !one.check(*text).ok()) text.reset();
    one.take(text);
  }
  const MutexLock lock(mutex_);
  values_ = std::make_shared<const ClusterValues>(std::move(values));
}

Status ClusterSettings::change(const ClusterChange& change, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const auto too_many = [&] {
    return illegal_argument("at most " + std::to_string(limits_.count) +
                            " settings of the cluster are kept, and changed at a time");
  };
  if (change.persistent.size() + change.transient.size() > limits_.count) return too_many();
  CAIRN_CHECK(check(change.transient, "transient"));
  CAIRN_CHECK(check(change.persistent, "persistent"));
  const MutexLock lock(changing_);
  if (record_.must_load()) CAIRN_CHECK(read(deadline));
  if (damage_) return *damage_;
  ClusterValues next = *values();
  const ClusterValues::Map before = next.persistent;
  apply_to(next.persistent, change.persistent);
  apply_to(next.transient, change.transient);
  if (next.persistent.size() + next.transient.size() > limits_.count)
    return too_many();
  if (next.persistent != before) {
    const Json record =
        Json::object({{"persistent", shown_cluster_settings(next.persistent, true)}});
    CAIRN_CHECK(record_.put(record.dump(), deadline));
  }
  use(std::move(next));
  return ok_status();
}

std::shared_ptr<const ClusterValues> ClusterSettings::values() const {
  const MutexLock lock(mutex_);
  return values_;
}

ClusterValues::Map ClusterSettings::defaults() const {
  const auto set = values();
  ClusterValues::Map out;
  for (const ClusterSetting& one : table_)
    if (!is_pattern(one.name) && !in_force(*set, one.name)) out.emplace(one.name, one.fallback());
  return out;
}

}  // namespace cairn::index
