// SPDX-License-Identifier: Apache-2.0
#include "app/keys/key_service.h"

#include "auth/secrets/seal.h"

namespace cairn::app {
namespace {

constexpr std::string_view own_purpose = "objects encrypted with AES256";

/// What a sealed data key belongs to: it opens with the same context only.
std::string context_of(const s3::Encryption& how) {
  return "data key\n" + how.kms_key_id + "\n" + how.kms_context;
}

}  // namespace

void KeyService::attach(const auth::EncryptionKeys& keys) {
  own_key_ = keys.service_key(own_purpose);
  keys_ = &keys;
}

Result<std::string> KeyService::key_of(const s3::Encryption& how) const {
  if (keys_ == nullptr)
    return Error{.kind = ErrorKind::unavailable, .message = "the key service is starting"};
  if (how.method == s3::EncryptionMethod::aes256) return own_key_;
  CAIRN_TRY(auth::EncryptionKey key, keys_->of_arn(how.kms_key_id));
  return std::move(key.material);
}

Result<std::string> KeyService::seal(const s3::Encryption& how, std::string_view data_key) {
  CAIRN_TRY(std::string key, key_of(how));
  return auth::Seal(std::move(key)).seal(data_key, context_of(how), random_);
}

Result<std::string> KeyService::unseal(const s3::Encryption& how, std::string_view sealed) {
  CAIRN_TRY(std::string key, key_of(how));
  return auth::Seal(std::move(key)).unseal(sealed, context_of(how));
}

Result<std::string> KeyService::resolve(std::string_view name, std::string_view account_id) {
  if (keys_ == nullptr)
    return Error{.kind = ErrorKind::unavailable, .message = "the key service is starting"};
  CAIRN_TRY(const auth::EncryptionKey key, keys_->resolve(name, account_id));
  return keys_->arn_of(key);
}

}  // namespace cairn::app
