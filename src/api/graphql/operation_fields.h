// SPDX-License-Identifier: Apache-2.0
// Every operation of the table of routes as a field: what changes something of Mutation, what reads
// of Query, under its name in the official clients ("indices.put_mapping": indicesPutMapping).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/route.h"
#include "graphql/schema/schema.h"

namespace cairn::api {

/// An argument of such a field, and what it is in the request.
struct OperationArgument {
  enum class Kind { path, query, body, lines };
  Kind kind = Kind::query;
  std::string name;  // in GraphQL
  std::string wire;  // in the path or the query
  std::string type;  // "String!"
  std::string description = {};
};

struct OperationField {
  std::string name;
  bool mutation = false;
  bool content = false;  // makes content that others are told of
  std::string summary = {};
  std::vector<gate::Route> rows = {};  // the most general first
  std::vector<OperationArgument> arguments = {};
};

/// Fields for the operations that have none among `taken` ("Query.search"), by the order of the
/// table.
std::vector<OperationField> operation_fields(const std::vector<gate::Route>& routes,
                                             const std::vector<std::string>& taken);
/// Why a row is no field; empty: it is one.
std::string_view reason_left_out(const gate::Route& route);

/// Their lines in the schema language, for Query or for Mutation.
std::string text_of_fields(const std::vector<OperationField>& fields, bool mutations);
/// Binds what resolves them. Errors: not_found.
Status bind_operation_fields(graphql::Schema& schema, const std::vector<OperationField>& fields);

}  // namespace cairn::api
