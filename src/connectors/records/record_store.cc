// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/record_store.h"

#include "store/update.h"

namespace cairn::connectors {
Result<std::optional<Json>> RecordStore::get(const std::string& id,
                                             const os::Deadline& deadline) const {
  auto object = store_.get(prefix_ + id, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return std::optional<Json>();
    return std::move(object).error();
  }
  CAIRN_TRY(auto record, parse_json(object->bytes));
  return std::optional<Json>(std::move(record));
}

Status RecordStore::create(const std::string& id, const Json& record,
                           const os::Deadline& deadline) {
  CAIRN_CHECK(store_.put(prefix_ + id, record.dump(), deadline, {.if_none_match = true}));
  return ok_status();
}

Result<bool> RecordStore::replace(const std::string& id, const Json& record,
                                  const os::Deadline& deadline) {
  CAIRN_TRY(const auto before, store_.head(prefix_ + id, deadline));
  CAIRN_CHECK(store_.put(prefix_ + id, record.dump(), deadline));
  return before.has_value();
}

Result<std::optional<std::pair<Json, bool>>> RecordStore::update(const std::string& id,
                                                                 const Change& change,
                                                                 const os::Deadline& deadline) {
  std::optional<std::pair<Json, bool>> updated;
  const auto swapped = [&](const store::Object* current) -> Result<std::optional<std::string>> {
    updated.reset();
    if (current == nullptr) return std::optional<std::string>();
    CAIRN_TRY(Json record, parse_json(current->bytes));
    CAIRN_TRY(const bool changed, change(record));
    updated.emplace(std::move(record), changed);
    if (!changed) return std::optional<std::string>();
    return std::optional<std::string>(updated->first.dump());
  };
  CAIRN_CHECK(store::update(store_, prefix_ + id, swapped, deadline));
  return updated;
}

Result<bool> RecordStore::remove(const std::string& id, const os::Deadline& deadline) {
  return store_.remove(prefix_ + id, deadline);
}

Result<std::vector<std::pair<std::string, Json>>> RecordStore::all(
    const os::Deadline& deadline) const {
  std::vector<std::pair<std::string, Json>> out;
  CAIRN_CHECK(store::for_each_object(
      store_, prefix_, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(auto record, get(info.key.substr(prefix_.size()), deadline));
        if (record) out.emplace_back(info.key.substr(prefix_.size()), std::move(*record));
        return ok_status();
      }));
  return out;
}

}  // namespace cairn::connectors
