// SPDX-License-Identifier: Apache-2.0
#include "objectstore/journal/table_key.h"

#include <utility>

#include "base/bytes.h"
#include "objectstore/cipher.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t document_version = 1;
constexpr std::string_view seal_context = "table row";

// The first byte of a kept row.
constexpr char plain_row = 0;
constexpr char sealed_row = 1;

Error broken_row() {
  return {.kind = ErrorKind::corrupt, .message = "a stored row of a table is broken"};
}

}  // namespace

Result<std::string> table_document(KeyRing* ring, const s3::Encryption& how) {
  std::string sealed;
  if (how.method != s3::EncryptionMethod::none) {
    CAIRN_TRY(DataKey key, make_data_key(ring, {.how = how}));
    sealed = std::move(key.sealed);
  }
  std::string out;
  put_u8(out, document_version);
  put_u8(out, static_cast<std::uint8_t>(how.method));
  put_string(out, how.kms_key_id);
  put_string(out, how.kms_context);
  put_string(out, sealed);
  return out;
}

TableKey::TableKey(std::string_view text) {
  ByteReader in(text);
  const auto version = in.u8();
  const auto method = in.u8();
  const auto key_id = in.string();
  const auto context = in.string();
  const auto sealed = in.string();
  broken_ = !sealed || !in.at_end() || *version != document_version ||
            *method > static_cast<std::uint8_t>(s3::EncryptionMethod::kms);
  if (broken_) return;
  how_.method = static_cast<s3::EncryptionMethod>(*method);
  how_.kms_key_id = *key_id;
  how_.kms_context = *context;
  sealed_ = *sealed;
}

// A key that could not be opened is asked for again: it may be enabled by then.
Result<std::string> TableKey::key(KeyRing* ring) const {
  const std::lock_guard lock(mutex_);
  if (!key_) {
    CAIRN_TRY(key_, open_data_key(ring, how_, sealed_, {}));
  }
  return *key_;
}

Result<std::string> TableKey::seal(KeyRing* ring, std::string_view row) const {
  if (broken_) return broken_row();
  if (how_.method == s3::EncryptionMethod::none) return std::string(1, plain_row).append(row);
  CAIRN_TRY(const std::string data_key, key(ring));
  return std::string(1, sealed_row).append(seal_secret(data_key, row, seal_context));
}

Result<std::string> TableKey::unseal(KeyRing* ring, std::string_view bytes) const {
  if (broken_ || bytes.empty()) return broken_row();
  const bool is_sealed = how_.method != s3::EncryptionMethod::none;
  if (bytes.front() != (is_sealed ? sealed_row : plain_row)) return broken_row();
  bytes.remove_prefix(1);
  if (!is_sealed) return std::string(bytes);
  CAIRN_TRY(const std::string data_key, key(ring));
  return unseal_secret(data_key, bytes, seal_context);
}

std::shared_ptr<const TableKey> table_key(const BucketDocument& document) {
  using Pointer = std::shared_ptr<const TableKey>;
  return *document.parsed<Pointer>(
      [](const std::string& text) -> Pointer { return std::make_shared<TableKey>(text); });
}

}  // namespace cairn::objectstore
