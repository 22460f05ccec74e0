// SPDX-License-Identifier: Apache-2.0
// One item of a bulk request.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "ingest/update.h"

namespace cairn::ingest {

struct BulkItem {
  enum class Action { index, create, update, remove };
  Action action = Action::index;
  std::string index;
  index::WriteOperation operation = {};  // but for updates
  Update update = {};
  bool require_alias = false;
  bool require_data_stream = false;
  bool is_resolved = false;  // `index` is what an alias or data stream meant: it is not made anew
  Json wanted_source = {};          // of updates: what of the document to give back; null: nothing
  std::string updated_source = {};  // result of an update that wants it: the document as it is now
  std::optional<Error> refused = {};  // set: nothing is done, this is the result
};

}  // namespace cairn::ingest
