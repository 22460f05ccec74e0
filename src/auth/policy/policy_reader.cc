// SPDX-License-Identifier: Apache-2.0
// From the text of a policy to its statements, with everything checked that can be.
#include <algorithm>
#include <utility>

#include "auth/policy/policy.h"
#include "auth/policy/policy_action.h"
#include "base/strings.h"
#include "format/json.h"

namespace cairn::auth {
namespace {

constexpr std::size_t depth_max = 12;
constexpr std::string_view resource_prefix = "arn:aws:s3:::";
constexpr std::string_view own_prefixes[] = {"arn:aws:s3:", "arn:aws:s3express:",
                                            "arn:aws:s3-outposts:"};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_open_action(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

/// Other partitions name the same buckets here, and so does the other dialect's.
std::string in_own_partition(std::string_view resource) {
  for (const std::string_view partition : {"arn:svc:", "arn:aws-cn:", "arn:aws-us-gov:"}) {
    if (!resource.starts_with(partition)) continue;
    const std::string own = "arn:aws:" + std::string(resource.substr(partition.size()));
    for (const std::string_view prefix : own_prefixes)
      if (own.starts_with(prefix)) return own;
  }
  return std::string(resource);
}

bool is_sid(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

}  // namespace

class Policy::Reader {
 public:
  enum class Of { identity, bucket, directory_bucket, access_point, outpost };
  /// `arn`: of the bucket or access point.
  explicit Reader(Of of, std::string arn = {})
      : of_bucket_(of != Of::identity),
        action_prefix_(of == Of::directory_bucket ? "s3express:"
                       : of == Of::outpost        ? "s3-outposts:"
                                                  : "s3:"),
        bucket_arn_(std::move(arn)),
        objects_(bucket_arn_ +
                 (of == Of::access_point || of == Of::outpost ? "/object/" : "/")) {}

  Result<std::shared_ptr<const Policy>> read(std::string_view text) {
    if (text.size() > policy_bytes_max)
      return Error{ErrorKind::too_large, "PolicyTooLarge",
                   "Policy exceeds the maximum allowed document size."};
    if (text.empty() || text.front() != '{')
      return bad("Policies must be valid JSON and the first byte must be '{'");
    const auto document = parse_json(text, {.depth = depth_max});
    if (!document.ok()) return bad("This policy contains invalid Json");
    CAIRN_CHECK(read_head(*document));
    CAIRN_CHECK(read_statements(*document->find("Statement")));
    return std::make_shared<const Policy>(std::move(policy_));
  }

 private:
  Error bad(std::string message) const {
    return {ErrorKind::invalid_argument, of_bucket_ ? "MalformedPolicy" : "MalformedPolicyDocument",
            std::move(message)};
  }
  Error coded(const Error& error) const { return bad(error.message); }
  Error bad_syntax() const { return bad("Invalid policy syntax."); }

  Status read_head(const Json& document) {
    for (const auto& [name, value] : document.as_object())
      if (!is_one_of(name, {"Version", "Id", "Statement"})) return bad("Unknown field " + name);
    if (const Json* version = document.find("Version")) {
      if (!version->is_string() || !is_one_of(version->as_string(), {"2012-10-17", "2008-10-17"}))
        return bad("The policy must contain a valid version string");
      variables_ = version->as_string() == "2012-10-17";
    }
    if (const Json* id = document.find("Id"); id != nullptr && !id->is_string())
      return bad_syntax();
    if (document.find("Statement") == nullptr) return bad("Missing required field Statement");
    return ok_status();
  }

  Status read_statements(const Json& value) {
    const Json::Array one = value.is_object() ? Json::Array{value} : Json::Array{};
    if (!value.is_object() && !value.is_array()) return bad_syntax();
    const Json::Array& list = value.is_array() ? value.as_array() : one;
    if (list.empty()) return bad("Could not parse the policy: Statement is empty!");
    for (const Json& each : list) {
      if (!each.is_object()) return bad_syntax();
      Statement statement;
      CAIRN_CHECK(read_statement(each, statement));
      policy_.public_ |= is_public(statement);
      policy_.statements_.push_back(std::move(statement));
    }
    return ok_status();
  }

  Status read_statement(const Json& value, Statement& out) {
    for (const auto& [name, member] : value.as_object())
      if (!is_one_of(name, {"Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction",
                            "Resource", "NotResource", "Condition"}))
        return bad("Unknown field " + name);
    CAIRN_CHECK(read_sid(value));
    out.sid = value.string_or("Sid");
    const Json* effect = value.find("Effect");
    if (effect == nullptr) return bad("Missing required field Effect");
    if (!effect->is_string()) return bad_syntax();
    out.allow = effect->as_string() == "Allow";
    if (!out.allow && effect->as_string() != "Deny")
      return bad("Invalid effect: " + effect->as_string());
    CAIRN_CHECK(read_principals(value, out));
    std::vector<std::string> actions, resources;
    CAIRN_TRY(out.not_actions, read_either(value, "Action", actions));
    CAIRN_TRY(out.not_resources, read_either(value, "Resource", resources));
    for (const auto& action : actions) CAIRN_CHECK(add_action(action, out));
    for (const auto& resource : resources) CAIRN_CHECK(add_resource(resource, out));
    if (of_bucket_) CAIRN_CHECK(check_actions_fit_resources(out, actions));
    const Json* conditions = value.find("Condition");
    return conditions == nullptr ? ok_status() : read_conditions(*conditions, actions, out);
  }

  Status read_sid(const Json& value) {
    const Json* sid = value.find("Sid");
    if (sid == nullptr) return ok_status();
    if (!sid->is_string()) return bad_syntax();
    if (!of_bucket_ && !is_sid(sid->as_string()))
      return bad(
          "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular "
          "expression [0-9A-Za-z]*");
    if (sid->as_string().empty()) return ok_status();
    if (std::find(sids_.begin(), sids_.end(), sid->as_string()) != sids_.end())
      return bad("Statement IDs (SID) in a single policy must be unique.");
    sids_.push_back(sid->as_string());
    return ok_status();
  }

  Status read_principals(const Json& value, Statement& out) {
    const Json* principal = value.find("Principal");
    const Json* not_principal = value.find("NotPrincipal");
    if (!of_bucket_) {
      if (principal == nullptr && not_principal == nullptr) return ok_status();
      return bad("Policy document should not specify a principal.");
    }
    if (principal == nullptr && not_principal == nullptr)
      return bad("Missing required field Principal");
    if (principal != nullptr && not_principal != nullptr) return bad_syntax();
    // "Allow all but these" would be a grant to everybody who has not been thought of.
    if (not_principal != nullptr && out.allow)
      return bad("Allow with NotPrincipal is not allowed.");
    auto parsed = PolicyPrincipals::parse(principal != nullptr ? *principal : *not_principal);
    if (!parsed.ok()) return coded(parsed.error());
    out.has_principals = true;
    out.not_principals = not_principal != nullptr;
    out.principals = std::move(*parsed);
    return ok_status();
  }

  /// The texts of `name` or of its negation; true for the negation.
  Result<bool> read_either(const Json& value, const std::string& name,
                           std::vector<std::string>& out) {
    const Json* plain = value.find(name);
    const Json* negated = value.find("Not" + name);
    if (plain == nullptr && negated == nullptr) return bad("Missing required field " + name);
    if (plain != nullptr && negated != nullptr) return bad_syntax();
    const Json& texts = plain != nullptr ? *plain : *negated;
    if (texts.is_string()) {
      out.push_back(texts.as_string());
      return negated != nullptr;
    }
    if (!texts.is_array()) return bad_syntax();
    for (const Json& text : texts.as_array()) {
      if (!text.is_string()) return bad_syntax();
      out.push_back(text.as_string());
    }
    if (out.empty()) return bad("Missing required field " + name);
    return negated != nullptr;
  }

  Status add_action(const std::string& text, Statement& out) {
    const PolicyPattern pattern =
        PolicyPattern::compile(text, {.variables = false, .fold_case = true});
    if (of_bucket_) {
      const auto actions = policy_actions();
      const bool known =
          std::any_of(actions.begin(), actions.end(),
                      [&](const PolicyAction& action) {
                        return action.name.starts_with(action_prefix_) &&
                               pattern.may_match(action.name);
                      });
      if (!known) return bad("Policy has invalid action");
    } else if (text != "*") {
      const auto colon = text.find(':');
      if (colon == std::string::npos || colon == 0)
        return bad("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
      if (colon + 1 == text.size()) return bad("Policy has invalid action");
    }
    out.actions.push_back(pattern);
    return ok_status();
  }

  Status add_resource(const std::string& text, Statement& out) {
    if (!of_bucket_ && text != "*" && !text.starts_with("arn:"))
      return bad("Resource " + text + " must be in ARN format or \"*\".");
    PolicyPattern pattern =
        PolicyPattern::compile(in_own_partition(text), {.variables = variables_});
    if (of_bucket_ && !pattern.may_match(bucket_arn_) &&
        !pattern.may_match_beginning(objects_))
      return bad("Policy has invalid resource");
    out.resources.push_back(std::move(pattern));
    return ok_status();
  }

  Status check_actions_fit_resources(const Statement& statement,
                                     const std::vector<std::string>& actions) {
    if (statement.not_actions || statement.not_resources) return ok_status();
    bool bucket = false, object = false;
    for (const PolicyPattern& resource : statement.resources) {
      bucket |= resource.may_match(bucket_arn_);
      object |= resource.may_match_beginning(objects_);
    }
    for (std::size_t i = 0; i < actions.size(); ++i) {
      bool fits = false;
      for (const PolicyAction& action : policy_actions()) {
        if (!action.name.starts_with(action_prefix_)) continue;
        if (!statement.actions[i].may_match(action.name)) continue;
        fits |= action.target == ActionTarget::bucket
                    ? bucket
                    : action.target == ActionTarget::object && object;
      }
      if (!fits) return bad("Action does not apply to any resource(s) in statement");
    }
    return ok_status();
  }

  Status read_conditions(const Json& value, const std::vector<std::string>& actions,
                         Statement& out) {
    if (!value.is_object()) return bad_syntax();
    for (const auto& [operator_name, keys] : value.as_object()) {
      const auto how = find_policy_operator(operator_name);
      if (!how) return bad("Invalid Condition type : " + operator_name);
      if (!keys.is_object() || keys.as_object().empty()) return bad_syntax();
      for (const auto& [key_name, values] : keys.as_object()) {
        auto key = find_policy_key(key_name);
        if (!key && of_bucket_) return bad("Policy has an invalid condition key");
        if (!key && key_name.find(':') == std::string::npos)
          return bad("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
        if (!key) key = PolicyKey{};
        if (of_bucket_ && !out.not_actions) CAIRN_CHECK(check_key_applies(*key, actions));
        auto condition = PolicyCondition::compile(*how, key_name, *key, values, variables_);
        if (!condition.ok()) return coded(condition.error());
        out.conditions.push_back(std::move(*condition));
      }
    }
    return ok_status();
  }

  Status check_key_applies(const PolicyKey& key, const std::vector<std::string>& actions) {
    for (const std::string& text : actions) {
      if (is_open_action(text)) continue;
      for (const PolicyAction& action : policy_actions())
        if (equals_ignore_case(action.name, text) && !key_applies(key, action.name))
          return bad(
              "Conditions do not apply to combination of actions and resources in statement");
    }
    return ok_status();
  }

  static bool is_public(const Statement& statement) {
    return statement.allow && statement.has_principals && statement.principals.everybody() &&
           std::none_of(statement.conditions.begin(), statement.conditions.end(),
                        [](const PolicyCondition& condition) { return condition.narrows(); });
  }

  const bool of_bucket_;
  const std::string_view action_prefix_;  // of the actions that a bucket's policy may name
  const std::string bucket_arn_;
  const std::string objects_;  // what the ARNs of what lies in it begin with
  bool variables_ = false;  // of version 2012-10-17 only
  std::vector<std::string> sids_;
  Policy policy_;
};

Result<std::shared_ptr<const Policy>> Policy::of_bucket(std::string_view text,
                                                        std::string_view bucket) {
  return Reader(Reader::Of::bucket, std::string(resource_prefix) + std::string(bucket)).read(text);
}

Result<std::shared_ptr<const Policy>> Policy::of_directory_bucket(std::string_view text,
                                                                  std::string_view arn) {
  return Reader(Reader::Of::directory_bucket, std::string(arn)).read(text);
}

Result<std::shared_ptr<const Policy>> Policy::of_access_point(std::string_view text,
                                                              std::string_view arn) {
  return Reader(Reader::Of::access_point, std::string(arn)).read(text);
}

Result<std::shared_ptr<const Policy>> Policy::of_outpost(std::string_view text,
                                                         std::string_view arn) {
  return Reader(Reader::Of::outpost, std::string(arn)).read(text);
}

Result<std::shared_ptr<const Policy>> Policy::of_identity(std::string_view text) {
  return Reader(Reader::Of::identity).read(text);
}

}  // namespace cairn::auth
