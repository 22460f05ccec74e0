// SPDX-License-Identifier: Apache-2.0
// Access points: a bucket under another name, with a policy of its own. What they are, and the
// names by which requests mean them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "s3/model.h"

namespace cairn::s3 {

inline constexpr std::size_t access_points_max = 10'000;  // of one account
inline constexpr std::string_view alias_suffix = "-s3alias";

/// The four switches against access by everybody. All are on unless the maker says otherwise, and
/// they stay as they were made.
struct AccessPointBlock {
  bool block_public_acls = true;
  bool ignore_public_acls = true;
  bool block_public_policy = true;
  bool restrict_public_buckets = true;
  friend bool operator==(const AccessPointBlock&, const AccessPointBlock&) = default;
};

struct AccessPoint {
  std::string name;
  Owner owner = {};  // whose it is: names are unique in an account
  std::string bucket = {};
  std::string bucket_account_id = {};  // whose the bucket was: another account's never takes its place
  std::string region = {};             // of the bucket
  std::string alias = {};              // stands where a bucket's name does
  std::int64_t created_ms = 0;
  AccessPointBlock block = {};
  std::string policy = {};  // as it was put; empty: none
  friend bool operator==(const AccessPoint&, const AccessPoint&) = default;
};

/// 3 to 50 characters: lower-case letters, digits, hyphens in between; nothing that an alias, a
/// bucket or a host of another kind could be.
bool is_access_point_name(std::string_view name);
/// True for 12 digits.
bool is_account_id(std::string_view text);
/// True for what has the form of an alias, whether there is one or not.
bool is_access_point_alias(std::string_view name);
/// The beginning of the name, `random` as 34 lower-case letters and digits, and "-s3alias"; a label
/// of a host. `random` has at least 34 bytes.
std::string access_point_alias(std::string_view name, std::string_view random);

/// "arn:aws:s3:<region>:<account>:accesspoint/<name>"
std::string arn_of(const AccessPoint& point);

/// An access point as a host or an ARN names it.
struct AccessPointName {
  std::string account_id = {};
  std::string name = {};
  friend bool operator==(const AccessPointName&, const AccessPointName&) = default;
};

/// "<name>-<account>", as it stands in front of a host. Nothing for other labels.
std::optional<AccessPointName> access_point_of_label(std::string_view label);
std::string label_of(const AccessPoint& point);

struct AccessPointArn {
  std::string service = {};  // "s3", "s3-outposts", "s3express", "s3-object-lambda"
  std::string region = {};   // empty: of several regions
  AccessPointName point = {};
  std::string outpost_id = {};      // of "s3-outposts"
  std::optional<std::string> key = {};  // behind "/object/"
};
/// arn:<partition>:<service>:<region>:<account>:accesspoint[:/]<name>[/object/<key>], or with
/// outpost[:/]<id>[:/] before it. Nothing for any other text. The name is not judged but for being
/// there.
std::optional<AccessPointArn> parse_access_point_arn(std::string_view text);

}  // namespace cairn::s3
