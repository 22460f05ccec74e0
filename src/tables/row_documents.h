// SPDX-License-Identifier: Apache-2.0
// Rows of tables as operations on the documents of an index, taken apart without a detour by JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/document/document.h"
#include "objectstore/core/inventory.h"
#include "objectstore/engine.h"

namespace cairn::tables {

/// Makes the operations of one index. For one thread.
class RowDocuments {
 public:
  /// `mapping`: that of the index, made of mapping_of().
  RowDocuments(std::string bucket, std::shared_ptr<const index::Mapping> mapping)
      : bucket_(std::move(bucket)), mapping_(std::move(mapping)) {}

  // All fill an operation, whose memory is used again, however it was filled before. Errors: those
  // of parse_document.
  /// A document whose id is the sequence number of the row.
  Status of_journal(const objectstore::JournalRow& row, index::ParsedOperation& to);
  /// A document whose id is made of key and version.
  Status of_inventory(std::uint64_t number, const objectstore::JournalRecord& record,
                      index::ParsedOperation& to);
  /// What the row of a journal does to an inventory: the version's document as it is now, or its
  /// removal.
  Status change_of_inventory(const objectstore::JournalRow& row, index::ParsedOperation& to);

 private:
  friend class DocumentColumns;
  struct Column {
    std::string_view name;
    std::string opening;  // of the value in the source: the name, and what stands around it
    const index::Field* field = nullptr;
  };
  const Column& column(std::string_view name);
  void begin(index::ParsedOperation& to, std::string id) const;

  const std::string bucket_;
  const std::shared_ptr<const index::Mapping> mapping_;
  // By the order in which rows name them: the next is found at once.
  std::vector<Column> columns_;
  std::size_t next_column_ = 0;
};

}  // namespace cairn::tables
