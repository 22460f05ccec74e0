// SPDX-License-Identifier: Apache-2.0
// Policies: documents that allow and deny. Read and checked once, then asked without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy/policy_condition.h"
#include "auth/policy/policy_key.h"
#include "auth/policy/policy_pattern.h"
#include "base/result.h"

namespace cairn::auth {

inline constexpr std::size_t policy_bytes_max = 20 * 1024;

/// Who asks, as principals of policies name them. The views live as long as the question.
struct PolicyCaller {
  std::string_view account_id = {};    // 12 digits; empty: nobody signed the request
  std::string_view canonical_id = {};  // of the account
  std::string_view arn = {};           // arn:aws:iam::<account>:root or :user/<name>
};

struct PolicyQuestion {
  std::string_view action;    // "s3:GetObject", spelled as documented
  std::string_view resource;  // "arn:aws:s3:::bucket/key"
  PolicyCaller caller = {};   // a policy of an identity does not look at it
  const PolicyFacts& facts;
};

struct PolicyAnswer {
  bool denied = false;  // by a statement; outweighs all else, from wherever it comes
  /// By a statement that names the caller itself, or everybody.
  bool allowed = false;
  /// By one that names the caller's account: its administrator may pass that on, and for callers
  /// of the bucket's own account it says nothing that they have not.
  bool allowed_account = false;

  PolicyAnswer& operator|=(const PolicyAnswer& other) {
    denied |= other.denied;
    allowed |= other.allowed;
    allowed_account |= other.allowed_account;
    return *this;
  }
};

/// A statement that fits a question.
struct PolicyReason {
  bool allows = false;
  bool only_account = false;  // it names the caller's account, see PolicyAnswer
  std::size_t statement = 0;  // its place in the document
  std::string sid = {};       // empty: it has none
};

/// A list of principals: all, accounts, users.
class PolicyPrincipals {
 public:
  enum class Match : std::uint8_t { none, account, exact };
  static Result<PolicyPrincipals> parse(const Json& value);
  Match match(const PolicyCaller& caller) const;
  bool everybody() const { return everybody_; }

 private:
  Status add(std::string_view kind, const std::string& value);
  bool everybody_ = false;
  std::vector<std::string> accounts_;       // 12 digits
  std::vector<std::string> canonical_ids_;  // 64 hexadecimal digits
  std::vector<std::string> arns_;           // of users and roles
};

/// Immutable; safe from any thread.
class Policy {
 public:
  /// The policy of a bucket: statements have principals, and name this bucket and its objects.
  /// Errors: MalformedPolicy, worded as the service that this protocol comes from words them;
  /// PolicyTooLarge.
  static Result<std::shared_ptr<const Policy>> of_bucket(std::string_view text,
                                                         std::string_view bucket);
  /// The same of a directory bucket, by its ARN: its actions are those of "s3express".
  static Result<std::shared_ptr<const Policy>> of_directory_bucket(std::string_view text,
                                                                   std::string_view arn);
  /// The policy of an access point, by its ARN: statements name it, and objects as
  /// "<arn>/object/<key>".
  /// Of an access point of an outpost: with the actions of that service.
  static Result<std::shared_ptr<const Policy>> of_outpost(std::string_view text,
                                                          std::string_view arn);
  static Result<std::shared_ptr<const Policy>> of_access_point(std::string_view text,
                                                               std::string_view arn);
  /// The policy of a user: no principals; actions and keys of other services are passed over.
  /// Errors: MalformedPolicyDocument; PolicyTooLarge.
  static Result<std::shared_ptr<const Policy>> of_identity(std::string_view text);

  /// Does not allocate but for statements with conditions or variables that fit so far.
  /// `reasons`: gets the statements that make the answer, where they are asked for.
  PolicyAnswer answer(const PolicyQuestion& question,
                      std::vector<PolicyReason>* reasons = nullptr) const;

  /// True where a statement allows something to everybody, and no fixed value of a condition says
  /// who that is.
  bool is_public() const { return public_; }

 private:
  struct Statement {
    std::string sid = {};
    bool allow = false;
    bool has_principals = false, not_principals = false;
    bool not_actions = false, not_resources = false;
    PolicyPrincipals principals;
    std::vector<PolicyPattern> actions;
    std::vector<PolicyPattern> resources;
    std::vector<PolicyCondition> conditions;
  };
  class Reader;
  static PolicyPrincipals::Match match(const Statement& statement, const PolicyQuestion& question);

  std::vector<Statement> statements_;
  bool public_ = false;
};

}  // namespace cairn::auth
