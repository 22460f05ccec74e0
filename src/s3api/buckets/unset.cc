// SPDX-License-Identifier: Apache-2.0
// Settings that a bucket cannot have here: logging, notifications, acceleration, website,
// replication. Tools read them, and write "none" or "off" to be sure: that is what is so.
#include "format/xml.h"
#include "s3/errors.h"
#include "s3/operations/operation.h"
#include "s3api/handlers.h"

namespace cairn::s3api {
namespace {

// A document that asks for something by name is refused as an operation that is not there.
Error not_here(const Call& call) {
  const std::string part(s3::subresource_of(call.query).value_or(""));
  return s3::error("NotImplemented", "?" + part + " is not offered here")
      .with_detail("Subresource", part)
      .with_detail("Method", call.exchange.head.method);
}

Result<XmlElement> read_root(const s3::PutBucketDocumentInput& in, std::string_view name) {
  auto root = parse_xml(in.document);
  if (!root.ok() || root->name != name) return s3::error("MalformedXML");
  return root;
}

Result<s3::EmptyOutput> take_empty(const Call& call, const s3::PutBucketDocumentInput& in,
                                   std::string_view name) {
  CAIRN_TRY(const XmlElement root, read_root(in, name));
  if (!root.children.empty()) return not_here(call);
  return s3::EmptyOutput{};
}

}  // namespace

Result<s3::EmptyOutput> put_bucket_logging(Call& call, const s3::PutBucketDocumentInput& in) {
  return take_empty(call, in, "BucketLoggingStatus");
}

Result<s3::EmptyOutput> put_bucket_notification_configuration(
    Call& call, const s3::PutBucketDocumentInput& in) {
  return take_empty(call, in, "NotificationConfiguration");
}

Result<s3::EmptyOutput> put_bucket_accelerate_configuration(Call& call,
                                                            const s3::PutBucketDocumentInput& in) {
  CAIRN_TRY(const XmlElement root, read_root(in, "AccelerateConfiguration"));
  const XmlElement* status = root.child("Status");
  if (status == nullptr || (status->text != "Enabled" && status->text != "Suspended"))
    return s3::error("MalformedXML");
  if (status->text == "Enabled") return not_here(call);
  return s3::EmptyOutput{};
}

Result<s3::EmptyOutput> delete_nothing(Call&, const s3::BucketInput&) { return s3::EmptyOutput{}; }

// What tools ask every bucket for, and what a bucket says that was never told about it.
Result<s3::AccelerateOutput> get_bucket_accelerate_configuration(Call&,
                                                                 const s3::AccelerateInput&) {
  return s3::AccelerateOutput{};
}
Result<s3::EmptyOutput> get_bucket_logging(Call&, const s3::BucketInput&) {
  return s3::EmptyOutput{};
}
Result<s3::EmptyOutput> get_bucket_notification_configuration(Call&, const s3::BucketInput&) {
  return s3::EmptyOutput{};
}
Result<s3::EmptyOutput> get_bucket_website(Call&, const s3::BucketInput& in) {
  return s3::error("NoSuchWebsiteConfiguration").with_detail("BucketName", in.bucket);
}
Result<s3::EmptyOutput> get_bucket_replication(Call&, const s3::BucketInput& in) {
  return s3::error("ReplicationConfigurationNotFoundError").with_detail("BucketName", in.bucket);
}

}  // namespace cairn::s3api
