// SPDX-License-Identifier: Apache-2.0
// Rows of a database as items of a source, one document each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/source.h"
#include "format/json.h"

namespace cairn::connectors {

/// The columns of some rows, and which of them make the key, in its order.
class DatabaseColumns {
 public:
  DatabaseColumns() = default;
  /// Errors: invalid_argument, where the key names what is no column.
  static Result<DatabaseColumns> of(std::vector<std::string> names,
                                    const std::vector<std::string>& key);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::size_t>& key() const { return key_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> key_;
};

/// One row, seen by columns.
class DatabaseRow {
 public:
  virtual ~DatabaseRow() = default;
  /// The column's part of an id; nothing for NULL.
  virtual std::optional<std::string> key_part(std::size_t column) const = 0;
  /// Its value, null where it has none.
  virtual void append(JsonWriter& json, std::size_t column) const = 0;
};

/// Adds the row to the page: an item, or, where its key is null, an unreadable one. Returns the
/// bytes of the document.
std::size_t add_database_row(SourcePage& page, const DatabaseColumns& columns,
                             const DatabaseRow& row);

/// The refusal of a table that has no primary key.
Error no_primary_key(std::string_view table);

}  // namespace cairn::connectors
