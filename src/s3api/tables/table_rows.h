// SPDX-License-Identifier: Apache-2.0
// Rows of the tables of a bucket as JSON: one object, with the columns that users of such tables know.
#pragma once

#include <string>
#include <string_view>

#include "format/json.h"
#include "objectstore/core/inventory.h"
#include "objectstore/engine.h"

namespace cairn::s3api {

/// Columns without a value are null.
Json journal_row_json(std::string_view bucket, const objectstore::JournalRow& row);
Json inventory_row_json(std::string_view bucket, const objectstore::InventoryRow& row);

}  // namespace cairn::s3api
