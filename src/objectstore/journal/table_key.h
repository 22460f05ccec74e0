// SPDX-License-Identifier: Apache-2.0
// How the rows of a table of a bucket are kept: the document beside the bucket that makes the table,
// and the key that its rows are sealed with.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/bucket_state.h"
#include "objectstore/key_ring.h"
#include "s3/model.h"

namespace cairn::objectstore {

/// Documents of a bucket with these names make its tables: a bucket has a journal while the first is
/// there. Their texts are made by table_document(); the generation of each is the id of the table.
namespace document {
inline constexpr std::string_view journal_table = "journal_table";
inline constexpr std::string_view inventory_table = "inventory_table";
}  // namespace document

/// The text of such a document: `how` is none, aes256 or kms.
/// Errors: those of KeyRing::seal; unsupported, where there is no ring.
Result<std::string> table_document(KeyRing* ring, const s3::Encryption& how);

/// The key of a table. Safe from any thread.
class TableKey {
 public:
  /// `text`: of the document. What is wrong with it is told by seal() and unseal().
  explicit TableKey(std::string_view text);

  const s3::Encryption& how() const { return how_; }
  /// A row as it is kept: sealed, or as it is where the table is not encrypted.
  /// Errors: those of KeyRing::unseal; corrupt.
  Result<std::string> seal(KeyRing* ring, std::string_view row) const;
  /// The row again. Errors: as above.
  Result<std::string> unseal(KeyRing* ring, std::string_view bytes) const;

 private:
  Result<std::string> key(KeyRing* ring) const;

  s3::Encryption how_ = {};
  std::string sealed_ = {};
  bool broken_ = false;
  mutable std::mutex mutex_;
  mutable std::optional<std::string> key_;  // once it was opened
};

/// The key of the table that `document` makes, read once for each document.
std::shared_ptr<const TableKey> table_key(const BucketDocument& document);

}  // namespace cairn::objectstore
