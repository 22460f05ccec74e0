// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/connector_secrets.h"

#include "base/encode.h"
#include "base/ids.h"
#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t secret_id_bytes = 15;
constexpr std::size_t secret_id_bytes_max = 512;

std::string context_of_secret(const std::string& id) { return "connector secret " + id; }

}  // namespace

Result<Json> ConnectorSecrets::sealed(const std::string& id, const std::string& value) const {
  if (!seal_.close)
    return Error{.kind = ErrorKind::unavailable, .message = "secrets cannot be kept here"};
  return Json::object({{"sealed", to_base64(seal_.close(value, context_of_secret(id)))}});
}

Result<std::string> ConnectorSecrets::create(const std::string& value,
                                             const os::Deadline& deadline) {
  std::string id = url_safe_id(random_.bytes(secret_id_bytes));
  CAIRN_TRY(const Json record, sealed(id, value));
  CAIRN_CHECK(records_.create(id, record, deadline));
  return id;
}

Result<bool> ConnectorSecrets::put(const std::string& id, const std::string& value,
                                   const os::Deadline& deadline) {
  if (id.empty() || id.size() > secret_id_bytes_max)
    return invalid("[id] must have 1 to " + std::to_string(secret_id_bytes_max) + " characters");
  CAIRN_TRY(const Json record, sealed(id, value));
  CAIRN_TRY(const bool replaced, records_.replace(id, record, deadline));
  return !replaced;
}

Result<std::string> ConnectorSecrets::get(const std::string& id,
                                          const os::Deadline& deadline) const {
  CAIRN_TRY(const auto record, records_.get(id, deadline));
  if (!record) return missing("connector secret", id);
  const auto bytes = from_base64(record->string_or("sealed"));
  if (!bytes || !seal_.open)
    return Error{.kind = ErrorKind::corrupt, .message = "the secret cannot be opened"};
  return seal_.open(*bytes, context_of_secret(id));
}

Status ConnectorSecrets::reseal(const os::Deadline& deadline) {
  CAIRN_TRY(const auto all, records_.all(deadline));
  for (const auto& [id, record] : all) {
    const auto again = [&, name = id](Json& stored) -> Result<bool> {
      const auto bytes = from_base64(stored.string_or("sealed"));
      if (!bytes) return false;
      CAIRN_TRY(const std::string value, seal_.open(*bytes, context_of_secret(name)));
      CAIRN_TRY(stored, sealed(name, value));
      return true;
    };
    CAIRN_CHECK(records_.update(id, again, deadline));
  }
  return ok_status();
}

Status ConnectorSecrets::remove(const std::string& id, const os::Deadline& deadline) {
  CAIRN_TRY(const bool there, records_.remove(id, deadline));
  if (!there) return missing("connector secret", id);
  return ok_status();
}

}  // namespace cairn::connectors
