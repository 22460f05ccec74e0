// SPDX-License-Identifier: Apache-2.0
// Reading the lines of a bulk request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/bulk.h"

namespace cairn::api {

/// What holds for items that say nothing else.
struct BulkDefaults {
  std::string index = {};
  bool require_alias = false;
  bool require_data_stream = false;
  std::string routing = {};
  Json source = {};  // what updates give back of the document; null: nothing
  std::string pipeline = {};
};

/// The items in order; what is wrong with one item is its `refused`. Sources stay text.
/// Errors: illegal_argument_exception with the number of the line, x_content_parse_exception,
/// action_request_validation_exception: nothing of the request is done.
Result<std::vector<ingest::BulkItem>> parse_bulk(std::string_view body,
                                                 const BulkDefaults& defaults);

}  // namespace cairn::api
