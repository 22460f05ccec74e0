// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/secret_values.h"

#include "base/encode.h"
#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view sealed_member = "sealed";

std::string seal_context(const std::string& connector, std::string_view field) {
  return "connector " + connector + " " + std::string(field);
}

bool is_sensitive(const Json& schema, std::string_view field) {
  const Json* entry = schema.find(field);
  return entry != nullptr && entry->bool_or("sensitive");
}

Status seal_value(const std::string& field, Json& entry, const Json* before, const Seal& seal,
                  const std::string& connector) {
  entry.erase(sealed_member);  // nobody gives sealed bytes from outside
  const Json* value = entry.find("value");
  if (value == nullptr || !value->is_string() || value->as_string().empty()) return ok_status();
  if (value->as_string() == secret_mask) {
    const Json* kept = before == nullptr ? nullptr : before->find(sealed_member);
    if (kept == nullptr)
      return invalid("[" + field + "] is the mask of a secret, and none was set");
    entry.set(sealed_member, *kept);
    return ok_status();
  }
  if (!seal.close)
    return Error{.kind = ErrorKind::unavailable, .message = "secrets cannot be kept here"};
  entry.set(sealed_member,
            to_base64(seal.close(value->as_string(), seal_context(connector, field))));
  entry.set("value", secret_mask);
  return ok_status();
}

}  // namespace

Status seal_values(Json& configuration, const Json& before, const Json& schema, const Seal& seal,
                   const std::string& connector) {
  for (auto& [field, entry] : configuration.as_object()) {
    if (!entry.is_object()) continue;
    if (is_sensitive(schema, field)) {
      CAIRN_CHECK(seal_value(field, entry, before.find(field), seal, connector));
    } else {
      entry.erase(sealed_member);
    }
  }
  return ok_status();
}

Result<bool> reseal_values(Json& configuration, const Seal& seal, const std::string& connector) {
  bool any = false;
  if (!configuration.is_object()) return any;
  for (auto& [field, entry] : configuration.as_object()) {
    const auto sealed = from_base64(entry.string_or(sealed_member));
    if (!sealed || sealed->empty()) continue;
    CAIRN_TRY(const std::string secret, seal.open(*sealed, seal_context(connector, field)));
    entry.set(sealed_member, to_base64(seal.close(secret, seal_context(connector, field))));
    any = true;
  }
  return any;
}

void hide_values(Json& configuration) {
  if (!configuration.is_object()) return;
  for (auto& [field, entry] : configuration.as_object()) entry.erase(sealed_member);
}

Status open_values(Json& configuration, const Json& stored, const Seal& seal,
                   const std::string& connector) {
  for (auto& [field, entry] : configuration.as_object()) {
    const Json* kept = stored.find(field);
    const std::string sealed = kept == nullptr ? std::string() : kept->string_or(sealed_member);
    if (sealed.empty() || entry.string_or("value") != secret_mask) continue;
    const auto bytes = from_base64(sealed);
    if (!bytes || !seal.open)
      return Error{.kind = ErrorKind::corrupt, .message = "[" + field + "] cannot be opened"};
    auto secret = seal.open(*bytes, seal_context(connector, field));
    if (!secret.ok())
      return with_context(std::move(secret).error(), "[" + field + "] cannot be opened");
    entry.set("value", *std::move(secret));
  }
  return ok_status();
}

}  // namespace cairn::connectors
