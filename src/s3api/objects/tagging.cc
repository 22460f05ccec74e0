// SPDX-License-Identifier: Apache-2.0
// Tags of buckets and of objects.
#include "s3/errors.h"
#include "s3/tags.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/handlers.h"

namespace cairn::s3api {
namespace {

// Tags of a marker cannot be asked for either, by its id or as the latest.
Error tag_fault(const Call& call, Error error) {
  for (const auto& [name, value] : error.details)
    if (error.code == "NoSuchKey" && name == objectstore::marker_detail) {
      Error marker = s3::error("MethodNotAllowed");
      marker.details = error.details;
      return object_fault(call, std::move(marker), call.address.key);
    }
  return object_fault(call, std::move(error), call.address.key);
}

Result<s3::ObjectTaggingOutput> set_tags(Call& call, const s3::Tags& tags) {
  objectstore::ObjectChange change{.tags = tags, .origin = origin_of(call)};
  change.judge = [&](const s3::Object& object) {
    AccessSubject subject = subject_of(call, &object);
    subject.new_tags = &tags;
    return decide(*call.operation, access_of(call), subject);
  };
  const auto changed = call.engine().change_object(call.object(), change, call.deadline());
  if (!changed.ok()) return tag_fault(call, changed.error());
  return s3::ObjectTaggingOutput{.version_id = shown_version(*call.bucket, *changed)};
}

Result<s3::EmptyOutput> set_bucket_tags(Call& call, std::optional<std::string> text) {
  objectstore::BucketChange change;
  change.documents[std::string(s3::document::tagging)] = std::move(text);
  CAIRN_CHECK(call.engine().change_bucket(call.address.bucket, change, call.deadline()));
  return s3::EmptyOutput{};
}

}  // namespace

Result<s3::EmptyOutput> put_bucket_tagging(Call& call, const s3::PutBucketTaggingInput& in) {
  CAIRN_CHECK(s3::tags_of(in.tagging.tag_set, s3::Tagged::bucket));
  if (in.tagging.tag_set.empty()) return set_bucket_tags(call, std::nullopt);
  return set_bucket_tags(call, document_text("Tagging", in.tagging));
}

Result<s3::GetBucketTaggingOutput> get_bucket_tagging(Call& call, const s3::BucketInput& in) {
  const auto tagging = document_of<s3::TaggingElement>(*call.bucket, s3::document::tagging);
  if (tagging == nullptr) return s3::error("NoSuchTagSet").with_detail("BucketName", in.bucket);
  return s3::GetBucketTaggingOutput{.tag_set = tagging->tag_set};
}

Result<s3::EmptyOutput> delete_bucket_tagging(Call& call, const s3::BucketInput&) {
  return set_bucket_tags(call, std::nullopt);
}

Result<s3::ObjectTaggingOutput> put_object_tagging(Call& call,
                                                   const s3::PutObjectTaggingInput& in) {
  CAIRN_TRY(const s3::Tags tags, s3::tags_of(in.tagging.tag_set, s3::Tagged::object));
  return set_tags(call, tags);
}

Result<s3::GetObjectTaggingOutput> get_object_tagging(Call& call, const s3::ObjectInput&) {
  const auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) return tag_fault(call, object.error());
  CAIRN_CHECK(allow(call, &*object));
  return s3::GetObjectTaggingOutput{.version_id = shown_version(*call.bucket, *object),
                                    .tag_set = s3::tag_elements(object->tags)};
}

Result<s3::ObjectTaggingOutput> delete_object_tagging(Call& call,
                                                      const s3::DeleteObjectTaggingInput&) {
  return set_tags(call, {});
}

}  // namespace cairn::s3api
