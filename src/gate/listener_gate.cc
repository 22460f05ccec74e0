// SPDX-License-Identifier: Apache-2.0
// A policy and a table of routes become one row of numbers for each route; a request then costs one
// look at them and one question.
#include "gate/listener_gate.h"

#include <algorithm>
#include <utility>

#include "gate/address.h"
#include "gate/identify.h"
#include "gate/refusal.h"
#include "gate/test_credentials.h"
#include "os/log.h"

namespace cairn::gate {
namespace {

using ratelimit::Identity;

bool is_reading_method(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

/// Some index could make the row public, or the row itself is.
bool may_be_public(const Route& route) {
  return route.open || route.public_data ||
         (reads_only(route) && route.cluster.empty() && !route.index_privilege.empty() &&
          route.fixed_index.empty());
}

}  // namespace

struct ListenerGate::Row {
  ratelimit::Charge charge = {};
  bool limited = false;
  std::uint32_t mutation_points = 0;
  std::string operation = {};  // for the log
  const LimitMetrics::Decisions* decisions = nullptr;
};

struct ListenerGate::Rules {
  std::uint64_t version = 0;
  std::shared_ptr<const ratelimit::Policy> policy = {};  // null: nothing is limited
  std::vector<Row> rows = {};
  Row unknown_read = {}, unknown_write = {};
  Row unverified = {};
  AddressRules addresses{ratelimit::Addresses{}};
  TestCredentials tests = {};
};

ListenerGate::ListenerGate(const Gate& gate, const std::vector<Route>& routes, Surface surface,
                   std::string_view resource)
    : gate_(gate),
      routes_(routes),
      surface_(surface),
      resource_(resource),
      rules_(compile(gate.policy_version())) {}
ListenerGate::~ListenerGate() = default;

std::shared_ptr<const ListenerGate::Rules> ListenerGate::compile(std::uint64_t version) const {
  auto out = std::make_shared<Rules>();
  out->version = version;
  out->rows.resize(routes_.size());
  if (gate_.limiter() == nullptr) return out;
  out->policy = gate_.limiter()->policy();
  const auto row_of = [&](ratelimit::RouteFacts facts) {
    Row row;
    auto charge = ratelimit::charge_of(facts, *out->policy);
    if (!charge.ok()) {
      // The policy was checked; a route of ours that it does not know still must not be free.
      os::log(os::LogLevel::warn, "gate", "a route counts as core",
              {{"method", facts.method}, {"path", facts.path}, {"why", charge.error().message}});
      facts.resource = "core";
      charge = ratelimit::charge_of(facts, *out->policy);
    }
    if (!charge.ok()) return row;
    row.charge = *charge;
    row.limited = true;
    gate_.limiter()->name_endpoint(charge->endpoint, facts.method + " " + facts.path);
    const auto& points = out->policy->points;
    // A rule for the route holds for whatever it is asked.
    row.mutation_points =
        row.charge.points == points.graphql_query ? points.graphql_mutation : row.charge.points;
    row.decisions = &gate_.limit_metrics().decisions(
        facts.surface, out->policy->resources[row.charge.resource].name);
    return row;
  };
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    if (route.resource.empty()) continue;
    out->rows[i] = row_of({.method = route.method,
                           .path = route.path,
                           .surface = route.surface,
                           .resource = route.resource,
                           .reads = reads_only(route),
                           .content = route.content,
                           .graphql = route.graphql,
                           .no_primary = route.no_primary});
    out->rows[i].operation = route.operation;
  }
  const auto other = [&](std::string path, bool reads) {
    Row row = row_of(
        {.method = "*", .path = path, .surface = surface_, .resource = resource_, .reads = reads});
    row.operation = std::move(path);
    return row;
  };
  out->unknown_read = other("/{unknown}", true);
  out->unknown_write = other("/{unknown}", false);
  out->unverified = other("/{unverified}", true);
  out->addresses = AddressRules(out->policy->identity);
  out->tests = TestCredentials(*out->policy);
  return out;
}

const ListenerGate::Rules& ListenerGate::rules() const {
  const std::uint64_t version = gate_.policy_version();
  if (const Rules& current = *rules_.read(); current.version == version) return current;
  const std::lock_guard lock(compiling_);
  if (rules_.read()->version != version) rules_.replace(compile(version));
  return *rules_.read();
}

void ListenerGate::decide(RequestScope& scope, const Rules& rules, const Identity& identity,
                      ratelimit::AccountNote* note, const Row& row, Kind kind) const {
  if (!row.limited) return;
  const Surface surface = row.charge.surface;
  const auto ask = [&](const ratelimit::Charge& charge) {
    ratelimit::Limiter& limiter = *gate_.limiter();
    scope.admission_ = note != nullptr ? limiter.admit_noted(identity, charge, *note)
                                       : limiter.admit(identity, charge);
  };
  if (kind.mutation || kind.paid) {
    ratelimit::Charge charge = row.charge;
    if (kind.mutation) charge.points = row.mutation_points;
    if (kind.paid) charge.cost = 0;
    ask(charge);
  } else {
    ask(row.charge);
  }
  scope.decisions_ = row.decisions;
  scope.surface_ = surface;
  const ratelimit::Decision& decision = scope.admission_.decision();
  LimitMetrics& metrics = gate_.limit_metrics();
  metrics.decided(*row.decisions, surface, decision);
  if (decision.admitted()) {
    scope.metrics_ = &metrics;
    scope.refunds_ = rules.policy->refund_not_modified && identity.authenticated();
    metrics.began(surface);
  } else {
    scope.tells_wait_ = tells_wait(decision, surface);
    scope.refused_status_ = status_of(decision, surface, *rules.policy);
    scope.status_ = refusal_error(decision, identity, scope.refused_status_);
  }
  if (decision.shadowed || !decision.admitted())
    gate_.note_refusal(decision, identity, surface, row.operation);
}

const ListenerGate::Row& ListenerGate::row_of(const Rules& rules, const net::RequestHead& head,
                                      std::size_t row) const {
  if (row < rules.rows.size()) return rules.rows[row];
  return is_reading_method(head.method) ? rules.unknown_read : rules.unknown_write;
}

void ListenerGate::let_in_nobody(RequestScope& scope, const Rules& rules, const net::RequestHead& head,
                             const Row& row) const {
  Identity identity;
  if (row.limited) identity.account = rules.addresses.account_of(head);
  decide(scope, rules, identity, nullptr, row, {});
  scope.caller_ = Caller(std::move(identity), &gate_.index_facts());
}

RequestScope ListenerGate::enter(const net::RequestHead& head, std::size_t row, bool mutation) const {
  const Rules& now = rules();
  const Row& limits = row_of(now, head, row);
  const Route* const route = row < routes_.size() ? &routes_[row] : nullptr;
  RequestScope scope;
  scope.cpu_.begin(head.received_steady_ns);
  const bool open = route != nullptr && route->open;
  if (open || !head.headers.has("authorization")) {
    let_in_nobody(scope, now, head, limits);
    if (scope.status_.ok() && (route == nullptr || !may_be_public(*route)))
      scope.status_ = missing_credentials(head.path());
    return scope;
  }
  auto caller = identify(head.headers, head.path(), gate_.keys(),
                         {.tests = &now.tests,
                          .facts = &gate_.index_facts(),
                          .objects = &gate_.object_rights(),
                          .sign_in = gate_.sign_in(),
                          .limiter = limits.limited ? gate_.limiter() : nullptr});
  if (caller.ok()) {
    scope.caller_ = std::move(*caller);
    const bool paid = route != nullptr && route->paid && route->paid(head);
    decide(scope, now, scope.caller_.counted_as(), scope.caller_.note(), limits,
           {.mutation = mutation, .paid = paid});
    return scope;
  }
  let_in_nobody(scope, now, head, now.unverified);
  if (scope.status_.ok()) scope.status_ = caller.error();
  return scope;
}

RequestScope ListenerGate::enter_as(Authentication authentication, const Identity& identity,
                                    const net::RequestHead& head, std::size_t row) const {
  if (authentication == Authentication::verified && identity.account.empty()) return {};
  const Rules& now = rules();
  RequestScope scope;
  scope.cpu_.begin(head.received_steady_ns);
  if (authentication == Authentication::verified)
    decide(scope, now, identity, nullptr, row_of(now, head, row), {});
  else
    let_in_nobody(
        scope, now, head,
        authentication == Authentication::refused ? now.unverified : row_of(now, head, row));
  return scope;
}

}  // namespace cairn::gate
