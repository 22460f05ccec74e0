// SPDX-License-Identifier: Apache-2.0
// Rows of the tables of a bucket as JSON: one object, with the columns that users of such tables
// know.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "format/json.h"
#include "objectstore/core/inventory.h"
#include "objectstore/engine.h"

namespace cairn::s3api {

/// A sequence number: 16 hexadecimal digits, which sort as texts as the numbers do.
std::string sequence_text(std::uint64_t number);

/// What takes the columns of a row, one after another, always in the same order.
class RowColumns {
 public:
  virtual ~RowColumns() = default;
  virtual void null(std::string_view name) = 0;
  virtual void text(std::string_view name, std::string_view value) = 0;
  virtual void number(std::string_view name, std::uint64_t value) = 0;
  virtual void boolean(std::string_view name, bool value) = 0;
  virtual void time(std::string_view name, std::int64_t unix_ms) = 0;
  virtual void map(std::string_view name, const std::map<std::string, std::string>& value) = 0;
};

void give_journal_row(std::string_view bucket, const objectstore::JournalRow& row, RowColumns& to);
void give_inventory_row(std::string_view bucket, std::uint64_t number,
                        const objectstore::JournalRecord& record, RowColumns& to);

/// The same as JSON. Columns without a value are null.
Json journal_row_json(std::string_view bucket, const objectstore::JournalRow& row);
Json inventory_row_json(std::string_view bucket, const objectstore::InventoryRow& row);

}  // namespace cairn::s3api
