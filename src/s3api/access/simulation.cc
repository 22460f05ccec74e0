// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/simulation.h"

#include <algorithm>
#include <charconv>

#include "auth/policy/policy_action.h"
#include "base/encode.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/grants.h"
#include "s3api/access/access_actions.h"

namespace cairn::s3api {
namespace {

using auth::Fact;
using Values = std::vector<std::string>;

Error wrong(std::string message) {
  return {ErrorKind::invalid_argument, "illegal_argument_exception", std::move(message)};
}

/// The request that the words of a SimulatedRequest describe.
struct Described {
  net::RequestHead head = {};
  net::QueryParameters query = {};
  s3::Claim claim = {};
  std::int64_t now_ms = 0;
  std::string region = {};
  std::string version_id = {};
  std::optional<s3::Tags> existing_tags = {};
  std::optional<std::string> content_tags = {};  // "a=b&c=d", as x-amz-tagging
};

Result<std::int64_t> number_of(const std::string& name, const std::string& text) {
  std::int64_t out = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc() || read.ptr != end || text.empty())
    return wrong("[context] has a value of [" + name + "] that is no number: [" + text + "]");
  return out;
}

Result<bool> flag_of(const std::string& name, const std::string& text) {
  if (equals_ignore_case(text, "true")) return true;
  if (equals_ignore_case(text, "false")) return false;
  return wrong("[context] has a value of [" + name + "] that is neither true nor false: [" + text +
               "]");
}

class Describing {
 public:
  explicit Describing(Described& out) : out_(out) {}

  Status take(const std::string& name, const Values& values) {
    const auto key = auth::find_policy_key(name);
    if (!key) return wrong("[context] has [" + name + "], which is no condition key");
    const bool many = key->fact == Fact::request_tag_names;
    if (!many && values.size() != 1)
      return wrong("[context] must have one value of [" + name + "]");
    switch (key->fact) {
      case Fact::header:
        out_.head.headers.set(key->name, values[0]);
        return ok_status();
      case Fact::query:
        out_.query.emplace_back(key->name, values[0]);
        return ok_status();
      case Fact::referer:
        out_.head.headers.set("Referer", values[0]);
        return ok_status();
      case Fact::user_agent:
        out_.head.headers.set("User-Agent", values[0]);
        return ok_status();
      case Fact::region:
        out_.region = values[0];
        return ok_status();
      case Fact::source_ip:
        out_.head.peer_address = values[0];
        return ok_status();
      case Fact::tls_version:
        out_.head.tls = true;
        out_.head.tls_version = values[0];
        return ok_status();
      case Fact::version_id:
        out_.version_id = values[0];
        return ok_status();
      case Fact::lock_mode:
        out_.head.headers.set("x-amz-object-lock-mode", values[0]);
        return ok_status();
      case Fact::lock_legal_hold:
        out_.head.headers.set("x-amz-object-lock-legal-hold", values[0]);
        return ok_status();
      case Fact::lock_retain_until:
        out_.head.headers.set("x-amz-object-lock-retain-until-date", values[0]);
        return ok_status();
      case Fact::existing_tag:
        if (!out_.existing_tags) out_.existing_tags.emplace();
        (*out_.existing_tags)[key->name] = values[0];
        return ok_status();
      case Fact::request_tag:
        add_tag(key->name, values[0]);
        return ok_status();
      case Fact::request_tag_names:
        for (const std::string& tag : values) add_tag(tag, "");
        return ok_status();
      default:
        return take_typed(key->fact, name, values[0]);
    }
  }

 private:
  Status take_typed(Fact fact, const std::string& name, const std::string& value) {
    switch (fact) {
      case Fact::secure_transport: {
        CAIRN_TRY(out_.head.tls, flag_of(name, value));
        return ok_status();
      }
      case Fact::time: {
        const auto moment = parse_iso8601(value);
        if (!moment)
          return wrong("[context] has a [" + name + "] that is no ISO 8601 date: [" + value + "]");
        out_.now_ms = *moment;
        return ok_status();
      }
      case Fact::epoch_seconds: {
        CAIRN_TRY(const std::int64_t seconds, number_of(name, value));
        out_.now_ms = std::clamp<std::int64_t>(seconds, 0, 253'402'300'799) * 1000;
        return ok_status();
      }
      case Fact::auth_type:
        if (value != "REST-HEADER" && value != "REST-QUERY-STRING" && value != "POST")
          return wrong("[context] may have REST-HEADER, REST-QUERY-STRING or POST as [" + name +
                       "]");
        out_.claim.in_query = value == "REST-QUERY-STRING";
        out_.claim.in_form = value == "POST";
        return ok_status();
      case Fact::signature_version:
        if (value != "AWS4-HMAC-SHA256" && value != "AWS")
          return wrong("[context] may have AWS4-HMAC-SHA256 or AWS as [" + name + "]");
        out_.claim.version_two = value == "AWS";
        return ok_status();
      case Fact::signature_age_ms: {
        CAIRN_TRY(age_ms_, number_of(name, value));
        return ok_status();
      }
      case Fact::lock_remaining_days: {
        CAIRN_TRY(lock_days_, number_of(name, value));
        return ok_status();
      }
      case Fact::never:
        return wrong("[context] has [" + name + "], which no request here ever has");
      default:
        return wrong("[context] has [" + name +
                     "], which follows from the principal and the bucket: leave it out");
    }
  }

  void add_tag(const std::string& name, const std::string& value) {
    const auto pair = percent_encode(name, "") + "=" + percent_encode(value, "");
    if (out_.content_tags)
      *out_.content_tags += "&" + pair;
    else
      out_.content_tags = pair;
  }

 public:
  // What is counted from the moment, which any key may have moved.
  void finish() {
    out_.claim.time_ms = out_.now_ms - std::clamp<std::int64_t>(age_ms_, 0, out_.now_ms);
    if (lock_days_)
      out_.head.headers.set(
          "x-amz-object-lock-retain-until-date",
          format_iso8601(out_.now_ms +
                         std::clamp<std::int64_t>(*lock_days_, 0, 100'000) * s3::day_ms));
    if (out_.content_tags) out_.head.headers.set("x-amz-tagging", *out_.content_tags);
  }

 private:
  Described& out_;
  std::int64_t age_ms_ = 0;
  std::optional<std::int64_t> lock_days_ = {};
};

/// The action as documented, and what it is done to.
Result<const auth::PolicyAction*> action_of(const SimulatedRequest& request) {
  for (const auth::PolicyAction& action : auth::policy_actions()) {
    if (!equals_ignore_case(action.name, request.action) || !action.name.starts_with("s3:"))
      continue;
    if (action.target == auth::ActionTarget::account || find_action(action.name) == nullptr)
      return wrong("[action] [" + request.action + "] is done to no bucket that is there");
    const bool of_object = action.target == auth::ActionTarget::object;
    if (of_object && request.key.empty())
      return wrong("[action] [" + request.action + "] is done to objects: it needs a [key]");
    if (!of_object && !request.key.empty())
      return wrong("[action] [" + request.action + "] is done to a bucket: it has no [key]");
    return &action;
  }
  return wrong("[action] [" + request.action + "] is no action of the object storage");
}

/// The operation that asks for an action. Null where an operation asks for it only besides.
const s3::Operation* operation_of(std::string_view action, bool& of_version) {
  const std::string_view name = action.substr(action.find(':') + 1);
  const OperationRow* found = nullptr;
  for (const OperationRow& row : operation_rows()) {
    const bool fits = row.action == action || row.of_version == action;
    // Sessions are of directory buckets; copies need a source besides.
    if (!fits || !row.besides.empty() || row.operation == "CreateSession" || row.reads_source)
      continue;
    if (found == nullptr || row.operation == name) found = &row;
  }
  if (found == nullptr) return nullptr;
  of_version = found->of_version == action;
  const auto all = s3::all_operations();
  const auto operation = std::find_if(all.begin(), all.end(), [&](const s3::Operation* each) {
    return each->name == found->operation;
  });
  return operation == all.end() ? nullptr : *operation;
}

/// What the writer of a list for everybody meets behind the decision.
bool is_blocked_list(const Described& asked, std::string_view action, const BucketRules& rules) {
  const bool takes_list = action == "s3:PutObject" || action == "s3:PutObjectAcl" ||
                          action == "s3:PutObjectVersionAcl" || action == "s3:PutBucketAcl";
  if (!takes_list || !rules.block.block_public_acls || rules.acls_off()) return false;
  const auto field = [&](std::string_view name) -> std::optional<std::string> {
    const auto value = asked.head.headers.find(name);
    return value ? std::optional<std::string>(*value) : std::nullopt;
  };
  const std::string& owner = rules.bucket.owner.id;
  if (const auto canned = field("x-amz-acl")) {
    const auto list = s3::canned_grants(*canned, owner, owner);
    return list && s3::is_public(*list);
  }
  const auto grants = s3::grants_of_fields({.full_control = field("x-amz-grant-full-control"),
                                            .read = field("x-amz-grant-read"),
                                            .write = field("x-amz-grant-write"),
                                            .read_acp = field("x-amz-grant-read-acp"),
                                            .write_acp = field("x-amz-grant-write-acp")});
  return grants.ok() && s3::is_public({.owner_id = owner, .grants = *grants});
}

bool is_statement(const AccessReason& reason) { return reason.statement.has_value(); }

/// Leaves what people want to read: of an answer that several actions made, the one that ended it.
void keep_what_matters(SimulatedAnswer& answer) {
  std::vector<AccessReason>& reasons = answer.reasons;
  if (answer.allowed) {
    std::erase_if(reasons, [](const AccessReason& reason) { return !reason.allows; });
    return;
  }
  const std::string last = reasons.empty() ? std::string() : reasons.back().action;
  const auto denies = [&](const AccessReason& reason) {
    return reason.action == last && !reason.allows && is_statement(reason);
  };
  answer.explicitly_denied = std::any_of(reasons.begin(), reasons.end(), denies);
  std::erase_if(reasons, [&](const AccessReason& reason) {
    return reason.action != last || (answer.explicitly_denied && !denies(reason));
  });
}

/// The object of the key, where the decision hangs on it and it is there.
Result<std::optional<s3::Object>> object_at(const SimulatedRequest& request,
                                            const SimulationScene& scene, const Described& asked,
                                            std::string_view action, const os::Deadline& deadline) {
  const ActionRow* row = find_action(action);
  if (row == nullptr || row->owner != ActionOwner::object || request.key.empty())
    return std::optional<s3::Object>();
  auto found =
      scene.engine.head({scene.rules.bucket.name, request.key, asked.version_id}, deadline);
  if (!found.ok()) {
    const std::string& code = found.error().code;
    if (code != "NoSuchKey" && code != "NoSuchVersion" && code != "MethodNotAllowed")
      return found.error();
    if (!asked.existing_tags) return std::optional<s3::Object>();
    return std::optional(s3::Object{
        .key = request.key, .owner = scene.rules.bucket.owner, .tags = *asked.existing_tags});
  }
  if (asked.existing_tags) found->tags = *asked.existing_tags;
  return std::optional(std::move(*found));
}

}  // namespace

Result<SimulatedAnswer> simulate(const SimulatedRequest& request, const SimulationScene& scene,
                                 const os::Deadline& deadline) {
  CAIRN_TRY(const auth::PolicyAction* const action, action_of(request));
  Described asked{.now_ms = scene.now_ms, .region = std::string(scene.region)};
  asked.head.peer_address = std::string(scene.peer_address);
  Describing describing(asked);
  for (const auto& [name, values] : request.context) CAIRN_CHECK(describing.take(name, values));
  describing.finish();
  bool of_version = false;
  const s3::Operation* const operation = operation_of(action->name, of_version);
  if (of_version && asked.version_id.empty()) asked.version_id = s3::null_version;
  CAIRN_TRY(const auto object, object_at(request, scene, asked, action->name, deadline));

  SimulatedAnswer answer;
  const AccessContext context{.caller = request.caller.get(),
                              .head = asked.head,
                              .query = asked.query,
                              .claim = request.caller == nullptr ? nullptr : &asked.claim,
                              .now_ms = asked.now_ms,
                              .region = asked.region,
                              .directory = scene.rules.bucket.is_directory(),
                              .reasons = &answer.reasons};
  AccessSubject subject{.rules = scene.rules, .key = request.key};
  if (object) subject.object = &*object;
  if (of_version) subject.version_id = asked.version_id;
  const Status decided = operation != nullptr ? decide(*operation, context, subject)
                                              : decide(action->name, context, subject);
  answer.allowed = decided.ok();
  if (answer.allowed && is_blocked_list(asked, action->name, scene.rules)) {
    answer.allowed = false;
    answer.reasons = {
        {.where = AccessReason::Where::public_access_block, .action = std::string(action->name)}};
  }
  keep_what_matters(answer);
  return answer;
}

std::string_view name_of(AccessReason::Where where) {
  switch (where) {
    case AccessReason::Where::owner:
      return "owner";
    case AccessReason::Where::acl:
      return "acl";
    case AccessReason::Where::bucket_policy:
      return "bucket policy";
    case AccessReason::Where::identity_policy:
      return "identity policy";
    case AccessReason::Where::access_point_policy:
      return "access point policy";
    case AccessReason::Where::public_access_block:
      return "public access block";
    case AccessReason::Where::access_grant:
      return "access grant";
    case AccessReason::Where::requester_pays:
      return "requester pays";
  }
  return "";
}

}  // namespace cairn::s3api
