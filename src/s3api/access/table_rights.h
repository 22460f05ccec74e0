// SPDX-License-Identifier: Apache-2.0
// Who may read the tables of a bucket's metadata, which are indices of the platform.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/accounts/accounts.h"
#include "s3/model.h"

namespace cairn::s3api {

/// The action that a policy of a user names for it.
inline constexpr std::string_view read_table_action = "s3tables:GetTableData";

struct TableIndex {
  std::string_view table;  // "journal", "inventory"
  std::string_view bucket;
};
/// What the index ".objects-journal-books" is of; nothing for other names, and for patterns.
std::optional<TableIndex> table_of_index(std::string_view index);
/// The other way round: ".objects-journal-books".
std::string index_of_table(std::string_view table, std::string_view bucket);

/// "arn:aws:s3tables:us-east-1:123456789012:bucket/aws-s3/table/b_books/journal": the resource that
/// policies name.
std::string table_arn(const s3::Bucket& bucket, std::string_view table, std::string_view region);

/// Whether the caller may read that table of that bucket: of a general purpose bucket of its own
/// account, as its root or by its policies. A policy that asks for the connection, or for anything
/// else that an index does not know, admits to nothing. Policies of buckets give no tables away.
/// Never blocks.
bool may_read_table(const auth::ObjectCaller& caller, const s3::Bucket& bucket,
                    std::string_view table, std::string_view region, std::int64_t now_ms);

}  // namespace cairn::s3api
