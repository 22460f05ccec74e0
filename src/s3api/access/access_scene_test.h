// SPDX-License-Identifier: Apache-2.0
// Two accounts with their roots and users, nobody, and a bucket that they ask for: what the tables
// of decisions share.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "s3api/access/access.h"

namespace cairn::s3api::access_scene {

inline const s3::Owner owner_1{std::string(64, '1'), "111111111111"};
inline const s3::Owner owner_2{std::string(64, '2'), "222222222222"};

inline auth::ObjectCaller caller_of(const s3::Owner& owner, const std::string& user,
                                    const std::string& policy = {}) {
  auth::ObjectCaller caller{.account_id = owner.account_id,
                            .canonical_id = owner.id,
                            .email = "mail-" + owner.account_id + "@example.org",
                            .arn = auth::principal_arn(owner.account_id, user),
                            .user_id = user.empty() ? owner.account_id : "AIDA" + user,
                            .username = user};
  if (!policy.empty()) {
    auto read = auth::Policy::of_identity(policy);
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    caller.policies.push_back(*read);
  }
  return caller;
}

inline std::string allow(const std::string& actions, const std::string& resource = "*") {
  return R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":)" + actions +
         R"(,"Resource":")" + resource + R"("}})";
}

/// Everybody who appears in the tables.
struct Cast {
  auth::ObjectCaller root_1 = caller_of(owner_1, "");
  auth::ObjectCaller all_1 = caller_of(owner_1, "all", allow(R"("s3:*")"));
  auth::ObjectCaller none_1 = caller_of(owner_1, "none");
  auth::ObjectCaller root_2 = caller_of(owner_2, "");
  auth::ObjectCaller all_2 = caller_of(owner_2, "all", allow(R"("s3:*")"));
  auth::ObjectCaller none_2 = caller_of(owner_2, "none");
  std::vector<const auth::ObjectCaller*> everybody() const {
    return {&root_1, &all_1, &none_1, &root_2, &all_2, &none_2, nullptr};
  }
};

inline net::RequestHead a_head() {
  net::RequestHead head;
  head.method = "GET";
  head.target = "/b/k";
  head.peer_address = "203.0.113.7";
  return head;
}

/// A request, and the bucket of account 1 that it is about.
struct Scene {
  Cast cast;
  BucketRules rules{.bucket = {.name = "b", .owner = owner_1}};
  net::RequestHead head = a_head();
  net::QueryParameters query;
  s3::Claim claim;
  std::optional<s3::Object> object;
  std::optional<std::string> version;
  s3::Dialect dialect = s3::Dialect::aws;
  static constexpr std::int64_t now_ms = 1'767'323'045'000;

  void policy(const std::string& statements) {
    auto read = auth::Policy::of_bucket(
        R"({"Version":"2012-10-17","Statement":[)" + statements + "]}", "b");
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    rules.policy = *read;
  }
  void ownership(s3::Ownership ownership) { rules.bucket.ownership = ownership; }
  void put_object(const s3::Owner& owner, const std::string& canned = "private") {
    object = s3::Object{.key = "k", .owner = owner};
    object->acl = s3::text_of_grants(*s3::canned_grants(canned, owner.id, owner_1.id));
  }
  AccessContext context(const auth::ObjectCaller* caller) const {
    return {.caller = caller,
            .head = head,
            .query = query,
            .dialect = dialect,
            .claim = caller != nullptr ? &claim : nullptr,
            .now_ms = now_ms,
            .region = "us-east-1"};
  }
  AccessSubject subject(std::string_view key = "k") const {
    AccessSubject out{.rules = rules, .key = key};
    out.object = !key.empty() && object ? &*object : nullptr;
    if (version) out.version_id = *version;
    return out;
  }
  bool may(const auth::ObjectCaller* caller, std::string_view action,
           std::string_view key = "k") const {
    return decide(action, context(caller), subject(key)).ok();
  }
  /// One sign for each of the cast: y or -.
  std::string who(std::string_view action, std::string_view key = "k") const {
    std::string out;
    for (const auto* caller : cast.everybody()) out += may(caller, action, key) ? 'y' : '-';
    return out;
  }
  Status does(const auth::ObjectCaller* caller, std::string_view operation,
              std::string_view key = "k") const {
    s3::Operation named;
    named.name = operation;
    return decide(named, context(caller), subject(key));
  }
};

inline std::string statement(const std::string& effect, const std::string& principal,
                             const std::string& actions, const std::string& more = "") {
  return R"({"Effect":")" + effect + R"(","Principal":)" + principal + R"(,"Action":)" + actions +
         R"(,"Resource":["arn:aws:s3:::b","arn:aws:s3:::b/*"])" + more + "}";
}

inline constexpr const char* everyone = R"("*")";
inline constexpr const char* account_2 = R"({"AWS":"222222222222"})";
inline constexpr const char* none_of_1 = R"({"AWS":"arn:aws:iam::111111111111:user/none"})";
inline constexpr const char* none_of_2 = R"({"AWS":"arn:aws:iam::222222222222:user/none"})";
inline constexpr const char* get = R"("s3:GetObject")";

}  // namespace cairn::s3api::access_scene
