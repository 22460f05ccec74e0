// SPDX-License-Identifier: Apache-2.0
// A policy and a table of routes become one row of numbers for each route; a request then costs one
// look at them and one question.
#include "gate/listener_gate.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "gate/address.h"
#include "gate/identify.h"
#include "gate/identify_session.h"
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

/// The names that a path has in {index}.
std::vector<std::string_view> indices_of(const PathParameters& parameters) {
  for (const auto& [name, value] : parameters)
    if (name == "index") return split(value, ',');
  return {};
}

ratelimit::RuleRequest rule_request(const Identity& identity, const net::RequestHead& head,
                                    const std::vector<std::string_view>& indices,
                                    const AddressRules& addresses) {
  ratelimit::RuleRequest out{.identity = identity, .indices = indices};
  out.header = [&head](std::string_view name) { return head.headers.find(name); };
  out.address = [&head, &addresses] { return addresses.account_of(head); };
  const auto length = head.headers.find("content-length");
  if (length)
    out.body_bytes = parse_number<std::uint64_t>(*length).value_or(0);
  else if (head.headers.has("transfer-encoding"))
    out.body_bytes = std::nullopt;
  return out;
}

}  // namespace

struct ListenerGate::Row {
  ratelimit::Charge charge = {};
  bool limited = false;
  std::uint32_t mutation_points = 0;
  std::string operation = {};  // for the log
  const LimitMetrics::Decisions* decisions = nullptr;
  std::vector<const ratelimit::LimitRule*> rules = {};  // of the policy
};

struct ListenerGate::Rules {
  std::uint64_t version = 0;
  std::shared_ptr<const ratelimit::Policy> policy = {};  // null: nothing is limited
  std::vector<Row> rows = {};
  Row unknown_read = {}, unknown_write = {};
  Row unverified = {}, preflight = {};
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
    if (out->policy->enabled) row.rules = ratelimit::rules_for(facts, *out->policy);
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
  out->preflight = other("/{preflight}", true);
  out->preflight.charge.cost = 0;
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
                          ratelimit::AccountNote* note, const Row& row, const Kind& kind) const {
  if (!row.limited) return;
  const Surface surface = row.charge.surface;
  scope.surface_ = surface;
  scope.decisions_ = row.decisions;
  if (!row.rules.empty() || kind.weigh != nullptr || kind.paid) [[unlikely]] {
    ratelimit::Charge charge = row.charge;
    if (kind.weigh != nullptr) {
      const Weight weight = (*kind.weigh)();
      if (weight.mutation) charge.points = row.mutation_points;
      charge.content = charge.content || weight.content;
      charge.cost = weight.cost;
    }
    if (kind.paid) charge.cost = 0;
    decide_with_rules(scope, rules, identity, note, row, charge, kind);
  } else {
    ratelimit::Limiter& limiter = *gate_.limiter();
    scope.admission_ = note != nullptr ? limiter.admit_noted(identity, row.charge, *note)
                                       : limiter.admit(identity, row.charge);
  }
  const ratelimit::Decision& decision = scope.admission_.decision();
  const bool by_rule = decision.refusal == ratelimit::Refusal::rule;
  const std::string_view rule =
      by_rule ? std::string_view(scope.rules_->refused()->rule->name) : std::string_view();
  gate_.limiter()->busy().note(identity, row.charge, decision, row.operation, rule);
  LimitMetrics& metrics = gate_.limit_metrics();
  metrics.decided(*row.decisions, surface, decision);
  if (decision.admitted()) {
    scope.metrics_ = &metrics;
    scope.refunds_ = rules.policy->refund_not_modified && identity.authenticated();
    metrics.began(surface);
  } else {
    scope.tells_wait_ = tells_wait(decision, surface);
    scope.refused_status_ = status_of(decision, surface, *rules.policy);
    scope.status_ = refusal_error(decision, identity, scope.refused_status_, rule);
  }
  if (decision.shadowed || !decision.admitted())
    gate_.note_refusal(decision, identity, surface, row.operation, rule);
}

// Rules go first: what they counted can be taken back as a whole. Where one refuses, the other
// limits are looked at all the same: a primary refusal is told before a secondary one.
void ListenerGate::decide_with_rules(RequestScope& scope, const Rules& rules,
                                     const Identity& identity, ratelimit::AccountNote* note,
                                     const Row& row, const ratelimit::Charge& charge,
                                     const Kind& kind) const {
  ratelimit::Limiter& limiter = *gate_.limiter();
  const auto ask = [&] {
    scope.admission_ = note != nullptr ? limiter.admit_noted(identity, charge, *note)
                                       : limiter.admit(identity, charge);
  };
  if (row.rules.empty()) return ask();
  scope.rules_ = std::make_unique<ratelimit::RuleCounts>(
      limiter, rules.policy, row.rules,
      rule_request(identity, *kind.head, kind.indices, rules.addresses));
  const ratelimit::RuleCounts& counted = *scope.rules_;
  if (counted.refused() != nullptr) {
    scope.admission_ = ratelimit::Admission::refused(counted.refusal(identity, charge));
  } else {
    ask();
    if (!scope.admission_.decision().admitted()) scope.rules_->undo();
  }
  scope.late_ = std::make_unique<RequestScope::Late>(
      RequestScope::Late{&gate_, rules.policy.get(), row.operation});
  gate_.limit_metrics().rules_decided(counted, scope.admission_.decision().admitted());
  note_shadows(counted, identity, row, scope.admission_.decision().admitted());
}

void ListenerGate::note_shadows(const ratelimit::RuleCounts& counted, const Identity& identity,
                                const Row& row, bool admitted) const {
  if (!admitted) return;  // was taken back
  for (const ratelimit::RuleCount& count : counted.counts()) {
    if (!count.shadowed) continue;
    ratelimit::Decision shadow{.shadowed = true, .shadow = ratelimit::Refusal::rule};
    shadow.nth_refusal = count.nth_refusal;
    gate_.note_refusal(shadow, identity, row.charge.surface, row.operation, count.rule->name);
  }
}

std::optional<ListenerGate::Terms> ListenerGate::terms_of(std::size_t number,
                                                          std::string_view method) const {
  const Rules& now = rules();
  const Row& row = number < now.rows.size()    ? now.rows[number]
                   : is_reading_method(method) ? now.unknown_read
                                               : now.unknown_write;
  if (!row.limited) return std::nullopt;
  return Terms{row.charge, now.policy, row.rules};
}

const ListenerGate::Row& ListenerGate::row_of(const Rules& rules, const net::RequestHead& head,
                                              std::size_t row) const {
  if (row < rules.rows.size()) return rules.rows[row];
  return is_reading_method(head.method) ? rules.unknown_read : rules.unknown_write;
}

void ListenerGate::let_in_nobody(RequestScope& scope, const Rules& rules, const Row& row,
                                 Kind kind) const {
  Identity identity;
  if (row.limited) identity.account = rules.addresses.account_of(*kind.head);
  decide(scope, rules, identity, nullptr, row, kind);
  scope.caller_ = Caller(std::move(identity), &gate_.index_facts());
}

Result<Caller> ListenerGate::identify_caller(const net::RequestHead& head, const Rules& rules,
                                             const Row& row, bool by_header) const {
  if (!by_header)
    return identify_session(head, gate_.cookie_of(head), *gate_.sessions(), &gate_.index_facts(),
                            &gate_.object_rights());
  return identify(head.headers, head.path(), gate_.keys(),
                  {.tests = &rules.tests,
                   .facts = &gate_.index_facts(),
                   .objects = &gate_.object_rights(),
                   .sign_in = gate_.sign_in(),
                   .limiter = row.limited ? gate_.limiter() : nullptr});
}

// Indices that it may not read are asked for as by nobody, who may read public ones.
bool ListenerGate::lend_search_page_key(RequestScope& scope,
                                        const PathParameters& parameters) const {
  auto key = gate_.search_page_key();
  if (key == nullptr) return false;
  Caller caller(std::move(key), &gate_.index_facts());
  const auto names = indices_of(parameters);
  const auto readable = [&](std::string_view name) { return caller.may_index("read", name); };
  if (names.empty() || !std::all_of(names.begin(), names.end(), readable)) return false;
  scope.caller_ = std::move(caller);
  return true;
}

void ListenerGate::note_use(const Rules& rules, auth::LastUse* last,
                            const net::RequestHead& head) const {
  if (last == nullptr) return;
  const std::int64_t now = gate_.clock().unix_ms();
  last->requests().add(now);
  if (!last->is_due(now)) return;
  if (const auto address = rules.addresses.address_of(head))
    last->note(now, address->bytes, address->v6);
  else
    last->note_without_address(now);
}

void ListenerGate::note_use(auth::LastUse* last, const net::RequestHead& head) const {
  note_use(rules(), last, head);
}

RequestScope ListenerGate::enter(const net::RequestHead& head, std::size_t row, const Weigh* weigh,
                                 const PathParameters* parameters) const {
  const Rules& now = rules();
  const Row& limits = row_of(now, head, row);
  const Route* const route = row < routes_.size() ? &routes_[row] : nullptr;
  RequestScope scope;
  scope.cpu_.begin(head.received_steady_ns);
  if (route != nullptr && route->signs_in) return scope;
  Kind kind{.head = &head};
  if (!limits.rules.empty() && parameters != nullptr) [[unlikely]]
    kind.indices = indices_of(*parameters);
  const bool open = route != nullptr && route->open;
  const bool by_header = head.headers.has("authorization");
  const bool by_session = !open && !by_header && gate_.sessions() != nullptr &&
                          head.headers.has("cookie") &&
                          gate_.cookie_of(head).in(head.headers).count > 0;
  if (!by_header && !by_session && route != nullptr && route->search_page && parameters != nullptr &&
      lend_search_page_key(scope, *parameters)) {
    note_use(now, scope.caller_.key().last_use.get(), head);
    decide(scope, now, scope.caller_.counted_as(), scope.caller_.note(), limits, kind);
    return scope;
  }
  if (open || (!by_header && !by_session)) {
    const bool for_nobody = route != nullptr && may_be_public(*route);
    // GraphQL is for callers with credentials alone; a stranger has no limit of it to be charged.
    const bool as_core = !for_nobody && route != nullptr && route->graphql;
    if (for_nobody) kind.weigh = weigh;
    let_in_nobody(scope, now, as_core ? now.unverified : limits, std::move(kind));
    if (scope.status_.ok() && !for_nobody) scope.status_ = missing_credentials(head.path());
    return scope;
  }
  auto caller = identify_caller(head, now, limits, by_header);
  if (caller.ok()) {
    scope.caller_ = std::move(*caller);
    if (scope.caller_.has_key()) note_use(now, scope.caller_.key().last_use.get(), head);
    kind.paid = route != nullptr && route->paid && route->paid(head);
    kind.weigh = weigh;
    decide(scope, now, scope.caller_.counted_as(), scope.caller_.note(), limits, kind);
    return scope;
  }
  scope.clears_session_ = by_session && caller.error().kind == ErrorKind::unauthenticated;
  let_in_nobody(scope, now, now.unverified, std::move(kind));
  if (scope.status_.ok()) scope.status_ = caller.error();
  return scope;
}

RequestScope ListenerGate::enter_signed_in(const net::RequestHead& head, std::size_t row,
                                           Result<std::shared_ptr<const auth::Key>> key) const {
  const Rules& now = rules();
  RequestScope scope;
  scope.cpu_.begin(head.received_steady_ns);
  Kind kind{.head = &head};
  if (key.ok()) {
    scope.caller_ = Caller(std::move(*key), &gate_.index_facts(), &gate_.object_rights());
    note_use(now, scope.caller_.key().last_use.get(), head);
    decide(scope, now, scope.caller_.counted_as(), scope.caller_.note(), row_of(now, head, row),
           kind);
    return scope;
  }
  let_in_nobody(scope, now, now.unverified, std::move(kind));
  if (scope.status_.ok()) scope.status_ = std::move(key).error();
  return scope;
}

RequestScope ListenerGate::enter_preflight(const net::RequestHead& head) const {
  const Rules& now = rules();
  RequestScope scope;
  scope.cpu_.begin(head.received_steady_ns);
  let_in_nobody(scope, now, now.preflight, {.head = &head});
  return scope;
}

RequestScope ListenerGate::enter_as(Authentication authentication, const Identity& identity,
                                    const net::RequestHead& head, std::size_t row,
                                    std::string_view bucket) const {
  if (authentication == Authentication::verified && identity.account.empty()) return {};
  const Rules& now = rules();
  RequestScope scope;
  scope.cpu_.begin(head.received_steady_ns);
  Kind kind{.head = &head};
  if (!bucket.empty()) kind.indices.push_back(bucket);
  const bool refused = authentication == Authentication::refused;
  if (authentication == Authentication::verified)
    decide(scope, now, identity, nullptr, row_of(now, head, row), kind);
  else
    let_in_nobody(scope, now, refused ? now.unverified : row_of(now, head, row), std::move(kind));
  return scope;
}

}  // namespace cairn::gate
