// SPDX-License-Identifier: Apache-2.0
#include "s3api/objects/encryption.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "format/json.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/directory/directory_encryption.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view argument = "x-amz-server-side-encryption";
constexpr std::size_t key_bytes = 32;

Error customer_fault(std::string message) {
  return s3::error("InvalidArgument", std::move(message))
      .with_detail("ArgumentName", std::string(argument));
}

Error bad_method(std::string_view value) {
  return s3::error("InvalidEncryptionAlgorithmError")
      .with_detail("ArgumentName", std::string(argument))
      .with_detail("ArgumentValue", std::string(value));
}

std::optional<s3::EncryptionMethod> method_of(std::string_view name) {
  if (name == "AES256") return s3::EncryptionMethod::aes256;
  if (name == "aws:kms") return s3::EncryptionMethod::kms;
  if (name == "aws:kms:dsse") return s3::EncryptionMethod::kms_dsse;
  return std::nullopt;
}

bool by_key_service(s3::EncryptionMethod method) {
  return method == s3::EncryptionMethod::kms || method == s3::EncryptionMethod::kms_dsse;
}

// Base64 of a JSON object whose values are texts.
Status check_context(const std::string& context) {
  const auto text = from_base64(context);
  const auto json = text ? parse_json(*text) : Result<Json>(Error{});
  bool good = json.ok() && json->is_object();
  if (good)
    for (const auto& [name, value] : json->as_object()) good = good && value.is_string();
  if (good) return ok_status();
  return bad_argument("x-amz-server-side-encryption-context", context,
                      "The header 'x-amz-server-side-encryption-context' shall be Base64-encoded "
                      "UTF-8 string holding JSON which represents a string-string map");
}

bool is_elsewhere(const Error& error) {
  return error.code == "KMS.NotFoundException" || error.code == "AccessDenied";
}

// A name means a key of who asks, else one of the owner of the bucket, as does no name.
Result<std::string> find_key(const Call& call, std::string_view name) {
  const std::string& owner = call.bucket->bucket.owner.account_id;
  const std::string& caller = call.identity.account().account_id;
  KeyNames& names = *call.context.key_names;
  if (name.empty() || caller.empty() || caller == owner) return names.resolve(name, owner);
  auto found = names.resolve(name, caller);
  if (found.ok() || !is_elsewhere(found.error())) return found;
  auto of_owner = names.resolve(name, owner);
  return of_owner.ok() || !is_elsewhere(of_owner.error()) ? of_owner : found;
}

Status resolve_key(const Call& call, std::string_view name, s3::Encryption& how) {
  if (call.context.key_names == nullptr)
    return s3::error("NotImplemented", "There is no key service here; encrypt with AES256")
        .with_detail("Header", std::string(argument));
  CAIRN_TRY(how.kms_key_id, find_key(call, name));
  return ok_status();
}

Result<objectstore::EncryptionRequest> asked(const Call& call, const EncryptionFields& fields) {
  const auto method = method_of(*fields.method);
  if (!method) return bad_method(*fields.method);
  objectstore::EncryptionRequest wanted{.how = {.method = *method}};
  if (!by_key_service(*method)) {
    if (fields.kms_key_id || fields.kms_context)
      return customer_fault(
          "Server Side Encryption with AWS KMS managed key requires HTTP header "
          "x-amz-server-side-encryption : aws:kms");
    return wanted;
  }
  if (call.bucket->bucket.is_directory()) {
    CAIRN_TRY(wanted.how.kms_key_id,
              directory_key(call, fields.kms_key_id, fields.kms_context));
    wanted.how.kms_context = fields.kms_context.value_or("");
    return wanted;
  }
  if (fields.kms_context) CAIRN_CHECK(check_context(*fields.kms_context));
  wanted.how.kms_context = fields.kms_context.value_or("");
  const auto rule = encryption_of(*call.bucket);
  const bool by_bucket = rule != nullptr && rule->bucket_key_enabled.value_or(false);
  wanted.how.bucket_key = fields.bucket_key.value_or(by_bucket);
  CAIRN_CHECK(resolve_key(call, fields.kms_key_id.value_or(""), wanted.how));
  return wanted;
}

Result<objectstore::EncryptionRequest> by_default(const Call& call) {
  objectstore::EncryptionRequest wanted;
  const auto rule = encryption_of(*call.bucket);
  if (rule == nullptr || !rule->apply_server_side_encryption_by_default) return wanted;
  const auto& given = *rule->apply_server_side_encryption_by_default;
  wanted.how.method = method_of(given.sse_algorithm).value_or(s3::EncryptionMethod::none);
  if (!by_key_service(wanted.how.method)) return wanted;
  wanted.how.bucket_key = rule->bucket_key_enabled.value_or(false);
  CAIRN_CHECK(resolve_key(call, given.kms_master_key_id.value_or(""), wanted.how));
  return wanted;
}

}  // namespace

Result<std::optional<std::string>> customer_key_of(const Call& call,
                                                   const CustomerKeyFields& fields) {
  if (!fields.any()) return std::optional<std::string>();
  if (!call.exchange.head.tls && !call.context.options.customer_keys_over_http)
    return s3::error("InvalidRequest",
                     "Requests specifying Server Side Encryption with Customer provided keys must "
                     "be made over a secure connection.");
  const std::string start =
      "Requests specifying Server Side Encryption with Customer provided keys ";
  if (!fields.algorithm)
    return customer_fault(start + "must provide a valid encryption algorithm.");
  if (*fields.algorithm != "AES256") return bad_method(*fields.algorithm);
  if (!fields.key) return customer_fault(start + "must provide an appropriate secret key.");
  auto key = from_base64(*fields.key);
  if (!key || key->size() != key_bytes || !fields.key_md5)
    return customer_fault("The secret key was invalid for the specified algorithm.");
  if (from_base64(*fields.key_md5) != md5(*key))
    return customer_fault(
        "The calculated MD5 hash of the key did not match the hash that was provided.");
  return key;
}

Status check_customer_key(const Call& call, const s3::Object& object,
                          const std::optional<std::string>& key) {
  if (!key && object.encryption.method != s3::EncryptionMethod::customer) return ok_status();
  CAIRN_CHECK(call.engine().head(call.object(), key, call.deadline()));
  return ok_status();
}

Result<objectstore::EncryptionRequest> encryption_of_fields(const Call& call,
                                                         const EncryptionFields& fields) {
  if (fields.customer.any() && fields.method)
    return customer_fault(
               "Server Side Encryption with Customer provided key is incompatible with the "
               "encryption method specified")
        .with_detail("ArgumentValue", *fields.method);
  CAIRN_TRY(const auto key, customer_key_of(call, fields.customer));
  if (key)
    return objectstore::EncryptionRequest{.how = {.method = s3::EncryptionMethod::customer},
                                       .customer_key = key};
  if (fields.method) return asked(call, fields);
  if (fields.kms_key_id || fields.kms_context)
    return customer_fault(
        "Server Side Encryption with AWS KMS managed key requires HTTP header "
        "x-amz-server-side-encryption : aws:kms");
  return by_default(call);
}

std::optional<std::string> method_name(s3::EncryptionMethod method) {
  switch (method) {
    case s3::EncryptionMethod::aes256:
      return "AES256";
    case s3::EncryptionMethod::kms:
      return "aws:kms";
    case s3::EncryptionMethod::kms_dsse:
      return "aws:kms:dsse";
    case s3::EncryptionMethod::none:
    case s3::EncryptionMethod::customer:
      break;
  }
  return std::nullopt;
}

}  // namespace cairn::s3api
