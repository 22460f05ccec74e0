// SPDX-License-Identifier: Apache-2.0
// {"api_keys": {"<id>": [<unix ms>, "<address>"]}, "object_keys": {…}}
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

using KeyUse = std::pair<std::string, Use>;  // the key's id

Json uses_json(std::vector<KeyUse> uses) {
  if (uses.size() > KeyUses::uses_max) {
    const auto later = [](const KeyUse& a, const KeyUse& b) {
      return a.second.at_ms > b.second.at_ms;
    };
    std::nth_element(uses.begin(), uses.begin() + KeyUses::uses_max, uses.end(), later);
    uses.resize(KeyUses::uses_max);
  }
  // One order, so that the same uses are the same text.
  std::sort(uses.begin(), uses.end(),
            [](const KeyUse& a, const KeyUse& b) { return a.first < b.first; });
  Json::Object out;
  out.reserve(uses.size());
  for (auto& [id, use] : uses)
    out.emplace_back(std::move(id), Json(Json::Array{use.at_ms, use.address}));
  return Json(std::move(out));
}

void add_use(std::vector<KeyUse>& uses, const std::string& id, const LastUse* last) {
  if (last == nullptr) return;
  if (Use use = last->get(); use.at_ms != 0) uses.emplace_back(id, std::move(use));
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
  const bool read =
      json.ok() &&
      read_uses(json->find("api_keys"),
                [&](const std::string& id, const Use& use) {
                  const auto key = keys_.get(id);
                  if (key != nullptr && key->last_use != nullptr) key->last_use->restore(use);
                }) &&
      read_uses(json->find("object_keys"), [&](const std::string& id, const Use& use) {
        const auto key = object_keys_.find(id);
        if (key != nullptr && key->last_use != nullptr) key->last_use->restore(use);
      });
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
  return Json::object({{"api_keys", uses_json(std::move(api_keys))},
                       {"object_keys", uses_json(std::move(object_keys))}})
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
