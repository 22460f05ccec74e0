// SPDX-License-Identifier: Apache-2.0
// Parameters with their types, and the body.
#include "api/call.h"

#include <cmath>

#include "api/call_state.h"
#include "api/forms/error_json.h"
#include "base/strings.h"
#include "format/time.h"
#include "gate/admit.h"

namespace cairn::api {
namespace {

Error wrong_number(std::string_view type, std::string_view name, const std::string& text) {
  Error error = illegal_argument("Failed to parse " + std::string(type) + " parameter [" +
                                 std::string(name) + "] with value [" + text + "]");
  error.cause =
      std::make_shared<const Error>(Error{ErrorKind::invalid_argument, "number_format_exception",
                                          "For input string: \"" + text + "\""});
  return error;
}

/// Says which setting is the limit.
Error too_long(Error error, bool bulk) {
  error.message += ", the limit that [";
  error.message += bulk ? "api.bulk_body_max" : "api.json_body_max";
  error.message += "] sets";
  return error;
}

}  // namespace

bool announces_body(const net::Exchange& exchange) {
  return exchange.body.length() != 0;  // nothing where it comes in chunks, or was compressed
}

Reply Reply::json(Json body, int status) {
  return {.status = status, .body = std::move(body), .is_json = true};
}
Reply Reply::raw_json(std::string text, int status) {
  return {.status = status, .text = std::move(text), .is_json = true};
}
Reply Reply::plain(std::string text, std::string content_type, int status) {
  return {.status = status, .text = std::move(text), .content_type = std::move(content_type)};
}
Reply Reply::empty(int status) { return {.status = status}; }
Reply Reply::already_sent() { return {.sent = true}; }

const gate::Caller& Call::caller() const { return state_.caller; }
const gate::Route& Call::route() const { return state_.route; }
net::Exchange& Call::exchange() { return state_.exchange; }
const net::RequestHead& Call::head() const { return state_.exchange.head; }
os::Deadline Call::deadline() const { return state_.exchange.deadline; }

std::string_view Call::request_path() const { return state_.exchange.head.path(); }

const std::string& Call::path(std::string_view name) const {
  static const std::string none;
  for (const auto& [parameter, value] : state_.parameters)
    if (parameter == name) return value;
  return none;
}

std::optional<std::string> Call::query(std::string_view name) const {
  const auto& all = state_.query;
  for (auto i = all.rbegin(); i != all.rend(); ++i)
    if (i->first == name) return i->second;
  return std::nullopt;
}

Result<bool> Call::flag(std::string_view name, bool fallback) const {
  const auto value = query(name);
  if (!value) return fallback;
  if (value->empty() || *value == "true") return true;
  if (*value == "false") return false;
  return illegal_argument("Failed to parse value [" + *value +
                          "] as only [true] or [false] are allowed.");
}

Result<std::int64_t> Call::integer(std::string_view name, std::int64_t fallback) const {
  const auto value = query(name);
  if (!value) return fallback;
  if (const auto number = parse_number<std::int64_t>(*value)) return *number;
  return wrong_number("int", name, *value);
}

Result<double> Call::number(std::string_view name, double fallback) const {
  const auto value = query(name);
  if (!value) return fallback;
  const auto number = parse_number<double>(*value);
  if (number && std::isfinite(*number)) return *number;
  return wrong_number("float", name, *value);
}

Result<std::int64_t> Call::time(std::string_view name, std::int64_t fallback_ms) const {
  const auto value = query(name);
  if (!value || value->empty()) return fallback_ms;
  return parse_time_value(*value, name);
}

std::vector<std::string> Call::list(std::string_view name) const {
  std::vector<std::string> out;
  const std::string text = query(name).value_or("");
  for (const auto piece : split(text, ','))
    if (!trim(piece).empty()) out.emplace_back(trim(piece));
  return out;
}

bool Call::human() const {
  const auto value = query("human");
  return value && *value != "false";
}

Result<std::string_view> Call::raw_body(std::size_t limit) {
  if (state_.unreadable_body) return *state_.unreadable_body;
  if (!state_.body && !state_.has_body) state_.body.emplace();
  if (!state_.body) {
    auto body = net::read_all(state_.exchange.body, limit != 0 ? limit : state_.body_bytes_max);
    if (!body.ok()) {
      Error error = std::move(body).error();
      if (error.kind == ErrorKind::too_large && limit == 0 && state_.route.body_bytes_max == 0)
        error = too_long(std::move(error), state_.route.ndjson);
      state_.unreadable_body = error;
      return error;
    }
    state_.body = std::move(*body);
  }
  return std::string_view(*state_.body);
}

Result<std::optional<Json>> Call::optional_body() {
  CAIRN_TRY(const auto text, raw_body());
  if (trim(text).empty()) return std::optional<Json>();
  CAIRN_TRY(auto parsed, parse_json(text, {.unique_names = true}));
  if (!parsed.is_object())
    return Error{ErrorKind::invalid_argument, "x_content_parse_exception",
                 "[1:1] Expected [START_OBJECT] but the body is no object"};
  return std::optional<Json>(std::move(parsed));
}

Result<Json> Call::body() {
  CAIRN_TRY(auto parsed, optional_body());
  if (parsed) return std::move(*parsed);
  if (state_.route.body_required) return parse_fault("request body is required");
  return Json::object();
}

Result<Reply> Call::inner(const InnerRequest& request) {
  if (state_.inner) return state_.inner(request);
  return Error{ErrorKind::unsupported, {}, "this operation makes no requests of its own"};
}

std::optional<ratelimit::WindowState> Call::window() const {
  return state_.scope == nullptr ? std::nullopt : state_.scope->window();
}

const std::shared_ptr<const void>& Call::understood() const { return state_.understood; }
Status Call::weigh_searches(std::size_t searches) {
  return state_.scope == nullptr ? ok_status() : state_.scope->weigh_searches(searches);
}

Status Call::sign_in(Result<std::shared_ptr<const auth::Key>> key) {
  const auto row = static_cast<std::size_t>(&state_.route - state_.table->routes().data());
  *state_.scope = state_.listener_gate->enter_signed_in(state_.exchange.head, row, std::move(key));
  state_.scope->put_headers(state_.exchange.reply.standing);
  return state_.scope->status();
}

Result<Call::Counted> Call::counted(std::string_view method, std::string_view path) const {
  Counted out;
  CAIRN_TRY(const gate::Match match, state_.table->match(method, path));
  if (match.found()) out.route = &state_.table->routes()[match.route];
  for (const auto& [name, value] : match.parameters)
    if (name == "index")
      for (const auto index : split(value, ',')) out.indices.emplace_back(index);
  auto terms = state_.listener_gate->terms_of(match.route, method);
  if (!terms) return out;
  out.policy = std::move(terms->policy);
  out.charge = terms->charge;
  out.rules = std::move(terms->rules);
  return out;
}

void Call::note_rules(const ratelimit::RuleCounts& counts, bool admitted) const {
  if (state_.listener_gate != nullptr)
    state_.listener_gate->gate().limit_metrics().rules_decided(counts, admitted);
}

gate::LimitMetrics::RuleDecisions Call::decisions_of_rule(const std::string& rule) const {
  return state_.listener_gate->gate().limit_metrics().of_rule(rule);
}

net::Headers Call::reply_headers(std::string_view content_type) const {
  net::Headers headers = state_.headers;
  headers.set("Content-Type", content_type);
  return headers;
}

bool Call::admits(std::string_view index) const {
  return gate::admits_index(state_.route, state_.caller, index);
}

Status Call::require_index(std::string_view privilege, std::string_view index) const {
  return gate::admit_index(state_.route, state_.caller, privilege, index,
                           state_.exchange.head.path());
}

Status Call::require_whole(std::string_view index) const {
  return gate::admit_whole(state_.route, state_.caller, index);
}

}  // namespace cairn::api
