// SPDX-License-Identifier: Apache-2.0
// How fields get what they show: a request of the table of routes, and pages of what it answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "format/json.h"
#include "graphql/execution/plan.h"
#include "graphql/schema/schema.h"

namespace cairn::api {

/// What resolvers know of the request that they are part of.
class GraphqlHost final : public graphql::Host {
 public:
  GraphqlHost(Call& call, graphql::Weight weight) : call_(call), weight_(weight) {}
  Call& call() const { return call_; }
  const graphql::Weight& weight() const { return weight_; }

 private:
  Call& call_;
  graphql::Weight weight_;
};
GraphqlHost& host_of(const graphql::FieldCall& field);

/// "/_connector" with the query "?from=0&size=10"; parts are escaped.
class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}
  static std::string segment(std::string_view name);
  Target& set(std::string_view name, std::string_view value);
  Target& set(std::string_view name, std::int64_t value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

/// What the row answers; a body that is no JSON as text. Errors: those of that request; for a reply
/// of 400 and above one with its reason, the code of its status, and the detail "_body:json".
Result<Reply> ask_reply(const graphql::FieldCall& field, InnerRequest request);
Result<Json> ask(const graphql::FieldCall& field, const Target& target);
Result<Json> ask(const graphql::FieldCall& field, std::string method, const Target& target,
                 const Json& body);
/// The body of a reply as a value.
Json value_of(Reply reply);

/// What a REST error says that came as a reply: not_found for 404 and so on.
Error error_of_reply(int status, const Json& body);

/// Opaque and unique among all things that are nodes: the type and its own id.
std::string global_id(std::string_view type, std::string_view id);
struct GlobalId {
  std::string type;
  std::string id;
};
/// Errors: not_found for text that is no such id.
Result<GlobalId> read_global_id(std::string_view text);
/// Makes an object a node: "id" becomes the global one, "id_" its own, and "__typename" is set.
Json as_node(Json object, std::string_view type, const std::string& own_id);

using KeyOf = std::function<std::string(const Json& node)>;
/// A page of a list that is there whole, as a connection. A cursor names an element by its key, and
/// by where it was, for when it is gone. Errors: illegal_argument for a cursor that is none.
Result<Json> page_of_list(const graphql::FieldCall& field, Json::Array all, const KeyOf& key);

struct Window {
  Json::Array items = {};
  std::int64_t total = 0;
};
using FetchWindow = std::function<Result<Window>(std::int64_t from, std::int64_t size)>;
/// The same of a list that is fetched by windows. A cursor says where an element was.
Result<Json> page_of_windows(const graphql::FieldCall& field, const FetchWindow& fetch);

}  // namespace cairn::api
