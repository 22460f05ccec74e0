// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/record_store.h"

#include <algorithm>

#include "store/update.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t memory_ns = 60'000'000'000;

}  // namespace

class RecordStore::Changing {
 public:
  explicit Changing(RecordStore& records) : records_(records) { count(); }
  ~Changing() { count(); }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;

 private:
  void count() {
    const MutexLock lock(records_.mutex_);
    ++records_.changes_;
  }

  RecordStore& records_;
};

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
  const Changing changing(*this);
  CAIRN_CHECK(store_.put(prefix_ + id, record.dump(), deadline, {.if_none_match = true}));
  return ok_status();
}

Result<bool> RecordStore::replace(const std::string& id, const Json& record,
                                  const os::Deadline& deadline) {
  const Changing changing(*this);
  CAIRN_TRY(const auto before, store_.head(prefix_ + id, deadline));
  CAIRN_CHECK(store_.put(prefix_ + id, record.dump(), deadline));
  return before.has_value();
}

Result<std::optional<std::pair<Json, bool>>> RecordStore::update(const std::string& id,
                                                                 const Change& change,
                                                                 const os::Deadline& deadline) {
  std::optional<Changing> changing;
  std::optional<std::pair<Json, bool>> updated;
  const auto swapped = [&](const store::Object* current) -> Result<std::optional<std::string>> {
    updated.reset();
    if (current == nullptr) return std::optional<std::string>();
    CAIRN_TRY(Json record, parse_json(current->bytes));
    CAIRN_TRY(const bool changed, change(record));
    updated.emplace(std::move(record), changed);
    if (!changed) return std::optional<std::string>();
    if (!changing) changing.emplace(*this);
    return std::optional<std::string>(updated->first.dump());
  };
  CAIRN_CHECK(store::update(store_, prefix_ + id, swapped, deadline));
  return updated;
}

Result<bool> RecordStore::remove(const std::string& id, const os::Deadline& deadline) {
  const Changing changing(*this);
  return store_.remove(prefix_ + id, deadline);
}

Result<RecordStore::Entries> RecordStore::all(const os::Deadline& deadline) const {
  Entries out;
  CAIRN_CHECK(store::for_each_object(
      store_, prefix_, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(auto record, get(info.key.substr(prefix_.size()), deadline));
        if (record) out.emplace_back(info.key.substr(prefix_.size()), std::move(*record));
        return ok_status();
      }));
  return out;
}

// Nothing where they are to be read.
std::shared_ptr<const RecordStore::Entries> RecordStore::known_now() {
  if (memory_ == nullptr || memory_->changes != changes_) return nullptr;
  const bool is_old = clock_.steady_ns() - memory_->read_ns >= memory_ns;
  return is_old && !reading_ ? nullptr : memory_->wanted;
}

Result<std::shared_ptr<const RecordStore::Entries>> RecordStore::known(
    const os::Deadline& deadline) {
  std::shared_ptr<const Memory> before;
  std::uint64_t changes = 0;
  {
    const MutexLock lock(mutex_);
    if (auto now = known_now()) return now;
    reading_ = true;
    before = memory_;
    changes = changes_;
  }
  auto fresh = read(before, deadline);
  const MutexLock lock(mutex_);
  reading_ = false;
  if (!fresh.ok()) return std::move(fresh).error();
  fresh->changes = changes;
  auto wanted = fresh->wanted;
  memory_ = std::make_shared<const Memory>(*std::move(fresh));
  return wanted;
}

// A record whose etag is known is not read again.
Result<RecordStore::Memory> RecordStore::read(const std::shared_ptr<const Memory>& before,
                                              const os::Deadline& deadline) {
  Memory out{.read_ns = clock_.steady_ns(), .wanted = {}};
  Entries wanted;
  const auto from_before = [&](const std::string& id, const std::string& etag) {
    if (before == nullptr) return false;
    const auto known = before->etags.find(id);
    if (known == before->etags.end() || known->second != etag) return false;
    const auto record =
        std::lower_bound(before->wanted->begin(), before->wanted->end(), id,
                         [](const auto& entry, const auto& key) { return entry.first < key; });
    if (record != before->wanted->end() && record->first == id) wanted.push_back(*record);
    return true;
  };
  CAIRN_CHECK(store::for_each_object(
      store_, prefix_, deadline, [&](const store::ObjectInfo& info) -> Status {
        std::string id = info.key.substr(prefix_.size());
        if (from_before(id, info.etag)) {
          out.etags.emplace(std::move(id), info.etag);
          return ok_status();
        }
        auto found = store_.get(info.key, deadline);
        if (!found.ok() && found.error().kind == ErrorKind::not_found) return ok_status();
        CAIRN_CHECK(found);
        CAIRN_TRY(Json record, parse_json(found->bytes));
        out.etags.emplace(id, found->info.etag);
        if (wanted_(record)) wanted.emplace_back(std::move(id), std::move(record));
        return ok_status();
      }));
  out.wanted = std::make_shared<const Entries>(std::move(wanted));
  return out;
}

}  // namespace cairn::connectors
