// SPDX-License-Identifier: Apache-2.0
#include "graphql/validation/validate.h"

#include "graphql/validation/context.h"

namespace cairn::graphql {

std::vector<Fault> validate(const Schema& schema, const Document& document,
                            const Options& options) {
  ValidationContext context{.schema = schema, .document = document, .options = options};
  if (document.operations.size() > options.operations) {
    context.fault("A document may define " + std::to_string(options.operations) +
                      " operations, and this one defines " +
                      std::to_string(document.operations.size()) + ".",
                  {document.operations[options.operations].at});
    return std::move(context.faults);
  }
  for (const Fragment& one : document.fragments) context.fragments.emplace(one.name, &one);
  check_definitions(context);
  check_selections(context);
  check_variables(context);
  check_overlap(context);
  return std::move(context.faults);
}

}  // namespace cairn::graphql
