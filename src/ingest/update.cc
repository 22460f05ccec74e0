// SPDX-License-Identifier: Apache-2.0
// Reading, merging and planning partial updates.
#include "ingest/update.h"

#include <string_view>
#include <unordered_map>

#include "index/errors.h"

namespace cairn::ingest {
namespace {

Error strict(std::string text) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "x_content_parse_exception",
          .message = "[UpdateRequest] " + std::move(text)};
}

Result<bool> read_flag(const Json& value, std::string_view name) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_string() && value.as_string() == "true") return true;
  if (value.is_string() && value.as_string() == "false") return false;
  return strict(std::string(name) + " doesn't support values other than true and false");
}

Status read_object(Json& out, const Json& value, std::string_view name) {
  if (!value.is_object()) return strict(std::string(name) + " must be an object");
  out = value;
  return ok_status();
}

// The recursion is as deep as both texts, which the parser bounds.
void merge_into(Json& base, const Json& change, std::uint64_t* steps) {
  if (!base.is_object() || !change.is_object()) {
    base = change;
    return;
  }
  Json::Object& members = base.as_object();
  const Json::Object& changes = change.as_object();
  if (steps != nullptr) *steps += members.size() + changes.size();
  members.reserve(members.size() + changes.size());  // names stay where the table points
  std::unordered_map<std::string_view, std::size_t> places;
  places.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].first, i);
  for (const auto& [name, value] : changes) {
    const auto there = places.find(name);
    if (there == places.end())
      members.emplace_back(name, value);
    else
      merge_into(members[there->second].second, value, steps);
  }
}

Error missing(const std::string& id) {
  return {.kind = ErrorKind::not_found,
          .code = "document_missing_exception",
          .message = "[" + id + "]: document missing"};
}

}  // namespace

Result<Update> parse_update(std::string_view id, const Json& body) {
  Update update{.id = std::string(id)};
  if (!body.is_object()) return strict("must be an object");
  for (const auto& [name, value] : body.as_object()) {
    if (name == "doc") {
      CAIRN_CHECK(read_object(update.doc, value, name));
    } else if (name == "upsert") {
      CAIRN_CHECK(read_object(update.upsert, value, name));
    } else if (name == "doc_as_upsert") {
      CAIRN_TRY(update.doc_as_upsert, read_flag(value, name));
    } else if (name == "detect_noop") {
      CAIRN_TRY(update.detect_noop, read_flag(value, name));
    } else if (name == "script" || name == "scripted_upsert") {
      return index::illegal_argument("[" + name +
                                     "] is not offered: scripts do not run here; send [doc]");
    } else if (name != "_source") {
      return strict("unknown field [" + name + "]");
    }
  }
  const auto invalid = [](std::string_view what) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "action_request_validation_exception",
                 .message = "Validation Failed: 1: " + std::string(what) + ";"};
  };
  if (update.doc.is_null() && update.doc_as_upsert)
    return invalid("doc must be specified if doc_as_upsert is enabled");
  if (update.doc.is_null()) return invalid("script or doc is missing");
  return update;
}

Json merge_document(Json base, const Json& change, std::uint64_t* steps) {
  merge_into(base, change, steps);
  return base;
}

Result<std::optional<index::WriteOperation>> plan_update(
    const Update& update, const std::optional<index::StoredDocument>& current) {
  using Kind = index::WriteOperation::Kind;
  if (!current) {
    if (update.if_seq_no)
      return index::version_conflict(
          update.id, "required seqNo [" + std::to_string(*update.if_seq_no) + "], primary term [" +
                         std::to_string(update.if_primary_term.value_or(0)) +
                         "]. but no document was found");
    const Json& fresh = update.doc_as_upsert ? update.doc : update.upsert;
    if (fresh.is_null()) return missing(update.id);
    return index::WriteOperation{.kind = Kind::create,
                                 .id = update.id,
                                 .source = fresh.dump(),
                                 .routing = update.routing};
  }
  if (update.if_seq_no && (*update.if_seq_no != current->seq_no ||
                           update.if_primary_term.value_or(1) != current->primary_term))
    return index::version_conflict(
        update.id, "required seqNo [" + std::to_string(*update.if_seq_no) + "], primary term [" +
                       std::to_string(update.if_primary_term.value_or(1)) +
                       "]. current document has seqNo [" + std::to_string(current->seq_no) +
                       "] and primary term [" + std::to_string(current->primary_term) + "]");
  CAIRN_TRY(const Json before, parse_json(current->source));
  const Json after = merge_document(before, update.doc);
  if (update.detect_noop && after == before) return std::optional<index::WriteOperation>();
  const std::string& routing = update.routing.empty() ? current->routing : update.routing;
  return index::WriteOperation{.kind = Kind::index,
                               .id = update.id,
                               .source = after.dump(),
                               .routing = routing,
                               .if_seq_no = current->seq_no,
                               .if_primary_term = current->primary_term};
}

}  // namespace cairn::ingest
