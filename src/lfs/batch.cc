// SPDX-License-Identifier: Apache-2.0
#include "lfs/batch.h"

#include <algorithm>

#include "base/strings.h"
#include "format/json.h"

namespace cairn::lfs {
namespace {

Result<Json> read_object(std::string_view body) {
  if (trim(body).empty()) return unprocessable("the request has no body");
  auto parsed = parse_json(body);
  if (!parsed.ok()) return unprocessable("the body is no JSON: " + parsed.error().message);
  if (!parsed->is_object()) return unprocessable("the body must be a JSON object");
  return std::move(*parsed);
}

/// A member that counts as absent where it is null.
const Json* given(const Json& object, std::string_view name) {
  const Json* value = object.find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<Operation> read_operation(const Json& body) {
  const Json* value = given(body, "operation");
  if (value != nullptr && value->is_string()) {
    if (value->as_string() == "download") return Operation::download;
    if (value->as_string() == "upload") return Operation::upload;
  }
  return unprocessable("[operation] must be download or upload");
}

Status check_transfers(const Json& body) {
  const Json* transfers = given(body, "transfers");
  if (transfers == nullptr) return ok_status();
  if (!transfers->is_array()) return unprocessable("[transfers] must be an array of names");
  const auto& names = transfers->as_array();
  const bool basic = std::any_of(names.begin(), names.end(), [](const Json& name) {
    return name.is_string() && name.as_string() == "basic";
  });
  if (basic || names.empty()) return ok_status();
  return unprocessable("[transfers] must name basic, the one way of transfer that is spoken here");
}

Result<NamedObject> read_named(const Json& value, const std::string& at) {
  if (!value.is_object()) return unprocessable("[" + at + "] must be an object");
  const std::string prefix = at.empty() ? at : at + ".";
  const Json* oid = given(value, "oid");
  if (oid == nullptr || !oid->is_string())
    return unprocessable("[" + prefix + "oid] must be a string");
  const Json* size = given(value, "size");
  if (size == nullptr || !size->is_count())
    return unprocessable("[" + prefix + "size] must be a whole number of bytes from 0");
  return NamedObject{.oid = oid->as_string(), .size_bytes = size->as_unsigned()};
}

}  // namespace

Error unprocessable(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument, .message = std::move(message)}.with_detail(
      "_status", "422");
}

Result<Batch> read_batch(std::string_view body, std::size_t objects_max) {
  CAIRN_TRY(const Json json, read_object(body));
  Batch batch;
  CAIRN_TRY(batch.operation, read_operation(json));
  CAIRN_CHECK(check_transfers(json));
  if (const Json* algorithm = given(json, "hash_algo")) {
    if (!algorithm->is_string()) return unprocessable("[hash_algo] must be a string");
    batch.hash_algo = algorithm->as_string();
  }
  const Json* objects = given(json, "objects");
  if (objects == nullptr || !objects->is_array())
    return unprocessable("[objects] must be an array");
  const auto& all = objects->as_array();
  if (all.size() > objects_max)
    return Error{.kind = ErrorKind::too_large,
                 .message = "the batch has " + std::to_string(all.size()) +
                            " objects, and at most " + std::to_string(objects_max) +
                            " are taken; ask in smaller batches"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAIRN_TRY(auto object, read_named(all[i], "objects." + std::to_string(i)));
    batch.objects.push_back(std::move(object));
  }
  return batch;
}

Result<NamedObject> read_verify(std::string_view body) {
  CAIRN_TRY(const Json json, read_object(body));
  return read_named(json, {});
}

}  // namespace cairn::lfs
