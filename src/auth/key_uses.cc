// SPDX-License-Identifier: Apache-2.0
// {"api_keys": {"<id>": [<unix ms>, "<address>"]}, "object_keys": {…},
//  "api_key_requests": {"<id>": [[<hour since 1970>, <requests>], …]}, "object_key_requests": {…}}
#include "auth/key_uses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "auth/last_use.h"
#include "format/json.h"
#include "os/log.h"

namespace cairn::auth {
namespace {

constexpr std::string_view uses_record = "key-uses";
constexpr std::int64_t hours_since_1970_max = std::int64_t{1} << 24;
constexpr std::int64_t requests_of_hour_max = std::int64_t{1} << 39;

struct KeyUse {
  std::string id;
  Use use;
  std::vector<HourOfRequests> requests;
};

/// The ones used last are the first `size` then.
void put_latest_first(std::vector<KeyUse>& uses, std::size_t size) {
  if (uses.size() <= size) return;
  std::nth_element(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(size), uses.end(),
                   [](const KeyUse& a, const KeyUse& b) { return a.use.at_ms > b.use.at_ms; });
}

// In one order, so that the same uses are the same text.
void arrange(std::vector<KeyUse>& uses) {
  put_latest_first(uses, KeyUses::uses_max);
  uses.resize(std::min(uses.size(), KeyUses::uses_max));
  put_latest_first(uses, KeyUses::requests_max);
  for (std::size_t i = KeyUses::requests_max; i < uses.size(); ++i) uses[i].requests.clear();
  std::sort(uses.begin(), uses.end(), [](const KeyUse& a, const KeyUse& b) { return a.id < b.id; });
}

Json uses_json(const std::vector<KeyUse>& uses) {
  Json::Object out;
  out.reserve(uses.size());
  for (const auto& [id, use, requests] : uses)
    out.emplace_back(id, Json(Json::Array{use.at_ms, use.address}));
  return Json(std::move(out));
}

Json requests_json(const std::vector<KeyUse>& uses) {
  Json::Object out;
  for (const auto& [id, use, requests] : uses) {
    if (requests.empty()) continue;
    Json::Array hours;
    for (const auto& [hour_ms, count] : requests)
      hours.push_back(Json(Json::Array{hour_ms / HourlyRequests::hour_ms, count}));
    out.emplace_back(id, Json(std::move(hours)));
  }
  return Json(std::move(out));
}

void add_use(std::vector<KeyUse>& uses, const std::string& id, const LastUse* last) {
  if (last == nullptr) return;
  if (Use use = last->get(); use.at_ms != 0)
    uses.push_back({id, std::move(use), last->requests().get()});
}

/// Calls `tell` with each use; false where the text has another form.
template <typename Tell>
bool read_uses(const Json* uses, const Tell& tell) {
  if (uses == nullptr || !uses->is_object()) return false;
  for (const auto& [id, use] : uses->as_object()) {
    if (!use.is_array() || use.as_array().size() != 2 || !use.as_array()[0].is_integer() ||
        !use.as_array()[1].is_string())
      return false;
    tell(id, Use{.at_ms = use.as_array()[0].as_int(), .address = use.as_array()[1].as_string()});
  }
  return true;
}

/// Calls `tell` with each key's hours; false where the text has another form. None need be there:
/// records had none once.
template <typename Tell>
bool read_requests(const Json* requests, const Tell& tell) {
  if (requests == nullptr) return true;
  if (!requests->is_object()) return false;
  const auto is_within = [](const Json& one, std::int64_t most) {
    return one.is_integer() && one.as_int() >= 0 && one.as_int() < most;
  };
  for (const auto& [id, hours] : requests->as_object()) {
    if (!hours.is_array()) return false;
    for (const Json& one : hours.as_array()) {
      if (!one.is_array() || one.as_array().size() != 2) return false;
      const Json &hour = one.as_array()[0], &count = one.as_array()[1];
      if (!is_within(hour, hours_since_1970_max) || !is_within(count, requests_of_hour_max))
        return false;
      tell(id, HourOfRequests{.hour_ms = hour.as_int() * HourlyRequests::hour_ms,
                              .requests = static_cast<std::uint64_t>(count.as_int())});
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<KeyUses>> KeyUses::open(store::Store& store, const Keys& keys,
                                               const ObjectKeys& object_keys,
                                               const os::Clock& clock,
                                               const os::Deadline& deadline) {
  std::unique_ptr<KeyUses> out(new KeyUses(store, keys, object_keys, clock));
  CAIRN_CHECK(out->load(deadline));
  return out;
}

Status KeyUses::load(const os::Deadline& deadline) {
  auto object = store_.get(uses_record, deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found) return ok_status();
  CAIRN_CHECK(object);
  const auto json = parse_json(object->bytes);
  const auto of_key = [&](const std::string& id) {
    const auto key = keys_.get(id);
    return key == nullptr ? nullptr : key->last_use;
  };
  const auto of_object_key = [&](const std::string& id) {
    const auto key = object_keys_.find(id);
    return key == nullptr ? nullptr : key->last_use;
  };
  const auto restore = [](const auto& find) {
    return [&find](const std::string& id, const Use& use) {
      if (const auto last = find(id)) last->restore(use);
    };
  };
  const auto count = [](const auto& find) {
    return [&find](const std::string& id, const HourOfRequests& hour) {
      if (const auto last = find(id)) last->requests().add(hour.hour_ms, hour.requests);
    };
  };
  const bool read = json.ok() && read_uses(json->find("api_keys"), restore(of_key)) &&
                    read_uses(json->find("object_keys"), restore(of_object_key)) &&
                    read_requests(json->find("api_key_requests"), count(of_key)) &&
                    read_requests(json->find("object_key_requests"), count(of_object_key));
  if (!read)
    os::log(os::LogLevel::warn, "auth", "the last uses of keys were not read",
            {{"record", uses_record}});
  written_ = std::move(object->bytes);
  return ok_status();
}

std::string KeyUses::record() const {
  std::vector<KeyUse> api_keys, object_keys;
  const std::int64_t now = clock_.unix_ms();
  for (const auto& key : keys_.find({}))
    if (!key->invalidation_ms && !key->expired(now))
      add_use(api_keys, key->id, key->last_use.get());
  for (const auto& key : object_keys_.all())
    add_use(object_keys, key->access_key_id, key->last_use.get());
  arrange(api_keys);
  arrange(object_keys);
  return Json::object({{"api_keys", uses_json(api_keys)},
                       {"object_keys", uses_json(object_keys)},
                       {"api_key_requests", requests_json(api_keys)},
                       {"object_key_requests", requests_json(object_keys)}})
      .dump();
}

Status KeyUses::write(const os::Deadline& deadline) {
  std::string now = record();
  if (now == written_) return ok_status();
  CAIRN_CHECK(store_.put(uses_record, now, deadline));
  written_ = std::move(now);
  return ok_status();
}

}  // namespace cairn::auth
