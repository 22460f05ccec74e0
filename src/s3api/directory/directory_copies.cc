// SPDX-License-Identifier: Apache-2.0
#include "s3api/directory/directory_copies.h"

#include "s3/errors.h"

namespace cairn::s3api {
namespace {

bool is_in_local_zone(const s3::Bucket& bucket) {
  return bucket.zone && bucket.zone->type == s3::ZoneType::local_zone;
}

// Of general purpose buckets they mean something, but not where a directory bucket takes part.
constexpr std::string_view fields[] = {
    "x-amz-copy-source-server-side-encryption-customer-algorithm",
    "x-amz-copy-source-server-side-encryption-customer-key",
    "x-amz-copy-source-server-side-encryption-customer-key-MD5",
    "x-amz-server-side-encryption-bucket-key-enabled",
};

}  // namespace

Status check_directory_copy(const Call& call, const objectstore::BucketState& source) {
  const s3::Bucket& from = source.bucket;
  const s3::Bucket& to = call.bucket->bucket;
  const Options& options = call.context.options;
  if ((is_in_local_zone(from) || is_in_local_zone(to)) &&
      region_of(from, options) != region_of(to, options))
    return s3::error("InvalidRequest",
                     "A copy to or from a bucket in a Local Zone stays within its region.");
  if (!from.is_directory()) return ok_status();
  for (const std::string_view field : fields)
    if (call.header(field))
      return s3::error("NotImplemented",
                       "Copies from directory buckets do not have what the header field " +
                           std::string(field) + " asks for; leave it out.")
          .with_detail("Header", std::string(field));
  return ok_status();
}

Status check_directory_tags(const Call& call, const s3::Tags& tags) {
  if (!call.directory || tags.empty()) return ok_status();
  return s3::error("NotImplemented",
                   "Objects of directory buckets have no tags. Copy with the tagging directive "
                   "REPLACE and no tags.")
      .with_detail("Header", "x-amz-tagging");
}

}  // namespace cairn::s3api
