// SPDX-License-Identifier: Apache-2.0
#include "ratelimit/rule_counts.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "ratelimit/units.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint64_t unit_bytes = 1'024;
constexpr std::size_t names_max = 16;         // more share the count of expressions
constexpr std::size_t value_bytes_max = 256;  // of a header field that is counted by
constexpr std::string_view expression = "*";  // all that name no single index

std::uint32_t units_of(std::uint64_t bytes) {
  return clamp_u32(static_cast<std::int64_t>(std::min<std::uint64_t>(
      bytes / unit_bytes + (bytes % unit_bytes != 0 ? 1 : 0), 0xffff'ffff)));
}

bool is_expression(std::string_view name) {
  return name == "_all" || name.find_first_of("*?") != std::string_view::npos;
}

/// An expression may name what the pattern is for wherever their fixed beginnings agree.
bool may_name(std::string_view given, std::string_view pattern) {
  if (!is_expression(given)) return wildcard_match(pattern, given);
  if (given == "_all") return true;
  const std::string_view of_given = given.substr(0, given.find_first_of("*?"));
  const std::string_view of_pattern = pattern.substr(0, pattern.find('*'));
  const std::size_t common = std::min(of_given.size(), of_pattern.size());
  return of_given.substr(0, common) == of_pattern.substr(0, common);
}

/// The names that the rule is for, each once; expressions share one.
std::vector<std::string_view> names_for(const LimitRule& rule, const RuleRequest& request) {
  std::vector<std::string_view> out;
  for (const std::string_view given : request.indices) {
    if (given.empty() || given.front() == '-') continue;  // takes away from what others named
    if (!rule.index.empty() && !may_name(given, rule.index)) continue;
    const bool alone = !is_expression(given) && out.size() < names_max;
    const std::string_view name = alone ? given : expression;
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

}  // namespace

Charge RuleCounts::charge_of(const LimitRule& rule, const RuleRequest& request) {
  Charge out{.resource = rule.resource, .points = 0, .window_only = true, .shadow = rule.shadow};
  if (rule.weight == RuleWeight::bytes) out.cost = units_of(request.body_bytes.value_or(0));
  return out;
}

std::vector<RuleCounts::Ask> RuleCounts::asks_of(const Policy& policy, const LimitRule& rule,
                                                 const RuleRequest& request) {
  const std::string& account = request.identity.account;
  if (!rule.identity.empty() && !wildcard_match(rule.identity, account)) return {};
  const auto names = names_for(rule, request);
  if ((!rule.index.empty() || rule.per == RulePer::index) && names.empty()) return {};
  std::string_view value;
  if (!rule.header.empty()) {
    const auto found = request.header ? request.header(rule.header) : std::nullopt;
    if (!found || (!rule.value.empty() && !wildcard_match(rule.value, *found))) return {};
    value = found->substr(0, value_bytes_max);
  }
  std::vector<Ask> out;
  const auto add = [&](std::string_view what) {
    // Counts of strangers, and of texts that callers choose, are the first to make room.
    const bool known = rule.per == RulePer::all ||
                       (rule.per == RulePer::identity && request.identity.authenticated());
    Identity counted{.kind = known ? IdentityKind::user : IdentityKind::address,
                     .account = rule_account(rule.name, what)};
    counted.exempt = policy.exempts(request.identity);
    out.push_back({&rule, std::move(counted), charge_of(rule, request)});
  };
  switch (rule.per) {
    case RulePer::identity:
      add(account);
      break;
    case RulePer::index:
      for (const std::string_view name : names) add(name);
      break;
    case RulePer::header:
      add(value);
      break;
    case RulePer::all:
      add({});
      break;
    case RulePer::address:
      if (const std::string from = request.address ? request.address() : std::string();
          !from.empty())
        add(from);
      break;
  }
  return out;
}

RuleCounts::RuleCounts(Limiter& limiter, std::shared_ptr<const Policy> policy,
                       const std::vector<const LimitRule*>& rules, const RuleRequest& request)
    : limiter_(limiter), policy_(std::move(policy)) {
  for (const LimitRule* const rule : rules) {
    for (Ask& ask : asks_of(*policy_, *rule, request)) {
      if (!count(ask)) {
        undo();
        return;
      }
      if (rule->weight == RuleWeight::bytes && !request.body_bytes) awaits_body_ = true;
      asks_.push_back(std::move(ask));
    }
  }
}

bool RuleCounts::count(const Ask& ask) {
  Admission admission = limiter_.admit(ask.counted, ask.charge);
  const Decision& decision = admission.decision();
  RuleCount one{.rule = ask.rule,
                .window = decision.window.value_or(WindowState{}),
                .shadowed = decision.shadowed,
                .nth_refusal = decision.nth_refusal,
                .retry_after_s = decision.retry_after_s};
  if (!decision.admitted()) {
    refused_ = one;
    counts_.push_back(one);
    return false;
  }
  counts_.push_back(one);
  admissions_.push_back(std::move(admission));
  return true;
}

Decision RuleCounts::refusal(const Identity& identity, const Charge& charge) const {
  Decision decision = limiter_.test(identity, charge);
  if (decision.refusal == Refusal::primary) return decision;
  decision.refusal = Refusal::rule;
  decision.retry_after_s = refused_->retry_after_s;
  decision.nth_refusal = refused_->nth_refusal;
  if (decision.window && decision.window->remaining == 0) decision.window.reset();
  return decision;
}

void RuleCounts::undo() {
  for (Admission& each : admissions_) each.refund();
  admissions_.clear();
}

bool RuleCounts::weigh_searches(std::uint64_t searches) {
  if (searches <= 1) return true;
  admissions_.clear();  // what is counted stays
  const std::vector<RuleCount> before = counts_;
  for (const Ask& ask : asks_) {
    if (ask.rule->weight != RuleWeight::searches) continue;
    Ask more = ask;
    more.charge.cost =
        clamp_u32(static_cast<std::int64_t>(std::min<std::uint64_t>(searches - 1, 0xffff'ffff)));
    if (count(more)) continue;
    undo();
    return false;
  }
  // One line for each rule: the later one.
  for (std::size_t i = before.size(); i < counts_.size(); ++i)
    for (std::size_t old = 0; old < before.size(); ++old)
      if (counts_[old].rule == counts_[i].rule) counts_[old] = counts_[i];
  counts_.resize(before.size());
  return true;
}

void RuleCounts::took_body(std::uint64_t bytes) {
  if (!std::exchange(awaits_body_, false)) return;
  for (const Ask& ask : asks_) {
    if (ask.rule->weight != RuleWeight::bytes) continue;
    Charge charge = ask.charge;
    charge.cost = units_of(bytes);
    charge.shadow = true;  // beyond the limit too: it is over
    limiter_.admit(ask.counted, charge).finish(0);
  }
}

std::vector<std::pair<RuleCount, Decision>> RuleCounts::test(
    Limiter& limiter, const Policy& policy, const std::vector<const LimitRule*>& rules,
    const RuleRequest& request) {
  std::vector<std::pair<RuleCount, Decision>> out;
  for (const LimitRule* const rule : rules)
    for (const Ask& ask : asks_of(policy, *rule, request)) {
      const Decision decision = limiter.test(ask.counted, ask.charge);
      out.emplace_back(RuleCount{.rule = rule,
                                 .window = decision.window.value_or(WindowState{}),
                                 .shadowed = decision.shadowed,
                                 .retry_after_s = decision.retry_after_s},
                       decision);
    }
  return out;
}

}  // namespace cairn::ratelimit
