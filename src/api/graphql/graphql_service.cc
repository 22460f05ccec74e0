// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/graphql_service.h"

#include <algorithm>
#include <utility>

#include "api/forms/error_json.h"
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"
#include "api/graphql/type_text.h"
#include "base/strings.h"
#include "graphql/execution/execute.h"
#include "graphql/execution/introspection.h"
#include "graphql/execution/prepare.h"

namespace cairn::api {
namespace {

constexpr std::string_view response_type = "application/graphql-response+json";
constexpr std::string_view response_type_sent = "application/graphql-response+json; charset=utf-8";

/// What programs read of an error, beside the words for people.
const char* type_word(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::not_found:
      return "NOT_FOUND";
    case ErrorKind::permission_denied:
      return "FORBIDDEN";
    case ErrorKind::unauthenticated:
      return "UNAUTHENTICATED";
    case ErrorKind::already_exists:
    case ErrorKind::conflict:
    case ErrorKind::precondition_failed:
      return "CONFLICT";
    case ErrorKind::too_large:
      return "TOO_LARGE";
    case ErrorKind::unsupported:
      return "UNSUPPORTED";
    case ErrorKind::timeout:
    case ErrorKind::cancelled:
      return "TIMEOUT";
    case ErrorKind::rate_limited:
    case ErrorKind::unavailable:
      return "UNAVAILABLE";
    case ErrorKind::storage_full:
      return "STORAGE_FULL";
    case ErrorKind::invalid_argument:
      return "UNPROCESSABLE";
    default:
      return "INTERNAL";
  }
}

/// The error as REST tells it, inside one of GraphQL.
void describe_rest_error(const Error& error, Json& out) {
  out.set("type", type_word(error.kind));
  Json extensions = Json::object({{"code", wire_type(error)}, {"status", status_of(error)}});
  if (!error.code.starts_with("graphql_")) extensions.set("error", error_object(error));
  out.set("extensions", std::move(extensions));
}

Json errors_only(Json errors) { return Json::object({{"errors", std::move(errors)}}); }

Json one_error(std::string message, std::string_view code) {
  Json error = Json::object({{"message", std::move(message)}});
  if (!code.empty()) error.set("extensions", Json::object({{"code", code}}));
  return Json::array({std::move(error)});
}

std::string with_generated(std::string_view text, const std::vector<OperationField>& fields) {
  std::string out(text);
  for (const bool mutations : {false, true}) {
    const std::string_view here = mutations ? mutation_fields_here : query_fields_here;
    out.replace(out.find(here), here.size(), text_of_fields(fields, mutations));
  }
  return out;
}

std::vector<std::string> names_of_typed_fields() {
  // `search` of the clients is the typed field, which takes the same and pages by cursors.
  return {"Query.search"};
}

}  // namespace

/// One operation of a request, or all of a batch.
struct GraphqlService::Understood {
  struct One {
    std::shared_ptr<const graphql::Prepared> prepared = {};  // null: `errors` say why not
    Json errors = {};
  };
  std::optional<Error> fault = {};  // the body is no request
  bool batch = false;
  std::vector<One> all = {};
  graphql::Weight weight = {};
};

Result<std::shared_ptr<GraphqlService>> GraphqlService::make(const std::vector<gate::Route>& routes,
                                                             AskObjects objects) {
  auto operations = operation_fields(routes, names_of_typed_fields());
  CAIRN_TRY(auto schema,
            graphql::Schema::make(with_generated(
                std::string(graphql_types) + std::string(graphql_resource_types), operations)));
  CAIRN_CHECK(graphql::bind_introspection(schema));
  CAIRN_CHECK(bind_server_fields(schema));
  CAIRN_CHECK(bind_index_fields(schema));
  CAIRN_CHECK(bind_search_fields(schema));
  CAIRN_CHECK(bind_connector_fields(schema));
  CAIRN_CHECK(bind_inference_fields(schema));
  CAIRN_CHECK(bind_snapshot_fields(schema));
  CAIRN_CHECK(bind_key_fields(schema));
  CAIRN_CHECK(bind_object_fields(schema, std::move(objects)));
  CAIRN_CHECK(bind_operation_fields(schema, operations));
  return std::shared_ptr<GraphqlService>(
      new GraphqlService(std::move(schema), std::move(operations)));
}

/// How many fields of a mutation make content.
std::size_t GraphqlService::contents_of(const graphql::PlannedSet& plan) const {
  std::size_t out = 0;
  for (const auto& field : plan.fields)
    out += static_cast<std::size_t>(
        std::count_if(operations_.begin(), operations_.end(), [&](const OperationField& one) {
          return one.mutation && one.content && one.name == field.name();
        }));
  return out;
}

void GraphqlService::understand(const Json& one, Understood& out) {
  Understood::One& here = out.all.emplace_back();
  graphql::Request request{.query = one.string_or("query"),
                           .operation_name = one.string_or("operationName")};
  const Json* const variables = one.find("variables");
  if (variables != nullptr && !variables->is_null()) {
    if (!variables->is_object()) {
      here.errors = one_error("Variables must be provided as an object.", {});
      return;
    }
    request.variables = *variables;
  }
  const Json* const persisted = one.find_path("extensions.persistedQuery");
  const std::string hash = persisted == nullptr ? "" : persisted->string_or("sha256Hash");
  if (persisted != nullptr && request.query.empty()) {
    auto known = persisted_.find(lower_ascii(hash));
    if (!known) {
      here.errors = one_error("PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND");
      return;
    }
    request.query = std::move(*known);
  }
  if (request.query.empty()) {
    here.errors = one_error("Must provide query string.", {});
    return;
  }
  here.prepared = graphql::prepare(schema_, request, options_);
  if (persisted != nullptr && here.prepared->operation != nullptr &&
      !persisted_.keep(lower_ascii(hash), request.query)) {
    here.prepared = nullptr;
    here.errors = one_error("provided sha does not match query", "INTERNAL_SERVER_ERROR");
    return;
  }
  if (!here.prepared->faults.empty()) {
    here.errors = Json::array();
    for (const auto& fault : here.prepared->faults) here.errors.push(graphql::error_of(fault));
    here.prepared = nullptr;
  }
}

Weighed GraphqlService::weigh(std::string_view body) {
  auto out = std::make_shared<Understood>();
  const auto understand_all = [&]() -> Status {
    if (trim(body).empty()) return parse_fault("request body is required");
    CAIRN_TRY(const Json sent, parse_json(body));
    out->batch = sent.is_array();
    if (!sent.is_object() && !sent.is_array())
      return illegal_argument("a GraphQL request is an object with [query], or a list of those");
    if (!out->batch) {
      understand(sent, *out);
      return ok_status();
    }
    const auto& all = sent.as_array();
    if (all.empty() || all.size() > options_.batch)
      return illegal_argument("a list of GraphQL requests has from 1 to " +
                              std::to_string(options_.batch) + " of them, not " +
                              std::to_string(all.size()));
    for (const Json& one : all) understand(one, *out);
    return ok_status();
  };
  if (const Status understood = understand_all(); !understood.ok()) out->fault = understood.error();
  gate::Weight weight;
  std::size_t contents = 0;
  for (const auto& one : out->all) {
    if (!one.prepared) continue;
    out->weight.requests += one.prepared->weight.requests;
    out->weight.nodes += one.prepared->weight.nodes;
    out->weight.calls += one.prepared->weight.calls;
    if (!one.prepared->mutates()) continue;
    weight.mutation = true;
    contents += contents_of(one.prepared->plan);
  }
  if (out->weight.calls > options_.calls && !out->fault)
    out->fault = illegal_argument(
        "the list may ask for up to " + std::to_string(out->weight.calls) +
        " fields that are looked up one by one, more than " + std::to_string(options_.calls));
  // REST counts each such request; here they come one to a request, so that the count is the same.
  if (contents > 1 && !out->fault)
    out->fault = illegal_argument(
        "one request makes content (keys, connectors, jobs, repositories, snapshots) at most once, "
        "and this one would " +
        std::to_string(contents) + " times: send several requests");
  if (!out->fault) {
    weight.content = contents > 0;
    weight.cost = out->weight.cost();
  }
  return {.weight = weight, .understood = std::move(out)};
}

Result<Reply> GraphqlService::answer(Call& call) {
  std::shared_ptr<const void> kept = call.understood();
  if (kept == nullptr) {  // no limiter has asked
    CAIRN_TRY(const auto body, call.raw_body());
    kept = weigh(body).understood;
  }
  const auto* const understood = static_cast<const Understood*>(kept.get());
  if (understood->fault) return *understood->fault;
  GraphqlHost host(call, understood->weight);
  Json answers = Json::array();
  bool ran = false;
  for (const auto& one : understood->all) {
    if (!one.prepared) {
      answers.push(errors_only(one.errors));
      continue;
    }
    ran = true;
    answers.push(graphql::execute(
        schema_, *one.prepared,
        {.host = host,
         .deadline = one.prepared->mutates() ? call.deadline()
                                             : call.deadline().sooner_ms(options_.query_ms),
         .options = options_,
         .describe = describe_rest_error}));
  }
  Json body = understood->batch ? std::move(answers) : std::move(answers.as_array().front());
  // Who asks for the newer media type learns from the status whether the request was valid.
  const std::string accepts = call.exchange().head.headers.joined("accept");
  if (accepts.find(response_type) == std::string::npos) return Reply::json(std::move(body));
  return Reply::plain(body.dump(), std::string(response_type_sent), ran ? 200 : 400);
}

}  // namespace cairn::api
