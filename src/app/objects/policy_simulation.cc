// SPDX-License-Identifier: Apache-2.0
#include "app/objects/policy_simulation.h"

#include <iterator>
#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "base/strings.h"

namespace cairn::app {
namespace {

constexpr std::size_t simulated_max = 100;   // requests of one body
constexpr std::size_t conditions_max = 100;  // of one request
constexpr std::size_t values_max = 100;      // of one condition

using Caller = std::shared_ptr<const auth::ObjectCaller>;

/// By id or by name.
std::shared_ptr<const auth::Account> account_named(const auth::Accounts& accounts,
                                                   std::string_view name) {
  if (auto found = accounts.find(name)) return found;
  for (auto& account : accounts.all())
    if (account->name == name) return account;
  return nullptr;
}

/// "*": nobody; "arn:aws:iam::<account>:root" or ":user/<name>"; "account" for its root, or
/// "account/user".
Result<Caller> caller_named(const auth::Accounts& accounts, const std::string& principal) {
  if (principal == "*") return Caller();
  constexpr std::string_view arn_of_account = "arn:aws:iam::";
  std::string_view account = principal, user;
  if (account.starts_with(arn_of_account)) {
    account.remove_prefix(arn_of_account.size());
    const std::size_t colon = account.find(':');
    user = colon == std::string_view::npos ? std::string_view() : account.substr(colon + 1);
    account = account.substr(0, colon);
    constexpr std::string_view of_user = "user/";
    if (user == "root")
      user = {};
    else if (user.starts_with(of_user) && user.size() > of_user.size())
      user.remove_prefix(of_user.size());
    else
      return api::illegal_argument("[principal] [" + principal +
                                   "] is no ARN of a root (…:root) or a user (…:user/name)");
  } else if (const std::size_t slash = account.find('/'); slash != std::string_view::npos) {
    user = account.substr(slash + 1);
    account = account.substr(0, slash);
    if (user.empty()) return api::illegal_argument("[principal] [" + principal + "] names no user");
  }
  const auto found = account_named(accounts, account);
  Caller caller = found == nullptr ? nullptr : accounts.caller_of(found->id, user);
  if (caller == nullptr)
    return api::illegal_argument(
        "there is no principal [" + principal +
        "]: name an account, account/user, its ARN, or * for who does not sign");
  return caller;
}

Status read_context(const Json& context, s3api::SimulatedRequest& out) {
  if (context.as_object().size() > conditions_max)
    return api::illegal_argument("[context] may have at most " + std::to_string(conditions_max) +
                                 " keys");
  for (const auto& [name, value] : context.as_object()) {
    std::vector<std::string> values;
    const auto take = [&](const Json& one) {
      if (one.is_string())
        values.push_back(one.as_string());
      else if (one.is_bool() || one.is_integer())
        values.push_back(one.dump());
      else
        return false;
      return true;
    };
    bool good = value.is_array() ? value.as_array().size() <= values_max : take(value);
    if (value.is_array())
      for (const Json& one : value.as_array()) good = good && take(one);
    if (!good)
      return api::illegal_argument(
          "[context] must have a text, a number, true or false, or up to " +
          std::to_string(values_max) + " of them, as [" + name + "]");
    out.context.emplace_back(name, std::move(values));
  }
  return ok_status();
}

Result<s3api::SimulatedRequest> read_simulated(const auth::Accounts& accounts, api::Fields fields) {
  s3api::SimulatedRequest out;
  CAIRN_TRY(const std::string principal, fields.required_string("principal"));
  CAIRN_TRY(out.action, fields.required_string("action"));
  CAIRN_TRY(out.key, fields.string_or("key", ""));
  CAIRN_TRY(const Json* context, fields.object("context"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(out.caller, caller_named(accounts, principal));
  if (context != nullptr) CAIRN_CHECK(read_context(*context, out));
  return out;
}

/// The text of a draft: a document, or its text.
Result<std::optional<std::string>> draft_of(api::Fields& fields) {
  const Json* draft = fields.any("policy");
  if (draft == nullptr || draft->is_null()) return std::optional<std::string>();
  if (draft->is_string()) return std::optional(draft->as_string());
  if (draft->is_object()) return std::optional(draft->dump());
  return api::illegal_argument("[policy] must be a policy document");
}

Json shown_reason(const s3api::AccessReason& reason, const s3api::SimulatedRequest& request,
                  const auth::Accounts& accounts) {
  Json out = Json::object(
      {{"where", s3api::name_of(reason.where)}, {"effect", reason.allows ? "allow" : "deny"}});
  if (!reason.action.empty() && !equals_ignore_case(reason.action, request.action))
    out.set("action", reason.action);
  if (reason.where == s3api::AccessReason::Where::identity_policy && request.caller != nullptr) {
    const auto user = accounts.find_user(request.caller->account_id, request.caller->username);
    if (user != nullptr && reason.policy < user->policies.size())
      out.set("policy",
              std::next(user->policies.begin(), static_cast<std::ptrdiff_t>(reason.policy))->first);
  }
  if (reason.statement) out.set("statement", static_cast<std::int64_t>(*reason.statement));
  if (!reason.sid.empty()) out.set("sid", reason.sid);
  return out;
}

Json shown_answer(const s3api::SimulatedAnswer& answer, const s3api::SimulatedRequest& request,
                  const auth::Accounts& accounts) {
  Json by = Json::array();
  for (const s3api::AccessReason& reason : answer.reasons)
    by.push(shown_reason(reason, request, accounts));
  return Json::object({{"allowed", answer.allowed},
                       {"decision", answer.allowed             ? "allow"
                                    : answer.explicitly_denied ? "explicit_deny"
                                                               : "implicit_deny"},
                       {"by", std::move(by)}});
}

}  // namespace

Result<api::Reply> simulate_requests(api::Call& call, const s3api::Service& service,
                                     const auth::Accounts& accounts) {
  CAIRN_TRY(const Json body, call.body());
  api::Fields fields(body, "policy_simulation");
  CAIRN_TRY(const auto draft, draft_of(fields));
  CAIRN_TRY(const Json* asked, fields.array("requests"));
  CAIRN_CHECK(fields.finish());
  if (asked == nullptr || asked->as_array().empty() || asked->as_array().size() > simulated_max)
    return api::illegal_argument("[requests] must have 1 to " + std::to_string(simulated_max) +
                                 " requests");
  std::vector<s3api::SimulatedRequest> requests;
  for (std::size_t i = 0; i < asked->as_array().size(); ++i) {
    const Json& one = asked->as_array()[i];
    if (!one.is_object()) return api::illegal_argument("[requests] must have objects");
    CAIRN_TRY(auto request,
              read_simulated(accounts, fields.nested(one, "requests." + std::to_string(i),
                                                     "simulated_request")));
    requests.push_back(std::move(request));
  }
  CAIRN_TRY(const auto answers,
            service.simulate_all(call.path("bucket"), draft, requests,
                                 call.exchange().head.peer_address, call.deadline()));
  Json results = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i)
    results.push(shown_answer(answers[i], requests[i], accounts));
  return api::Reply::json(Json::object({{"results", std::move(results)}}));
}

}  // namespace cairn::app
