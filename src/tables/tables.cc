// SPDX-License-Identifier: Apache-2.0
#include "tables/tables.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/encode.h"
#include "objectstore/engine_store.h"
#include "objectstore/journal/table_key.h"
#include "os/log.h"
#include "s3api/access/table_rights.h"

namespace cairn::tables {
namespace {

constexpr std::string_view bucket_of_copies = ".cairn-tables";
// So few that their documents stay in a core's cache until they are in the index.
constexpr std::size_t rows_of_a_step = 128;
constexpr std::size_t deleted_at_once = 1000;
constexpr std::int64_t end_wait_ms = 30'000;

struct DocumentOfTable {
  std::string_view document;
  TableKind kind;
};
constexpr DocumentOfTable documents_of_tables[] = {
    {objectstore::document::journal_table, TableKind::journal},
    {objectstore::document::inventory_table, TableKind::inventory}};

// Below which the objects of a copy lie: the id of the table, which no other has ever had.
std::string prefix_of(std::uint64_t id) {
  std::string bytes;
  put_u64be(bytes, id);
  return to_hex(bytes) + "/";
}

std::optional<std::uint64_t> id_of(std::string_view prefix) {
  if (!prefix.ends_with('/')) return std::nullopt;
  const auto bytes = from_hex(prefix.substr(0, prefix.size() - 1));
  if (!bytes || bytes->size() != 8) return std::nullopt;
  return ByteReader(*bytes).u64be();
}

Status delete_all(store::Store& store, const os::Deadline& deadline) {
  for (;;) {
    CAIRN_TRY(const auto page, store.list({.limit = deleted_at_once}, deadline));
    if (page.objects.empty()) return ok_status();
    std::vector<std::string> keys;
    for (const auto& object : page.objects) keys.push_back(object.key);
    CAIRN_CHECK(store.remove_batch(keys, deadline));
  }
}

}  // namespace

Tables::~Tables() {
  const MutexLock lock(mutex_);
  for (const auto& [name, copy] : copies_)
    if (copy.open != nullptr) shown_.unattach(name);
}

Status Tables::open_all(const os::Deadline& deadline) {
  for (const s3::Bucket& bucket : ground_.engine.list_buckets()) {
    const auto state = ground_.engine.bucket(bucket.name);
    if (!state.ok()) continue;
    for (const auto& [document_name, kind] : documents_of_tables) {
      CAIRN_CHECK(deadline.check("open the indices of tables"));
      const auto document = (*state)->document(document_name);
      if (!document) continue;
      const TableName name{.kind = kind, .bucket = bucket.name};
      const auto opened = open_copy(name, *document, deadline);
      if (!opened.ok()) tell(name, opened.error().message);
    }
  }
  return ok_status();
}

Result<Followed> Tables::follow(const std::string& bucket, const os::Deadline& deadline) {
  const auto state = ground_.engine.bucket(bucket);
  if (!state.ok()) return Followed::all;  // deleted meanwhile: the sweep sees it
  Followed out = Followed::all;
  for (const auto& [document_name, kind] : documents_of_tables) {
    const auto document = (*state)->document(document_name);
    if (!document) continue;
    CAIRN_TRY(const Followed one,
              follow_table({.kind = kind, .bucket = bucket}, *document, deadline));
    out = std::max(out, one);
  }
  return out;
}

// Only what ends this thread's work is its caller's; all else is told of the one table.
Result<Followed> Tables::follow_table(const TableName& name,
                                      const objectstore::BucketDocument& document,
                                      const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("follow the tables of a bucket"));
  const auto stepped = [&]() -> Result<bool> {
    CAIRN_TRY(const auto copy, open_copy(name, document, deadline));
    return copy->step(rows_of_a_step, deadline);
  }();
  if (stepped.ok()) {
    tell(name, "");
    return *stepped ? Followed::more : Followed::all;
  }
  CAIRN_CHECK(deadline.check("follow the tables of a bucket"));
  // Deleted meanwhile: the sweep sees it.
  if (!standing_tables().contains(document.generation())) return Followed::all;
  tell(name, stepped.error().message);
  return Followed::not_all;
}

Result<std::shared_ptr<TableIndex>> Tables::open_copy(const TableName& name,
                                                      const objectstore::BucketDocument& document,
                                                      const os::Deadline& deadline) {
  const std::string index_name = name.index();
  const std::uint64_t id = document.generation();
  store::Store* store = nullptr;
  bool of_another = false;  // the table was configured anew
  {
    const MutexLock lock(mutex_);
    if (const auto found = copies_.find(index_name); found != copies_.end()) {
      if (found->second.id == id && found->second.open != nullptr) return found->second.open;
      of_another = found->second.id != id;
      if (!of_another) store = found->second.store.get();
    }
  }
  if (of_another) drop(index_name);
  if (store == nullptr) {
    CAIRN_TRY(auto made, objectstore::sealed_store(ground_.engine, bucket_of_copies, prefix_of(id),
                                                   objectstore::table_key(document)->how()));
    store = made.get();
    const MutexLock lock(mutex_);
    copies_[index_name] = Copy{.id = id, .store = std::move(made)};
  }
  CAIRN_TRY(auto opened, open_in(*store, name, deadline));
  CAIRN_CHECK(shown_.attach(opened->index()));
  const MutexLock lock(mutex_);
  copies_[index_name].open = opened;
  return opened;
}

// All of a copy stands in the table too.
Result<std::shared_ptr<TableIndex>> Tables::open_in(store::Store& store, const TableName& name,
                                                    const os::Deadline& deadline) {
  auto opened = TableIndex::open(ground_, store, name, deadline);
  if (!opened.ok() && opened.error().kind == ErrorKind::corrupt) {
    os::log(os::LogLevel::warn, "tables", "the index of a table is damaged and is made anew",
            {{"index", name.index()}, {"reason", opened.error().message}});
    CAIRN_CHECK(delete_all(store, deadline));
    opened = TableIndex::open(ground_, store, name, deadline);
  }
  if (!opened.ok()) return opened.error();
  return std::shared_ptr<TableIndex>(std::move(*opened));
}

void Tables::tell(const TableName& name, const std::string& fault) {
  {
    const MutexLock lock(mutex_);
    const auto found = copies_.find(name.index());
    if (found == copies_.end() || found->second.fault == fault) return;
    found->second.fault = fault;
  }
  if (fault.empty())
    os::log(os::LogLevel::info, "tables", "the index of a table follows again",
            {{"index", name.index()}});
  else
    os::log(os::LogLevel::warn, "tables", "the index of a table does not follow",
            {{"index", name.index()}, {"reason", fault}});
}

// What its objects are is found again by sweep().
void Tables::drop(const std::string& index_name) {
  Copy gone;
  {
    const MutexLock lock(mutex_);
    const auto found = copies_.find(index_name);
    if (found == copies_.end()) return;
    gone = std::move(found->second);
    copies_.erase(found);
  }
  unswept_ = true;
  if (gone.open != nullptr) {
    shown_.unattach(index_name);
    const Status ended = gone.open->end(os::Deadline::in_ms(end_wait_ms));
    if (!ended.ok())
      os::log(os::LogLevel::warn, "tables", "the index of a table was not removed at once",
              {{"index", index_name}, {"reason", ended.error().message}});
    ending_.push_back(gone.open);
  }
  old_stores_.push_back(std::move(gone.store));
}

std::set<std::uint64_t> Tables::standing_tables() const {
  std::set<std::uint64_t> ids;
  for (const s3::Bucket& bucket : ground_.engine.list_buckets()) {
    const auto state = ground_.engine.bucket(bucket.name);
    if (!state.ok()) continue;
    for (const DocumentOfTable& table : documents_of_tables)
      if (const auto document = (*state)->document(table.document))
        ids.insert(document->generation());
  }
  return ids;
}

Status Tables::sweep(const os::Deadline& deadline) {
  const auto standing = standing_tables();
  std::vector<std::string> gone;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, copy] : copies_)
      if (!standing.contains(copy.id)) gone.push_back(name);
  }
  for (const std::string& name : gone) drop(name);
  if (!unswept_) return ok_status();
  CAIRN_TRY(const auto all, objectstore::reserved_store(ground_.engine, bucket_of_copies));
  bool found = false;
  store::ListParams params{.delimiter = "/"};
  do {
    CAIRN_CHECK(deadline.check("sweep the indices of tables"));
    CAIRN_TRY(const auto page, all->list(params, deadline));
    for (const std::string& prefix : page.prefixes) {
      const auto id = id_of(prefix);
      if (id && standing.contains(*id)) continue;
      found = true;
      CAIRN_TRY(const auto below,
                objectstore::reserved_store(ground_.engine, bucket_of_copies, prefix));
      CAIRN_CHECK(delete_all(*below, deadline));
    }
    params.start_after = page.next_start_after;
  } while (!params.start_after.empty());
  // A merge that was under way may have written after its index was gone.
  std::erase_if(ending_, [](const auto& ending) { return ending.expired(); });
  unswept_ = found || !ending_.empty();
  return ok_status();
}

std::vector<std::shared_ptr<TableIndex>> Tables::open_copies() const {
  std::vector<std::shared_ptr<TableIndex>> open;
  const MutexLock lock(mutex_);
  for (const auto& [name, copy] : copies_)
    if (copy.open != nullptr) open.push_back(copy.open);
  return open;
}

void Tables::flush(const os::Deadline& deadline) {
  for (const auto& copy : open_copies()) {
    const Status kept = copy->flush(deadline);
    if (!kept.ok())
      os::log(os::LogLevel::warn, "tables", "the index of a table was not flushed",
              {{"index", copy->name().index()}, {"reason", kept.error().message}});
  }
}

std::uint64_t Tables::needs_behind(const std::string& bucket) const {
  std::uint64_t least = UINT64_MAX;
  for (const auto& copy : open_copies())
    if (copy->name().bucket == bucket) least = std::min(least, copy->needs_behind());
  return least;
}

Status Tables::maintain(const os::Deadline& deadline) {
  auto open = open_copies();
  for (auto& index : open) {
    CAIRN_CHECK(deadline.check("keep the indices of tables"));
    const Status kept = index->maintain(deadline);
    if (!kept.ok() && deadline.check("keep the indices of tables").ok())
      os::log(os::LogLevel::warn, "tables", "the index of a table was not merged",
              {{"index", index->name().index()}, {"reason", kept.error().message}});
    index.reset();  // one that is gone by now is waited for
  }
  return deadline.check("keep the indices of tables");
}

std::optional<CopyState> Tables::state(std::string_view bucket, std::string_view table) const {
  const std::string name = s3api::index_of_table(table, bucket);
  const MutexLock lock(mutex_);
  const auto found = copies_.find(name);
  if (found == copies_.end()) return std::nullopt;
  const Copy& copy = found->second;
  return CopyState{.filled = copy.open != nullptr && copy.open->is_filled(), .fault = copy.fault};
}

}  // namespace cairn::tables
