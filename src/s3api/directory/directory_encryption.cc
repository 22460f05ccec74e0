// SPDX-License-Identifier: Apache-2.0
#include "s3api/directory/directory_encryption.h"

#include <string_view>

#include "base/encode.h"
#include "format/json.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/key_names.h"

namespace cairn::s3api {
namespace {

// The bucket's ARN, as it is or as the only value of the object that it stands in.
bool is_context_of(const std::string& context, const std::string& arn) {
  const auto text = from_base64(context);
  if (!text) return false;
  if (*text == arn) return true;
  const auto json = parse_json(*text);
  if (!json.ok() || !json->is_object() || json->as_object().size() != 1) return false;
  const Json& value = json->as_object().begin()->second;
  return value.is_string() && value.as_string() == arn;
}

Error other_than_default(std::string_view what) {
  return s3::error("InvalidRequest", "The " + std::string(what) +
                                         " of an object in a directory bucket must be that of the "
                                         "bucket's default encryption.");
}

// Of an ARN, or the id itself.
std::string_view key_id_of(std::string_view name) {
  constexpr std::string_view before = ":key/";
  const std::size_t at = name.rfind(before);
  return at == std::string_view::npos ? name : name.substr(at + before.size());
}

std::string default_key(const Call& call) {
  const auto rule = encryption_of(*call.bucket);
  if (rule == nullptr || !rule->apply_server_side_encryption_by_default) return {};
  return rule->apply_server_side_encryption_by_default->kms_master_key_id.value_or("");
}

}  // namespace

Result<std::string> directory_key(const Call& call, const std::optional<std::string>& kms_key_id,
                                  const std::optional<std::string>& kms_context) {
  const s3::Bucket& bucket = call.bucket->bucket;
  const std::string usual = default_key(call);
  if (usual.empty() || (kms_key_id && key_id_of(*kms_key_id) != key_id_of(usual)))
    return other_than_default("KMS key");
  if (kms_context && !is_context_of(*kms_context, arn_of(bucket)))
    return other_than_default("encryption context");
  if (call.context.key_names == nullptr)
    return s3::error("NotImplemented", "There is no key service here; encrypt with AES256");
  return call.context.key_names->resolve(usual, bucket.owner.account_id);
}

}  // namespace cairn::s3api
