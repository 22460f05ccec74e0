// SPDX-License-Identifier: Apache-2.0
// Which actions a caller must be allowed before an operation is done for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "s3/grants.h"

namespace cairn::s3api {

/// What the answer depends on besides the action's name.
enum class ActionOwner : std::uint8_t {
  bucket,  // the bucket's owner gives it away, for the bucket and all that lies in it
  object   // whoever owns the object does, where it is there already
};

/// The grant that admits to an action, where one does.
struct GrantedBy {
  bool of_object = false;  // in the list of the object, else of the bucket
  s3::GrantRight right = s3::GrantRight::read;
};

struct ActionRow {
  std::string_view action;
  ActionOwner owner;
  std::optional<GrantedBy> granted_by = {};
};

/// Every action that operations here ask for. Null for others.
const ActionRow* find_action(std::string_view action);

/// One operation: what it does to its bucket or key, and what it does to the source of a copy.
struct OperationRow {
  std::string_view operation;
  std::string_view action;           // empty: each key of the body is asked for by itself
  std::string_view of_version = {};  // instead, where the request names a version
  std::string_view besides = {};     // and this one too
  std::string_view besides_version = {};
  bool writes_object = false;  // acl, tags and locks in header fields need their own actions
  bool reads_source = false;   // s3:GetObject of another object
  bool may_bypass_lock = false;
};

/// Null for an operation that this service does not have.
const OperationRow* find_operation_row(std::string_view operation);
std::span<const OperationRow> operation_rows();

}  // namespace cairn::s3api
