// SPDX-License-Identifier: Apache-2.0
// How the bytes of objects are to be encrypted: what requests and buckets ask for, and what results
// say of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/key_ring.h"
#include "s3/model.h"
#include "s3api/call.h"
#include "s3api/key_names.h"

namespace cairn::s3api {

/// The fields of one of the three headers of a customer's key, with their common prefix.
struct CustomerKeyFields {
  const std::optional<std::string>& algorithm;
  const std::optional<std::string>& key;
  const std::optional<std::string>& key_md5;
  bool any() const { return algorithm || key || key_md5; }
};
/// The 32 bytes of the key; nothing where the request has none. Errors: InvalidArgument,
/// InvalidEncryptionAlgorithmError; InvalidRequest over plain HTTP.
Result<std::optional<std::string>> customer_key_of(const Call& call,
                                                   const CustomerKeyFields& fields);

template <class Input>
Result<std::optional<std::string>> customer_key(const Call& call, const Input& in) {
  return customer_key_of(call,
                         {in.sse_customer_algorithm, in.sse_customer_key, in.sse_customer_key_md5});
}
template <class Input>
Result<std::optional<std::string>> source_customer_key(const Call& call, const Input& in) {
  return customer_key_of(call,
                         {in.copy_source_sse_customer_algorithm, in.copy_source_sse_customer_key,
                          in.copy_source_sse_customer_key_md5});
}

/// Whether a customer's key is the one of an object that is only looked at. Errors: InvalidRequest
/// (missing, or in vain), AccessDenied (another one).
Status check_customer_key(const Call& call, const s3::Object& object,
                          const std::optional<std::string>& key);

struct EncryptionFields {
  const std::optional<std::string>& method;
  const std::optional<std::string>& kms_key_id;
  const std::optional<std::string>& kms_context;
  const std::optional<bool>& bucket_key;
  CustomerKeyFields customer;
};
/// What the request asks for, else what its bucket gives by default.
/// Errors: those of customer_key_of and KeyNames; InvalidArgument, NotImplemented.
Result<objectstore::EncryptionRequest> encryption_of_fields(const Call& call,
                                                         const EncryptionFields& fields);

template <class Input>
Result<objectstore::EncryptionRequest> encryption_request(const Call& call, const Input& in) {
  return encryption_of_fields(
      call, {in.server_side_encryption,
             in.ssekms_key_id,
             in.ssekms_encryption_context,
             in.bucket_key_enabled,
             {in.sse_customer_algorithm, in.sse_customer_key, in.sse_customer_key_md5}});
}

/// The same where no customer's key can be given.
template <class Input>
Result<objectstore::EncryptionRequest> encryption_request_without_key(const Call& call, const Input& in) {
  const std::optional<std::string> absent;
  return encryption_of_fields(
      call, {in.server_side_encryption,
             in.ssekms_key_id,
             in.ssekms_encryption_context,
             in.bucket_key_enabled,
             {absent, absent, absent}});
}

/// "AES256", "aws:kms", "aws:kms:dsse"; nothing for none and customers' keys.
std::optional<std::string> method_name(s3::EncryptionMethod method);

/// What results of reads, writes and uploads say.
template <class Output>
void set_encryption(Output& out, const s3::Encryption& how) {
  out.server_side_encryption = method_name(how.method);
  if (!how.kms_key_id.empty()) out.ssekms_key_id = how.kms_key_id;
  if (how.bucket_key) out.bucket_key_enabled = true;
}
/// The same with the context, of results that show it.
template <class Output>
void set_encryption_and_context(Output& out, const s3::Encryption& how) {
  set_encryption(out, how);
  if (!how.kms_context.empty()) out.ssekms_encryption_context = how.kms_context;
}
/// What results say of a customer's key: its algorithm and MD5.
template <class Output>
void set_customer_key(Output& out, const s3::Encryption& how,
                      const std::optional<std::string>& key_md5) {
  if (how.method != s3::EncryptionMethod::customer) return;
  out.sse_customer_algorithm = "AES256";
  out.sse_customer_key_md5 = key_md5;
}

}  // namespace cairn::s3api
