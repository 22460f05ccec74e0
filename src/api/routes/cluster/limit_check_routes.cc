// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_check_routes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/forms/error_json.h"
#include "api/routes/cluster/limit_check.h"
#include "format/json.h"
#include "gate/limit_fields.h"
#include "gate/refusal.h"

namespace cairn::api {
namespace {

using ratelimit::Decision;
using ratelimit::Limiter;
using ratelimit::Policy;

constexpr std::size_t checks_max = 100;  // with shared state each is a question to it
constexpr std::size_t answer_bytes = 448;
/// A decision with what the application's own reply should have.
struct Answer {
  bool admitted = true;
  Decision decision = {};
  std::string_view resource = {};  // of the policy
  std::string message = {};
  std::string documentation_url = {};
};

std::uint32_t wait_of(const Answer& answer) { return std::max(answer.decision.retry_after_s, 1u); }

/// Calls `add(name, value)` for each field that the application's reply should have.
template <class Add>
void for_each_field(const Answer& answer, const Add& add) {
  if (const auto& window = answer.decision.window) {
    add("x-ratelimit-limit", std::to_string(window->limit));
    add("x-ratelimit-remaining", std::to_string(window->remaining));
    add("x-ratelimit-used", std::to_string(window->used));
    add("x-ratelimit-reset", std::to_string(window->reset_s));
    add("x-ratelimit-resource", answer.resource);
    add("ratelimit-policy", gate::policy_item(*window, answer.resource));
    add("ratelimit", gate::limit_item(*window, answer.resource));
  }
  if (!answer.admitted) add("retry-after", std::to_string(wait_of(answer)));
}

/// A check that was read, with what it counts as.
struct Question {
  LimitCheck check = {};
  ratelimit::Charge charge = {};
  std::vector<const ratelimit::LimitRule*> rules = {};  // of the policy
};

/// Asks the limiter, the operator's rules first, as for a request of Cairn's own.
class Judge {
 public:
  Judge(const Call& call, Limiter& limiter)
      : call_(call), limiter_(limiter), policy_(limiter.policy()) {}
  const Policy& policy() const { return *policy_; }

  Result<Question> question(LimitCheck check) const {
    CAIRN_TRY(const ratelimit::Charge charge, charge_for(check, *policy_));
    auto rules = rules_for(check, *policy_);
    return Question{.check = std::move(check), .charge = charge, .rules = std::move(rules)};
  }

  Answer decide(const Question& question) const {
    Answer out;
    if (!policy_->enabled) return out;
    const LimitCheck& check = question.check;
    const std::string rule = ask(question, out.decision);
    out.admitted = out.decision.admitted();
    if (out.decision.window) out.resource = policy_->resources[out.decision.window->resource].name;
    limiter_.busy().note(check.identity, question.charge, out.decision, check.endpoint, rule);
    if (out.admitted) return out;
    const Error error = gate::refusal_error(out.decision, check.identity, 429, rule);
    out.message = error.message;
    for (const auto& [name, text] : error.details)
      if (name == "_documentation_url") out.documentation_url = text;
    return out;
  }

 private:
  /// The rule that refused; empty: none did.
  std::string ask(const Question& question, Decision& decision) const {
    if (question.rules.empty()) {
      decision = admit(question);
      return {};
    }
    ratelimit::RuleCounts counts(limiter_, policy_, question.rules, question.check.for_rules());
    if (counts.refused() != nullptr) {
      decision = counts.refusal(question.check.identity, question.charge);
    } else {
      decision = admit(question);
      if (!decision.admitted()) counts.undo();
    }
    call_.note_rules(counts, decision.admitted());
    return decision.refusal == ratelimit::Refusal::rule ? counts.refused()->rule->name : "";
  }

  Decision admit(const Question& question) const {
    ratelimit::Admission admission = limiter_.admit(question.check.identity, question.charge);
    const Decision decision = admission.decision();
    admission.finish(decision.admitted() ? question.check.cpu_ms * 1'000'000 : 0);
    return decision;
  }

  const Call& call_;
  Limiter& limiter_;
  const std::shared_ptr<const Policy> policy_;
};

/// The text at once: a proxy asks for each of its requests.
void write_answer(const Answer& answer, const LimitCheck& check, JsonWriter& out) {
  out.begin_object();
  out.key("admitted").boolean(answer.admitted);
  out.key("identity").string(check.identity.account);
  out.key("headers").begin_object();
  for_each_field(
      answer, [&](std::string_view name, std::string_view value) { out.key(name).string(value); });
  out.end_object();
  if (!answer.admitted) {
    out.key("refusal").string(ratelimit::name_of(answer.decision.refusal));
    out.key("retry_after").unsigned_integer(wait_of(answer));
    out.key("message").string(answer.message);
    out.key("documentation_url").string(answer.documentation_url);
  }
  out.end_object();
}

/// All are read before the first is counted: a request with a fault counts nothing.
Result<Reply> check_all(const Json& list, const Judge& judge) {
  if (!list.is_array() || list.as_array().size() > checks_max)
    return illegal_argument("[checks] must be an array of at most " + std::to_string(checks_max) +
                            " checks");
  std::vector<Question> all;
  for (const Json& one : list.as_array()) {
    if (!one.is_object()) return illegal_argument("[checks] must be an array of objects");
    CAIRN_TRY(LimitCheck check, read_limit_check(one, judge.policy()));
    CAIRN_TRY(Question question, judge.question(std::move(check)));
    all.push_back(std::move(question));
  }
  std::string text;
  text.reserve(all.size() * answer_bytes);
  JsonWriter out(text);
  out.begin_object().key("results").begin_array();
  for (const Question& question : all) write_answer(judge.decide(question), question.check, out);
  out.end_array().end_object();
  return Reply::raw_json(std::move(text));
}

Result<Reply> check(Call& call, Limiter& limiter) {
  CAIRN_TRY(const Json body, call.body());
  const Judge judge(call, limiter);
  if (const Json* list = body.find("checks")) {
    if (body.as_object().size() > 1)
      return illegal_argument("[checks] stands alone: each of them has an identity of its own");
    return check_all(*list, judge);
  }
  CAIRN_TRY(LimitCheck one, read_limit_check(body, judge.policy()));
  CAIRN_TRY(const Question question, judge.question(std::move(one)));
  std::string text;
  text.reserve(answer_bytes);
  JsonWriter out(text);
  write_answer(judge.decide(question), question.check, out);
  return Reply::raw_json(std::move(text));
}

Result<Reply> authorize(Call& call, Limiter& limiter) {
  CAIRN_TRY(const std::int64_t denied, call.integer("denied", 429));
  if (denied != 429 && denied != 403)
    return illegal_argument("[denied] must be 429, or 403 for nginx, which knows no other");
  const Judge judge(call, limiter);
  CAIRN_TRY(LimitCheck one, limit_check_of(call.exchange().head.headers, judge.policy()));
  CAIRN_TRY(const Question question, judge.question(std::move(one)));
  const Answer answer = judge.decide(question);
  Reply reply = answer.admitted
                    ? Reply::json(Json::object({{"admitted", true}}))
                    : Reply::json(Json::object({{"message", answer.message},
                                                {"documentation_url", answer.documentation_url}}),
                                  static_cast<int>(denied));
  for_each_field(answer, [&](std::string_view name, std::string_view value) {
    reply.headers.set(name, value);
  });
  return reply;
}

}  // namespace

void add_limit_check_routes(Router& router, ServiceRef<Limiter> limiter) {
  const std::vector<std::string> who = {"check_limits"};
  router.add({.method = "POST",
              .path = "/_cairn/limits/_check",
              .operation = "cairn.check_limits",
              .cluster = who,
              .resource = "",
              .reads = true,
              .summary = "Counts a request of another program, and says whether it may pass.",
              .body_required = true},
             [limiter](Call& call) { return check(call, *limiter); });
  router.add(
      {.method = "GET",
       .path = "/_cairn/limits/_auth",
       .operation = "cairn.authorize_limits",
       .cluster = who,
       .resource = "",
       .query = {{"denied", "integer", "The status of a refusal: 429, or 403 for nginx."}},
       .summary = "The same by header fields, for proxies: 200, or the status of a refusal."},
      [limiter](Call& call) { return authorize(call, *limiter); });
}

}  // namespace cairn::api
