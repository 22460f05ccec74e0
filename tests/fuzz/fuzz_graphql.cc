// SPDX-License-Identifier: Apache-2.0
// Documents of GraphQL, up to where they could run; the first byte says whether variables come in
// front, in a line of their own. What can be parsed has places inside the text, and what is valid
// has a plan within its bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graphql/execution/prepare.h"
#include "graphql/language/parser.h"

namespace {

constexpr std::string_view types = R"(
interface Node { id: ID! }
type A implements Node { id: ID! b: B list(first: Int, last: Int): AConnection text(in: In, e: [E!], f: Float = 1.5): String! }
type B implements Node { id: ID! a: A! u: U any(v: JSON): JSON }
type AConnection { nodes: [A] total: Int }
union U = A | B
enum E { ONE TWO }
input In { a: Int! = 1 b: [In!] c: String }
scalar JSON
type Query { a: A b(id: ID): B node(id: ID!): Node }
type Mutation { set(in: In!): A }
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  static const graphql::Schema schema = graphql::Schema::make(types).value();
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  graphql::Request request;
  if ((data[0] & 1) != 0) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (auto variables = parse_json(line); variables.ok() && variables->is_object())
      request.variables = std::move(*variables);
    text.remove_prefix(line.size());
  }
  request.query = std::string(text);
  const graphql::Options options;
  const auto parsed = graphql::parse_document(text, options);
  if (!parsed.ok() && parsed.error().message.empty()) std::abort();
  const auto prepared = graphql::prepare(schema, request, options);
  if (!parsed.ok() && prepared->faults.empty()) std::abort();
  for (const auto& fault : prepared->faults) (void)graphql::error_of(fault).dump();
  if (prepared->faults.empty() &&
      (prepared->operation == nullptr || prepared->weight.nodes > options.nodes ||
       prepared->weight.calls > options.calls || prepared->weight.cost() == 0))
    std::abort();
  return 0;
}
