// SPDX-License-Identifier: Apache-2.0
// A partial update of one document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"

namespace cairn::ingest {

struct Update {
  std::string id;
  std::string routing = {};  // empty: the document keeps its own
  Json doc = {};     // merged into the document; null: none
  Json upsert = {};  // the document where there is none; null: none
  bool doc_as_upsert = false;
  bool detect_noop = true;  // a change that changes nothing writes nothing
  std::int64_t retry_on_conflict = 0;
  std::optional<std::int64_t> if_seq_no = {};
  std::optional<std::int64_t> if_primary_term = {};
};

struct UpdateResult {
  index::WriteResult write;
  std::string source;  // of the document now
};

/// Reads the body of an update: doc, upsert, doc_as_upsert, detect_noop. `_source` is left to the
/// caller. Errors: x_content_parse_exception, illegal_argument_exception,
/// action_request_validation_exception.
Result<Update> parse_update(std::string_view id, const Json& body);

/// `base` with `change` merged in: objects member by member, other values replaced. In time of the
/// members of both; `steps` counts them for tests of that.
Json merge_document(Json base, const Json& change, std::uint64_t* steps = nullptr);

/// The operation that makes the update of `current` (nothing: there is no document), or nothing
/// where it changes nothing. Errors: document_missing_exception, version conflict.
Result<std::optional<index::WriteOperation>> plan_update(
    const Update& update, const std::optional<index::StoredDocument>& current);

}  // namespace cairn::ingest
