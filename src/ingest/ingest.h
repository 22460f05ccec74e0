// SPDX-License-Identifier: Apache-2.0
// The way of documents into an index: made on first write, semantic fields embedded, then kept.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "inference/service.h"
#include "ingest/bulk.h"
#include "ingest/options.h"
#include "ingest/update.h"
#include "os/deadline.h"

namespace cairn::ingest {

struct GivenBack;
struct Names;

struct WriteParams {
  bool auto_create = true;     // make the index where there is none
  bool require_alias = false;  // refuse a name that is no alias
};

/// Safe from any thread. What a call acknowledges is durable.
class Ingest {
 public:
  /// The references must outlive the object.
  Ingest(index::Indices& indices, inference::Service& inference, Options options = {});

  /// Embeds what `operations` lack (their `semantic` is filled) and applies them in order, in one
  /// durable step. One result an operation; a document that could not be embedded has an error.
  /// Errors: index_not_found_exception, those of Indices::create and of Index::write.
  Result<std::vector<index::WriteResult>> write(std::string_view index_name,
                                                std::span<index::WriteOperation> operations,
                                                const WriteParams& params,
                                                const os::Deadline& deadline);

  /// A partial update of one document. Errors: document_missing_exception;
  /// version_conflict_engine_exception after `retry_on_conflict` repetitions; those of write.
  Result<UpdateResult> update(std::string_view index_name, const Update& update,
                              const WriteParams& params, const os::Deadline& deadline);

  /// Operations on any number of indices; those on one index happen in order. What an item names by
  /// an alias, it names by the index afterwards. One result an item,
  /// with all errors in it: circuit_breaking_exception for updates that would give back more than
  /// `answer_bytes_max` of documents, which are not done.
  std::vector<index::WriteResult> bulk(std::span<BulkItem> items, const os::Deadline& deadline);

  /// The index, made as its template says where there is none and `params` allow it; of an alias or
  /// a data stream the one that is written to.
  Result<std::shared_ptr<index::Index>> open(std::string_view index_name, const WriteParams& params,
                                             const os::Deadline& deadline);

 private:
  Result<std::vector<index::WriteResult>> write_to(index::Index& index,
                                                   std::span<index::WriteOperation> operations,
                                                   const os::Deadline& deadline);
  Result<UpdateResult> update_in(index::Index& index, const Update& update,
                                 const os::Deadline& deadline);
  Result<std::shared_ptr<index::Index>> make(std::string_view name, const os::Deadline& deadline);
  void roll_streams(std::span<BulkItem> items, const os::Deadline& deadline) const;
  void name_index(Names& names, BulkItem& item) const;
  bool makes_stream(Names& names, const BulkItem& item) const;
  void bulk_of_index(std::span<BulkItem> items, std::span<const std::size_t> which,
                     std::vector<index::WriteResult>& results, GivenBack& given,
                     const os::Deadline& deadline);

  index::Indices& indices_;
  inference::Service& inference_;
  Options options_;
};

}  // namespace cairn::ingest
