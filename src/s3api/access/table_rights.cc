// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/table_rights.h"

#include <vector>

#include "auth/keys/rights.h"
#include "auth/policy/policy.h"
#include "format/time.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view index_prefix = auth::restricted_prefix;
constexpr std::string_view table_names[] = {"journal", "inventory"};

/// What is known of who reads a table: who it is, and when.
class TableFacts final : public auth::PolicyFacts {
 public:
  TableFacts(const auth::ObjectCaller& caller, std::string_view region, std::int64_t now_ms)
      : caller_(caller), region_(region), now_ms_(now_ms) {}

  bool find(const auth::PolicyKey& key, std::vector<std::string>& values) const override {
    using auth::Fact;
    switch (key.fact) {
      case Fact::principal_account:
      case Fact::resource_account:
        values.push_back(caller_.account_id);
        return true;
      case Fact::principal_arn:
        values.push_back(caller_.arn);
        return true;
      case Fact::principal_type:
        values.emplace_back(caller_.is_root() ? "Account" : "User");
        return true;
      case Fact::user_id:
        values.push_back(caller_.user_id);
        return true;
      case Fact::username:
        values.push_back(caller_.username);
        return true;
      case Fact::region:
        values.emplace_back(region_);
        return true;
      case Fact::time:
        values.push_back(format_iso8601(now_ms_));
        return true;
      case Fact::epoch_seconds:
        values.push_back(std::to_string(now_ms_ / 1000));
        return true;
      default:
        asked_unknown_ = true;
        return false;
    }
  }
  bool asked_unknown() const { return asked_unknown_; }

 private:
  const auth::ObjectCaller& caller_;
  std::string_view region_;
  std::int64_t now_ms_;
  mutable bool asked_unknown_ = false;
};

}  // namespace

std::optional<TableIndex> table_of_index(std::string_view index) {
  if (!index.starts_with(index_prefix)) return std::nullopt;
  const std::string_view rest = index.substr(index_prefix.size());
  for (const std::string_view table : table_names) {
    if (!rest.starts_with(table) || rest.substr(table.size()).substr(0, 1) != "-") continue;
    const std::string_view bucket = rest.substr(table.size() + 1);
    if (s3::is_bucket_name(bucket)) return TableIndex{.table = table, .bucket = bucket};
  }
  return std::nullopt;
}

std::string index_of_table(std::string_view table, std::string_view bucket) {
  return std::string(index_prefix).append(table).append("-").append(bucket);
}

std::string table_arn(const s3::Bucket& bucket, std::string_view table, std::string_view region) {
  return "arn:aws:s3tables:" + std::string(region) + ":" + bucket.owner.account_id +
         ":bucket/aws-s3/table/b_" + bucket.name + "/" + std::string(table);
}

bool may_read_table(const auth::ObjectCaller& caller, const s3::Bucket& bucket,
                    std::string_view table, std::string_view region, std::int64_t now_ms) {
  if (bucket.is_directory() || s3::is_reserved_bucket(bucket.name) ||
      caller.account_id != bucket.owner.account_id)
    return false;
  if (caller.is_root()) return true;
  const TableFacts facts(caller, region, now_ms);
  const std::string resource = table_arn(bucket, table, region);
  auth::PolicyAnswer answer;
  for (const auto& policy : caller.policies)
    answer |= policy->answer({.action = read_table_action,
                              .resource = resource,
                              .caller = caller.named(),
                              .facts = facts});
  return answer.allowed && !answer.denied && !facts.asked_unknown();
}

}  // namespace cairn::s3api
