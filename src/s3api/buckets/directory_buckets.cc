// SPDX-License-Identifier: Apache-2.0
// Directory buckets made, listed, and sessions with them.
#include "s3api/buckets/directory_buckets.h"

#include <map>
#include <utility>

#include "s3/errors.h"
#include "s3/tags.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/directory/directory.h"
#include "s3api/access/directory_rows.h"
#include "s3api/access/directory_sessions.h"
#include "s3api/handlers.h"
#include "s3api/objects/encryption.h"
#include "s3api/wire/continuation.h"

namespace cairn::s3api {
namespace {

constexpr std::int64_t list_directory_buckets_max = 1000;

Error bad_request(std::string message) { return s3::error("InvalidRequest", std::move(message)); }

// Location and Bucket must say what the name says already.
Status check_configuration(const std::optional<s3::CreateBucketConfiguration>& given,
                           const s3::Zone& zone) {
  if (!given || !given->location || !given->bucket)
    return bad_request(
        "A directory bucket is made with Location (Type, Name) and Bucket (DataRedundancy, Type).");
  if (given->location_constraint)
    return bad_request("A directory bucket has a Location, and no LocationConstraint.");
  if (given->location->name != zone.id || given->location->type != s3::name_of(zone.type))
    return bad_request("The Location must be that of the bucket's name: Type " +
                       std::string(s3::name_of(zone.type)) + ", Name " + zone.id + ".");
  const s3::BucketInfoElement& info = *given->bucket;
  if (info.type != "Directory")
    return bad_request("The Type of a bucket in a zone is Directory.");
  if (info.data_redundancy && *info.data_redundancy != redundancy_of(zone.type))
    return bad_request("The DataRedundancy of this zone is " +
                       std::string(redundancy_of(zone.type)) + ".");
  CAIRN_CHECK(s3::tags_of(given->tags, s3::Tagged::new_bucket));
  return ok_status();
}

// Nobody but its account ever reaches it by public access, and it has no ACLs.
std::map<std::string, std::string> documents_of(const Call& call,
                                                const s3::CreateBucketConfiguration& given) {
  std::map<std::string, std::string> documents;
  documents[std::string(s3::document::public_access_block)] =
      document_text("PublicAccessBlockConfiguration",
                    s3::PublicAccessBlockElement{.block_public_acls = true,
                                                 .ignore_public_acls = true,
                                                 .block_public_policy = true,
                                                 .restrict_public_buckets = true});
  if (!given.tags.empty())
    documents[std::string(s3::document::tagging)] =
        document_text("Tagging", s3::TaggingElement{.tag_set = given.tags});
  if (call.context.options.encrypt_new_buckets)
    documents[std::string(s3::document::encryption)] = encryption_text("AES256");
  return documents;
}

s3::Time to_the_second(std::int64_t ms) { return s3::Time{ms / 1000 * 1000}; }

// The most that the caller may, unless the request says what it wants.
bool wants_read_only(const Call& call, const std::optional<std::string>& mode) {
  if (mode) return *mode == "ReadOnly";
  const bool writes =
      decide_session(access_of(call), subject_of(call), /*read_only=*/false).ok();
  return !writes;
}

}  // namespace

Result<s3::CreateBucketOutput> create_directory_bucket(Call& call,
                                                       const s3::CreateBucketInput& in) {
  // Before the body was read a policy may have asked for what it says.
  CAIRN_CHECK(decide_without_bucket(*call.operation, access_of(call), in.bucket));
  const s3::Zone* zone = call.context.options.zone(s3::zone_id_of_bucket_name(in.bucket));
  if (zone == nullptr)
    return s3::error("InvalidBucketName",
                     "The zone that the name of this directory bucket ends with is not one of this "
                     "service (objects.zones).")
        .with_detail("BucketName", in.bucket);
  CAIRN_CHECK(check_configuration(in.create_bucket_configuration, *zone));
  if (!in.create_bucket_configuration->tags.empty())
    CAIRN_CHECK(decide_directory_action("s3express:TagResource", access_of(call), in.bucket));
  const s3::Bucket bucket{.name = in.bucket,
                          .location_constraint = call.context.options.region,
                          .owner = call.identity.account(),
                          .zone = *zone};
  const auto made = call.engine().create_bucket(
      bucket, call.deadline(), documents_of(call, *in.create_bucket_configuration));
  if (!made.ok()) return Error(made.error()).with_detail("BucketName", in.bucket);
  return s3::CreateBucketOutput{.location = "/" + in.bucket, .bucket_arn = arn_of(bucket)};
}

Result<s3::ListDirectoryBucketsOutput> list_directory_buckets(
    Call& call, const s3::ListDirectoryBucketsInput& in) {
  const std::int64_t most = in.max_directory_buckets.value_or(list_directory_buckets_max);
  if (most < 0 || most > list_directory_buckets_max)
    return bad_argument("max-directory-buckets", std::to_string(most),
                        "Argument max-directory-buckets must be an integer between 0 and 1000");
  CAIRN_TRY(const std::string after, start_of_page(in.continuation_token));
  s3::ListDirectoryBucketsOutput out;
  for (const s3::Bucket& bucket : call.engine().list_buckets(call.identity.account().id)) {
    if (!bucket.is_directory() || bucket.name <= after) continue;
    if (static_cast<std::int64_t>(out.buckets.size()) == most) {
      if (most > 0) out.continuation_token = continuation_token(out.buckets.back().name);
      break;
    }
    out.buckets.push_back({.name = bucket.name,
                           .creation_date = to_the_second(bucket.created_ms),
                           .bucket_region = bucket.location_constraint,
                           .bucket_arn = arn_of(bucket)});
  }
  return out;
}

Result<s3::CreateSessionOutput> create_session(Call& call, const s3::CreateSessionInput& in) {
  if (!call.directory)
    return s3::error("NotImplemented", "Only directory buckets have sessions.");
  const DirectorySessions* sessions = call.context.sessions;
  if (sessions == nullptr)
    return s3::error("NotImplemented", "There is no master key here that seals sessions.");
  CAIRN_TRY(const objectstore::EncryptionRequest encryption, encryption_request_without_key(call, in));
  const DirectorySession session =
      sessions->draw({.parent_key_id = call.identity.claim().access_key_id,
                      .bucket = call.session_name(),
                      .read_only = wants_read_only(call, in.session_mode),
                      .expires_ms = call.context.clock.unix_ms() +
                                    call.context.options.directory_session_ms});
  s3::CreateSessionOutput out;
  set_encryption_and_context(out, encryption.how);
  out.credentials = s3::SessionCredentials{.access_key_id = session.access_key_id,
                                           .secret_access_key = session.secret,
                                           .session_token = sessions->token(session),
                                           .expiration = to_the_second(session.expires_ms)};
  return out;
}

}  // namespace cairn::s3api
