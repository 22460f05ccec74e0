// SPDX-License-Identifier: Apache-2.0
// GraphQL over the table of routes: the schema, and one request from its body to its answer.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/graphql/object_requests.h"
#include "api/graphql/operation_fields.h"
#include "api/graphql/persisted_queries.h"
#include "api/router.h"
#include "base/result.h"
#include "gate/route.h"
#include "graphql/execution/plan.h"
#include "graphql/options.h"
#include "graphql/schema/schema.h"

namespace cairn::api {

/// Immutable but for the persisted queries; safe from any thread.
class GraphqlService {
 public:
  /// For the rows that there are; each becomes a field, but for those of reason_left_out().
  /// Errors: invalid_argument, not_found: the schema is not in order, which is a bug.
  static Result<std::shared_ptr<GraphqlService>> make(const std::vector<gate::Route>& routes,
                                                      AskObjects objects = {});

  /// What a body asks for: parsed, validated, planned and weighed, before the limits are asked.
  Weighed weigh(std::string_view body);
  /// Runs what weigh() understood. Errors: a body that is no JSON, or no request of GraphQL.
  Result<Reply> answer(Call& call);

  const graphql::Schema& schema() const { return schema_; }
  /// The fields that the table of routes gave.
  const std::vector<OperationField>& operations() const { return operations_; }

 private:
  struct Understood;
  GraphqlService(graphql::Schema schema, std::vector<OperationField> operations)
      : schema_(std::move(schema)), operations_(std::move(operations)) {}
  void understand(const Json& one, Understood& out);
  std::size_t contents_of(const graphql::PlannedSet& plan) const;

  const graphql::Schema schema_;
  const std::vector<OperationField> operations_;
  const graphql::Options options_ = {};
  PersistedQueries persisted_;
};

}  // namespace cairn::api
