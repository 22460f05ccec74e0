// SPDX-License-Identifier: Apache-2.0
// One row of the table of routes, and who is calling. The table drives dispatch, authentication,
// privileges, limits, the OpenAPI document and the docs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/key.h"
#include "format/json.h"

namespace cairn::gate {

enum class Stability { stable, beta, experimental };
std::string_view name_of(Stability stability);

/// A query parameter that a route understands.
struct Parameter {
  std::string name;
  std::string type = "string";  // boolean, integer, number, time, size, string, list
  std::string description = {};
};

struct Route {
  std::string method;     // "PUT"
  std::string path;       // "/_connector/{connector_id}"; a name in braces fits one segment
  std::string operation;  // "connector.put": the name in the official clients
  /// Any one of these cluster privileges (or one that implies it) admits. Narrowest first.
  std::vector<std::string> cluster = {};
  /// Needed on every index that {index} names (a comma list). Where `cluster` is not empty too,
  /// either admits.
  std::string index_privilege = {};
  /// Asks `index_privilege` for this index instead of {index}.
  std::string fixed_index = {};
  /// The handler leaves out indices that `Call::admits` refuses, so that a wildcard wider than the
  /// rights of the key is let through where the key has the privilege on some index. Without it
  /// such a wildcard is answered 403.
  bool filters_indices = false;
  bool open = false;  // needs no credentials
  std::string resource = "core";
  int points = 1;
  bool content = false;  // makes content that others are told of; has limits of its own
  Stability stability = Stability::stable;
  std::string since = "7.0.0";
  std::vector<Parameter> query = {};  // besides pretty, human, filter_path, error_trace, format
  std::string summary = {};           // one sentence
  std::string action = {};            // as a 403 names it; empty: made from `operation`
  bool body_required = false;
  bool ndjson = false;
  bool body_is_stream = false;       // the handler pulls the body itself
  std::uint64_t body_bytes_max = 0;  // 0: the limit of the listener
};

/// Who asks. Copies are cheap; it keeps the key as it was when the request came.
class Caller {
 public:
  Caller() = default;  // nobody: open routes only
  explicit Caller(std::shared_ptr<const auth::Key> key) : key_(std::move(key)) {}

  bool anonymous() const { return key_ == nullptr; }
  /// The key that the request presented. A bug, and aborts, where anonymous.
  const auth::Key& key() const;
  std::string_view username() const;  // empty where anonymous
  /// metadata._cairn.identity: {kind, user|id|repo, facts}; null where the key has none.
  const Json& identity() const;
  bool may_cluster(std::string_view privilege) const;
  /// `index` is a name, or a wildcard expression, which must be covered whole.
  bool may_index(std::string_view privilege, std::string_view index) const;
  /// On some index, whatever it is called.
  bool may_some_index(std::string_view privilege) const;

 private:
  std::shared_ptr<const auth::Key> key_;
};

}  // namespace cairn::gate
