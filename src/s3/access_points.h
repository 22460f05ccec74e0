// SPDX-License-Identifier: Apache-2.0
// Access points: a bucket under another name, with a policy of its own. What they are, and the
// names by which requests mean them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "s3/model.h"

namespace cairn::s3 {

inline constexpr std::size_t access_points_max = 10'000;  // of one account
inline constexpr std::string_view alias_suffix = "-s3alias";
inline constexpr std::string_view outpost_alias_suffix = "--op-s3";

/// The four switches against access by everybody. All are on unless the maker says otherwise, and
/// they stay as they were made.
struct AccessPointBlock {
  bool block_public_acls = true;
  bool ignore_public_acls = true;
  bool block_public_policy = true;
  bool restrict_public_buckets = true;
  friend bool operator==(const AccessPointBlock&, const AccessPointBlock&) = default;
};

inline constexpr std::size_t scope_prefix_bytes_max = 255;  // of all prefixes together
/// What may be asked through an access point of a directory bucket, whatever policies say. Permissions
/// are actions without "s3:" before them, such as "GetObject". A "*" that a prefix ends with stands for
/// anything, as the end of a prefix does anyway.
struct AccessPointScope {
  std::vector<std::string> prefixes = {};     // empty: all keys
  std::vector<std::string> permissions = {};  // empty: all
  bool empty() const { return prefixes.empty() && permissions.empty(); }
  /// Whether all that begins with `path` lies within.
  bool covers_path(std::string_view path) const;
  bool covers_permission(std::string_view permission) const;
  friend bool operator==(const AccessPointScope&, const AccessPointScope&) = default;
};
/// "GetObject", "ListBucket", …
bool is_scope_permission(std::string_view text);

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
  AccessPointScope scope = {};
  std::string outpost_id = {};  // that its bucket belongs to; empty: to none
  bool is_of_outpost() const { return !outpost_id.empty(); }
  bool is_directory() const { return !zone_id_of_access_point_name(name).empty(); }
  friend bool operator==(const AccessPoint&, const AccessPoint&) = default;
};

/// 3 to 50 characters: lower-case letters, digits, hyphens in between; nothing that an alias, a
/// bucket or a host of another kind could be.
bool is_access_point_name(std::string_view name);
/// "<base>--<zone>--xa-s3", a base of 3 to 50 of the same characters; a label of a host.
bool is_directory_access_point_name(std::string_view name);
/// True for 12 digits.
bool is_account_id(std::string_view text);
/// True for what has the form of an alias, whether there is one or not.
bool is_access_point_alias(std::string_view name);
/// The beginning of the name, `random` as 34 lower-case letters and digits, and "-s3alias"; a label
/// of a host. `random` has at least 34 bytes.
std::string access_point_alias(std::string_view name, std::string_view random);

/// True for "op-" and 17 hexadecimal digits in lower case.
bool is_outpost_id(std::string_view text);
/// True for what has the form of an alias of an outpost's access point.
bool is_outpost_alias(std::string_view name);
/// Of an access point of an outpost. As the vendor's clients read it from its end: "--op-s3", a "0",
/// 4 characters of the region, 20 of `random`, 17 of the outpost, "o" for its hardware, "-", the
/// beginning of the name; a label of a host. `random` has at least 20 bytes.
std::string outpost_alias(const AccessPoint& point, std::string_view random);

/// "arn:aws:s3:<region>:<account>:accesspoint/<name>", or of s3express;
/// "arn:aws:s3-outposts:<region>:<account>:outpost/<id>/accesspoint/<name>"
std::string arn_of(const AccessPoint& point);

/// An access point as a host or an ARN names it.
struct AccessPointName {
  std::string account_id = {};
  std::string name = {};
  std::string outpost_id = {};
  friend bool operator==(const AccessPointName&, const AccessPointName&) = default;
};

/// What tells it from others of its account: the name, behind "<outpost>/" where it is of one.
std::string key_of(std::string_view outpost_id, std::string_view name);
/// "<name>-<account>", as it stands in front of a host. Nothing for other labels.
std::optional<AccessPointName> access_point_of_label(std::string_view label);
/// What a host that leads to it begins with: that, or the name where it is of a directory bucket.
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
