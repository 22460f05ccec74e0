// SPDX-License-Identifier: Apache-2.0
// Mixed batches: operations on one index go together, in order; updates read before they write.
#include <algorithm>
#include <map>
#include <set>

#include "ingest/ingest.h"

namespace cairn::ingest {
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

bool may_create(const BulkItem& item) {
  using Action = BulkItem::Action;
  if (item.action == Action::update)
    return item.update.doc_as_upsert || !item.update.upsert.is_null();
  return item.action != Action::remove;
}

/// True where the update of `item` has become an operation; else `result` says what it came to.
bool plan_item(Index& index, BulkItem& item, WriteResult& result, const os::Deadline& deadline) {
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
  if (!*planned) {
    if (!item.wanted_source.is_null()) item.updated_source = (*current)->source;
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

std::vector<WriteResult> Ingest::bulk(std::span<BulkItem> items, const os::Deadline& deadline) {
  std::vector<WriteResult> results(items.size());
  std::map<std::string, std::vector<std::size_t>> by_index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].refused)
      fail(results[i], items[i], *items[i].refused);
    else
      by_index[items[i].index].push_back(i);
  }
  for (const auto& [name, which] : by_index) bulk_of_index(items, which, results, deadline);
  return results;
}

void Ingest::bulk_of_index(std::span<BulkItem> items, std::span<const std::size_t> which,
                           std::vector<WriteResult>& results, const os::Deadline& deadline) {
  std::shared_ptr<Index> index;
  std::vector<std::size_t> waiting;  // items whose operations go in one write
  std::set<std::string> ids;         // of those

  const auto flush = [&] {
    if (waiting.empty()) return;
    std::vector<WriteOperation> operations;
    operations.reserve(waiting.size());
    for (const std::size_t i : waiting) operations.push_back(std::move(items[i].operation));
    auto written = write_to(*index, operations, deadline);
    for (std::size_t at = 0; at < waiting.size(); ++at) {
      BulkItem& item = items[waiting[at]];
      item.operation = std::move(operations[at]);
      if (!item.wanted_source.is_null()) item.updated_source = item.operation.source;
      if (written.ok())
        results[waiting[at]] = std::move(written.value()[at]);
      else
        fail(results[waiting[at]], items[waiting[at]], written.error());
    }
    waiting.clear();
    ids.clear();
  };

  for (const std::size_t i : which) {
    BulkItem& item = items[i];
    if (index == nullptr || item.require_alias) {
      auto opened =
          open(item.index, {.auto_create = may_create(item), .require_alias = item.require_alias},
               deadline);
      if (!opened.ok()) {
        fail(results[i], item, std::move(opened).error());
        continue;
      }
      index = *opened;
    }
    if (item.action != BulkItem::Action::update) {
      waiting.push_back(i);
      ids.insert(item.operation.id);
      continue;
    }
    if (ids.contains(item.update.id)) flush();  // it must see what came before it
    if (item.update.retry_on_conflict > 0) {    // written at once, to be able to repeat
      auto updated = update_in(*index, item.update, deadline);
      if (updated.ok()) {
        results[i] = std::move(updated->write);
        item.updated_source = std::move(updated->source);
      } else {
        fail(results[i], item, std::move(updated).error());
      }
    } else if (plan_item(*index, item, results[i], deadline)) {
      waiting.push_back(i);
      ids.insert(item.update.id);
    }
  }
  flush();
}

}  // namespace cairn::ingest
