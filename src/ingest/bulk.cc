// SPDX-License-Identifier: Apache-2.0
// Mixed batches: operations on one index go together, in order; updates read before they write.
#include <algorithm>
#include <map>
#include <set>

#include "index/errors.h"
#include "ingest/ingest.h"

namespace cairn::ingest {

/// The documents that a batch gives back, which stay in memory until it is answered.
struct GivenBack {
  std::size_t bytes = 0;
  std::size_t most = 0;

  Status take(std::size_t size) {
    if (size > most - std::min(most, bytes)) return index::answer_too_large(bytes + size, most);
    bytes += size;
    return ok_status();
  }
};

namespace {

using index::Index;
using index::WriteOperation;
using index::WriteResult;

const std::string& id_of(const BulkItem& item) {
  return item.action == BulkItem::Action::update ? item.update.id : item.operation.id;
}

void fail(WriteResult& result, const BulkItem& item, Error error) {
  result.id = id_of(item);
  result.error = std::move(error);
}

bool wants_source(const BulkItem& item) {
  const bool none = item.wanted_source.is_bool() && !item.wanted_source.as_bool();
  return !item.wanted_source.is_null() && !none;
}

bool may_create(const BulkItem& item) {
  using Action = BulkItem::Action;
  if (item.is_resolved) return false;
  if (item.action == Action::update)
    return item.update.doc_as_upsert || !item.update.upsert.is_null();
  return item.action != Action::remove;
}

index::StreamWrite stream_write_of(const BulkItem& item) {
  using Action = BulkItem::Action;
  using Write = index::StreamWrite;
  if (item.action == Action::create) return Write::create;
  if (item.action == Action::update) return Write::update;
  if (item.action == Action::remove) return Write::remove;
  return item.operation.if_seq_no ? Write::index_if_unchanged : Write::index;
}

/// True where the update of `item` has become an operation; else `result` says what it came to.
bool plan_item(Index& index, BulkItem& item, WriteResult& result, GivenBack& given,
               const os::Deadline& deadline) {
  if (const Status fine = index.check_routing(item.update.id, item.update.routing); !fine.ok()) {
    fail(result, item, fine.error());
    return false;
  }
  const auto current = index.get(item.update.id, deadline);
  if (!current.ok()) {
    fail(result, item, current.error());
    return false;
  }
  auto planned = plan_update(item.update, *current);
  if (!planned.ok()) {
    fail(result, item, std::move(planned).error());
    return false;
  }
  const std::string& source = *planned ? (*planned)->source : (*current)->source;
  if (wants_source(item)) {
    if (const Status fits = given.take(source.size()); !fits.ok()) {
      fail(result, item, fits.error());
      return false;
    }
  }
  if (!*planned) {
    if (wants_source(item)) item.updated_source = source;
    result = {.id = item.update.id,
              .version = (*current)->version,
              .seq_no = (*current)->seq_no,
              .primary_term = (*current)->primary_term,
              .outcome = WriteResult::Outcome::noop,
              .error = {}};
    return false;
  }
  item.operation = std::move(**planned);
  return true;
}

}  // namespace

/// What names are at the beginning of a bulk request.
struct Names {
  std::shared_ptr<const index::AliasTable> aliases;
  std::shared_ptr<const index::StreamTable> streams;
  std::map<std::string, bool> makes_stream = {};  // of names of nothing, that are written to
};

void Ingest::name_index(Names& names, BulkItem& item) const {
  const index::StreamWrite write = stream_write_of(item);
  if (const Status allowed = check_stream_write(*names.streams, item.index, write); !allowed.ok()) {
    item.refused = allowed.error();
    return;
  }
  const bool is_alias = names.aliases->find(item.index) != nullptr;
  if (item.require_alias && !is_alias) {
    item.refused = index::no_such_alias(item.index);
    return;
  }
  if (!is_alias && names.streams->find(item.index) == nullptr) {
    const bool makes = makes_stream(names, item);
    if (makes)
      if (const Status allowed = index::check_new_stream_write(write); !allowed.ok())
        item.refused = allowed.error();
    if (!makes && item.require_data_stream) item.refused = index::no_such_stream(item.index);
    return;
  }
  if (is_alias && item.require_data_stream) {
    item.refused = index::no_such_stream(item.index);
    return;
  }
  std::string& routing =
      item.action == BulkItem::Action::update ? item.update.routing : item.operation.routing;
  auto place = indices_.find_write(item.index, routing);
  if (!place.ok()) {
    item.refused = std::move(place).error();
    return;
  }
  item.index = place->index->name();
  item.is_resolved = true;
  item.require_alias = false;
  routing = std::move(place->routing);
}

// A template is looked for once for each name.
bool Ingest::makes_stream(Names& names, const BulkItem& item) const {
  if (!may_create(item)) return false;
  const auto known = names.makes_stream.find(item.index);
  if (known != names.makes_stream.end()) return known->second;
  bool makes = false;
  if (!indices_.find(item.index).ok()) {
    const auto found = indices_.templated(item.index, {});
    makes = found.ok() && found->data_stream.has_value();
  }
  return names.makes_stream.emplace(item.index, makes).first->second;
}

/// Data streams that begin a new index with their next document. Where that fails, so do the
/// documents.
void Ingest::roll_streams(std::span<BulkItem> items, const os::Deadline& deadline) const {
  std::map<std::string_view, Status> rolled;
  for (BulkItem& item : items) {
    if (item.refused || stream_write_of(item) != index::StreamWrite::create) continue;
    auto at = rolled.find(item.index);
    if (at == rolled.end())
      at = rolled.emplace(item.index, indices_.roll_over_if_marked(item.index, deadline)).first;
    if (!at->second.ok()) item.refused = at->second.error();
  }
}

std::vector<WriteResult> Ingest::bulk(std::span<BulkItem> items, const os::Deadline& deadline) {
  std::vector<WriteResult> results(items.size());
  std::map<std::string, std::vector<std::size_t>> by_index;
  roll_streams(items, deadline);
  Names names{.aliases = indices_.aliases(), .streams = indices_.data_streams()};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].refused) name_index(names, items[i]);
    if (items[i].refused)
      fail(results[i], items[i], *items[i].refused);
    else
      by_index[items[i].index].push_back(i);
  }
  GivenBack given{.most = options_.answer_bytes_max};
  for (const auto& [name, which] : by_index) bulk_of_index(items, which, results, given, deadline);
  return results;
}

void Ingest::bulk_of_index(std::span<BulkItem> items, std::span<const std::size_t> which,
                           std::vector<WriteResult>& results, GivenBack& given,
                           const os::Deadline& deadline) {
  std::shared_ptr<Index> index;
  std::vector<std::size_t> waiting;  // items whose operations go in one write
  std::set<std::string> ids;         // of those
  std::size_t bytes = 0;             // of documents that their updates made

  const auto flush = [&] {
    if (waiting.empty()) return;
    std::vector<WriteOperation> operations;
    operations.reserve(waiting.size());
    for (const std::size_t i : waiting) operations.push_back(std::move(items[i].operation));
    auto written = write_to(*index, operations, deadline);
    for (std::size_t at = 0; at < waiting.size(); ++at) {
      BulkItem& item = items[waiting[at]];
      item.operation.id = std::move(operations[at].id);
      if (wants_source(item)) item.updated_source = std::move(operations[at].source);
      if (written.ok())
        results[waiting[at]] = std::move(written.value()[at]);
      else
        fail(results[waiting[at]], items[waiting[at]], written.error());
    }
    waiting.clear();
    ids.clear();
    bytes = 0;
  };

  for (const std::size_t i : which) {
    BulkItem& item = items[i];
    if (index == nullptr) {
      auto opened = open(item.index, {.auto_create = may_create(item)}, deadline);
      if (!opened.ok()) {
        fail(results[i], item, std::move(opened).error());
        continue;
      }
      index = *opened;
      // A data stream that was made by this is written to by the name of its index.
      if (index->name() != item.index)
        for (const std::size_t each : which) items[each].index = index->name();
    }
    if (item.action != BulkItem::Action::update) {
      waiting.push_back(i);
      ids.insert(item.operation.id);
      continue;
    }
    if (ids.contains(item.update.id)) flush();  // it must see what came before it
    if (item.update.retry_on_conflict > 0) {    // written at once, to be able to repeat
      // How long the document is, is known once it is written: at most one is too much.
      const Status fits = wants_source(item) ? given.take(1) : ok_status();
      if (!fits.ok()) {
        fail(results[i], item, fits.error());
        continue;
      }
      auto updated = update_in(*index, item.update, deadline);
      if (!updated.ok()) {
        fail(results[i], item, std::move(updated).error());
        continue;
      }
      results[i] = std::move(updated->write);
      if (!wants_source(item)) continue;
      given.bytes += updated->source.size();
      item.updated_source = std::move(updated->source);
    } else if (plan_item(*index, item, results[i], given, deadline)) {
      waiting.push_back(i);
      ids.insert(item.update.id);
      bytes += item.operation.source.size();
      if (bytes >= options_.write_bytes) flush();  // a small change may make a large document
    }
  }
  flush();
}

}  // namespace cairn::ingest
