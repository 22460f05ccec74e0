// SPDX-License-Identifier: Apache-2.0
// Writes of one index: open or make it, embed, keep.
#include "ingest/ingest.h"

#include "index/errors.h"
#include "index/live_settings.h"
#include "ingest/embed.h"

namespace cairn::ingest {

using index::Index;
using index::WriteOperation;
using index::WriteResult;

Ingest::Ingest(index::Indices& indices, inference::Service& inference, Options options)
    : indices_(indices), inference_(inference), options_(options) {}

Result<std::shared_ptr<Index>> Ingest::open(std::string_view index_name, const WriteParams& params,
                                            const os::Deadline& deadline) {
  if (params.require_alias && !indices_.is_alias(index_name))
    return index::no_such_alias(index_name);
  CAIRN_CHECK(indices_.roll_over_if_marked(index_name, deadline));
  auto place = indices_.find_write(index_name);
  auto found = place.ok() ? Result<std::shared_ptr<Index>>(std::move(place->index))
                          : Result<std::shared_ptr<Index>>(place.error());
  if (found.ok() || !params.auto_create || found.error().kind != ErrorKind::not_found) return found;
  return make(index_name, deadline);
}

Result<std::shared_ptr<Index>> Ingest::make(std::string_view name, const os::Deadline& deadline) {
  CAIRN_TRY(const index::TemplatedIndex found, indices_.templated(name, {}));
  // A template that says so goes before the setting.
  if (found.allow_auto_create == false) return index::no_auto_create(name, found.template_name);
  if (!found.allow_auto_create) CAIRN_CHECK(indices_.live().auto_create()->check(name));
  Status made = ok_status();
  if (found.data_stream) {
    made = indices_.create_data_stream(name, deadline);
  } else {
    const auto& [mappings, settings, aliases] = found.definition;
    auto index = indices_.create(name, mappings, settings, deadline, aliases);
    if (index.ok()) return index;
    made = index.error();
  }
  // Somebody else may have made it in between.
  if (!made.ok() && made.error().kind != ErrorKind::already_exists) return made.error();
  CAIRN_TRY(auto place, indices_.find_write(name));
  return std::move(place.index);
}

Result<std::vector<WriteResult>> Ingest::write(std::string_view index_name,
                                               std::span<WriteOperation> operations,
                                               const WriteParams& params,
                                               const os::Deadline& deadline) {
  CAIRN_TRY(const auto index, open(index_name, params, deadline));
  return write_to(*index, operations, deadline);
}

Result<std::vector<WriteResult>> Ingest::write_to(Index& index,
                                                  std::span<WriteOperation> operations,
                                                  const os::Deadline& deadline) {
  const auto mapping = index.mapping();
  auto errors = embed(operations, *mapping, inference_, options_, deadline);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (!errors[i]) kept.push_back(i);
  if (kept.size() == operations.size()) return index.write(operations, deadline);

  std::vector<WriteOperation> good;
  good.reserve(kept.size());
  for (const std::size_t i : kept) good.push_back(std::move(operations[i]));
  std::vector<WriteResult> written;
  if (!good.empty()) {
    CAIRN_TRY(written, index.write(good, deadline));
  }
  std::vector<WriteResult> results(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (errors[i]) {
      results[i].id = operations[i].id;
      results[i].error = std::move(errors[i]);
    }
  for (std::size_t at = 0; at < kept.size(); ++at) {
    operations[kept[at]] = std::move(good[at]);
    results[kept[at]] = std::move(written[at]);
  }
  return results;
}

Result<UpdateResult> Ingest::update(std::string_view index_name, const Update& update,
                                    const WriteParams& params, const os::Deadline& deadline) {
  WriteParams only_upserts = params;
  only_upserts.auto_create =
      params.auto_create && (update.doc_as_upsert || !update.upsert.is_null());
  CAIRN_TRY(const auto index, open(index_name, only_upserts, deadline));
  return update_in(*index, update, deadline);
}

Result<UpdateResult> Ingest::update_in(Index& index, const Update& update,
                                       const os::Deadline& deadline) {
  CAIRN_CHECK(index.check_routing(update.id, update.routing));
  for (std::int64_t attempt = 0;; ++attempt) {
    CAIRN_TRY(const auto current, index.get(update.id, deadline));
    CAIRN_TRY(auto planned, plan_update(update, current));
    if (!planned)
      return UpdateResult{.write = {.id = update.id,
                                    .version = current->version,
                                    .seq_no = current->seq_no,
                                    .primary_term = current->primary_term,
                                    .outcome = WriteResult::Outcome::noop,
                                    .error = {}},
                          .source = current->source};
    std::string source = planned->source;
    CAIRN_TRY(auto results, write_to(index, std::span(&*planned, 1), deadline));
    WriteResult& result = results.front();
    if (!result.error) return UpdateResult{std::move(result), std::move(source)};
    const bool conflict = result.error->kind == ErrorKind::conflict ||
                          result.error->code == "version_conflict_engine_exception";
    if (!conflict || attempt >= update.retry_on_conflict) return std::move(*result.error);
  }
}

}  // namespace cairn::ingest
