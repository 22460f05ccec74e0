// SPDX-License-Identifier: Apache-2.0
// One row of the table of routes, and who is calling. The table drives dispatch, authentication,
// privileges, limits, the OpenAPI document and the docs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/rights.h"

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
  /// rights of the key is let through. Without it such a wildcard is answered 403.
  bool filters_indices = false;
  bool open = false;  // needs no credentials
  std::string resource = "core";
  int points = 1;
  bool content = false;  // makes content that others are told of; has limits of its own
  Stability stability = Stability::stable;
  std::string since = "7.0.0";
  std::vector<Parameter> query = {};  // besides pretty, human, filter_path, error_trace, format
  std::string summary = {};           // one sentence
  bool body_required = false;
  bool ndjson = false;
  bool body_is_stream = false;       // the handler pulls the body itself
  std::uint64_t body_bytes_max = 0;  // 0: the limit of the listener
};

/// Who asks. Copies are cheap; it keeps the key's record alive as it was when the request came.
class Caller {
 public:
  Caller() = default;  // nobody: open routes only
  struct Facts {
    std::string key_id;
    std::string key_name;
    std::string username;
    Json identity;  // metadata._cairn.identity, or null: {kind, ...facts}
    Json metadata;
    auth::Rights rights;
    auth::Rights limit;  // rights of whoever made the key, at that time; both must admit
  };
  explicit Caller(std::shared_ptr<const Facts> facts) : facts_(std::move(facts)) {}

  bool anonymous() const { return facts_ == nullptr; }
  const std::string& key_id() const { return facts().key_id; }
  const std::string& key_name() const { return facts().key_name; }
  const std::string& username() const { return facts().username; }
  const Json& identity() const { return facts().identity; }
  const Json& metadata() const { return facts().metadata; }
  bool may_cluster(std::string_view privilege) const;
  bool may_index(std::string_view privilege, std::string_view index) const;
  const Facts& facts() const;

 private:
  std::shared_ptr<const Facts> facts_;
};

}  // namespace cairn::gate
