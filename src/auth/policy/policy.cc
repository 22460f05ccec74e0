// SPDX-License-Identifier: Apache-2.0
// Answers of policies, and who their principals are. Reading them is policy_reader.cc.
#include "auth/policy/policy.h"

#include <algorithm>

namespace cairn::auth {
namespace {

using Match = PolicyPrincipals::Match;

bool any_matches(const std::vector<PolicyPattern>& patterns, std::string_view subject,
                 const PolicyFacts& facts) {
  for (const PolicyPattern& pattern : patterns)
    if (pattern.matches(subject, facts)) return true;
  return false;
}

bool is_digits(std::string_view text, std::size_t count) {
  return text.size() == count &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_canonical_id(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return !value.empty() && std::find(list.begin(), list.end(), value) != list.end();
}

Error bad_principal() {
  return {.kind = ErrorKind::invalid_argument, .message = "Invalid principal in policy"};
}

/// "arn:aws:iam::123456789012:user/x" in the pieces that matter; nothing for anything else.
struct PrincipalArn {
  std::string_view account;
  std::string_view who;  // "root", "user/x"
};

std::optional<PrincipalArn> read_principal(std::string_view text) {
  std::size_t colons[5];
  std::size_t at = 0;
  for (std::size_t& colon : colons) {
    colon = text.find(':', at);
    if (colon == std::string_view::npos) return std::nullopt;
    at = colon + 1;
  }
  const auto piece = [&](int i) {
    return text.substr(colons[i] + 1, colons[i + 1] - colons[i] - 1);
  };
  const std::string_view partition = piece(0), service = piece(1), region = piece(2);
  const bool known = text.starts_with("arn:") &&
                     (partition == "aws" || partition == "svc" || partition == "aws-cn" ||
                      partition == "aws-us-gov") &&
                     (service == "iam" || service == "sts") && region.empty();
  if (!known || !is_digits(piece(3), 12)) return std::nullopt;
  return PrincipalArn{piece(3), text.substr(colons[4] + 1)};
}

}  // namespace

Result<PolicyPrincipals> PolicyPrincipals::parse(const Json& value) {
  PolicyPrincipals out;
  if (value.is_string() && value.as_string() == "*") {
    out.everybody_ = true;
    return out;
  }
  if (!value.is_object() || value.as_object().empty()) return bad_principal();
  for (const auto& [kind, names] : value.as_object()) {
    if (names.is_string()) {
      CAIRN_CHECK(out.add(kind, names.as_string()));
      continue;
    }
    if (!names.is_array() || names.as_array().empty()) return bad_principal();
    for (const Json& name : names.as_array()) {
      if (!name.is_string()) return bad_principal();
      CAIRN_CHECK(out.add(kind, name.as_string()));
    }
  }
  return out;
}

Status PolicyPrincipals::add(std::string_view kind, const std::string& value) {
  if (kind == "CanonicalUser") {
    if (!is_canonical_id(value)) return bad_principal();
    canonical_ids_.push_back(value);
    return ok_status();
  }
  // Services and identity providers: there are none here, so that these match nobody.
  if (kind == "Service" || kind == "Federated")
    return value.empty() ? Status(bad_principal()) : ok_status();
  if (kind != "AWS") return bad_principal();
  if (value == "*") {
    everybody_ = true;
    return ok_status();
  }
  if (is_digits(value, 12)) {
    accounts_.push_back(value);
    return ok_status();
  }
  if (value.find_first_of("*?") != std::string::npos) return bad_principal();
  const auto arn = read_principal(value);
  if (!arn) return bad_principal();
  if (arn->who == "root") {
    accounts_.emplace_back(arn->account);
    return ok_status();
  }
  for (const std::string_view of : {"user/", "role/", "assumed-role/", "federated-user/"})
    if (arn->who.starts_with(of) && arn->who.size() > of.size()) {
      arns_.push_back(value);
      return ok_status();
    }
  return bad_principal();
}

Match PolicyPrincipals::match(const PolicyCaller& caller) const {
  if (everybody_ || contains(arns_, caller.arn)) return Match::exact;
  if (contains(accounts_, caller.account_id) || contains(canonical_ids_, caller.canonical_id))
    return caller.arn.ends_with(":root") ? Match::exact : Match::account;
  return Match::none;
}

// Cheapest question first: most statements are about another action.
Match Policy::match(const Statement& statement, const PolicyQuestion& question) {
  if (any_matches(statement.actions, question.action, question.facts) == statement.not_actions)
    return Match::none;
  if (any_matches(statement.resources, question.resource, question.facts) ==
      statement.not_resources)
    return Match::none;
  Match who = Match::exact;
  if (statement.has_principals) {
    who = statement.principals.match(question.caller);
    if (statement.not_principals) who = who == Match::none ? Match::exact : Match::none;
  }
  if (who == Match::none) return who;
  for (const PolicyCondition& condition : statement.conditions)
    if (!condition.holds(question.facts)) return Match::none;
  return who;
}

PolicyAnswer Policy::answer(const PolicyQuestion& question,
                            std::vector<PolicyReason>* reasons) const {
  PolicyAnswer out;
  for (const Statement& statement : statements_) {
    const Match who = match(statement, question);
    if (who == Match::none) continue;
    if (reasons != nullptr)
      reasons->push_back({.allows = statement.allow,
                          .only_account = statement.allow && who != Match::exact,
                          .statement = static_cast<std::size_t>(&statement - statements_.data()),
                          .sid = statement.sid});
    if (!statement.allow)
      out.denied = true;
    else if (who == Match::exact)
      out.allowed = true;
    else
      out.allowed_account = true;
  }
  return out;
}

}  // namespace cairn::auth
