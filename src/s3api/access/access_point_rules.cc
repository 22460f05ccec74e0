// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/access_point_rules.h"

#include <utility>

namespace cairn::s3api {
namespace {

using PointPolicy = std::shared_ptr<const auth::Policy>;

}  // namespace

Result<PointPolicy> policy_of_text(std::string_view text, const s3::AccessPoint& point) {
  if (point.is_of_outpost()) return auth::Policy::of_outpost(text, s3::arn_of(point));
  return point.is_directory() ? auth::Policy::of_directory_bucket(text, s3::arn_of(point))
                              : auth::Policy::of_access_point(text, s3::arn_of(point));
}

PointPolicy policy_of(const objectstore::AccessPointState& point) {
  if (point.policy == nullptr) return nullptr;
  return *point.policy->parsed<PointPolicy>([&](const std::string& text) {
    auto parsed = policy_of_text(text, point.point);
    return parsed.ok() ? std::move(*parsed) : nullptr;
  });
}

void go_through(const objectstore::AccessPointState& point, BucketRules& rules) {
  const s3::AccessPointBlock& block = point.point.block;
  rules.block.block_public_acls |= block.block_public_acls;
  rules.block.ignore_public_acls |= block.ignore_public_acls;
  rules.block.block_public_policy |= block.block_public_policy;
  rules.block.restrict_public_buckets |= block.restrict_public_buckets;
  rules.through = AccessPointRules{.arn = s3::arn_of(point.point),
                                   .account_id = point.point.owner.account_id,
                                   .policy = policy_of(point),
                                   .name = point.point.name,
                                   .scope = point.point.scope};
}

}  // namespace cairn::s3api
