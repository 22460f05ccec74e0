// SPDX-License-Identifier: Apache-2.0
// Policies of buckets and of identities: what reads is asked a few questions, and a denial of
// everything that is put before it leaves nothing allowed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/policy/policy.h"
#include "format/json.h"

namespace {

using cairn::auth::Fact;
using cairn::auth::Policy;

/// Every key has two values.
struct Everything final : cairn::auth::PolicyFacts {
  bool find(const cairn::auth::PolicyKey& key, std::vector<std::string>& values) const override {
    values.emplace_back(key.fact == Fact::source_ip ? "203.0.113.7" : key.name);
    if (key.fact == Fact::existing_tag) values.emplace_back("10");
    return key.fact != Fact::never;
  }
};

cairn::auth::PolicyAnswer ask(const Policy& policy, std::string_view action,
                              std::string_view resource) {
  const Everything facts;
  return policy.answer({.action = action,
                        .resource = resource,
                        .caller = {"111111111111", "", "arn:aws:iam::111111111111:user/ann"},
                        .facts = facts});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto of_identity = Policy::of_identity(text);
  if (of_identity.ok()) (void)ask(**of_identity, "s3:GetObject", "arn:aws:s3:::b/k");
  const auto of_bucket = Policy::of_bucket(text, "b");
  if (!of_bucket.ok()) return 0;
  (void)ask(**of_bucket, "s3:GetObject", "arn:aws:s3:::b/k");
  (void)ask(**of_bucket, "s3:ListBucket", "arn:aws:s3:::b");
  auto document = cairn::parse_json(text);
  if (!document.ok()) std::abort();  // it read as a policy
  const auto denial = cairn::parse_json(
      R"({"Effect":"Deny","Principal":"*","Action":"*","Resource":"arn:aws:s3:::b*"})");
  cairn::Json statements = cairn::Json::array({*denial});
  const cairn::Json& own = *document->find("Statement");
  if (own.is_object())
    statements.push(own);
  else
    for (const auto& statement : own.as_array()) statements.push(statement);
  document->set("Statement", std::move(statements));
  const auto shut = Policy::of_bucket(document->dump(), "b");
  if (shut.ok() && !ask(**shut, "s3:GetObject", "arn:aws:s3:::b/k").denied) std::abort();
  if (!shut.ok() && shut.error().code != "PolicyTooLarge") std::abort();
  return 0;
}
