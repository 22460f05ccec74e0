// SPDX-License-Identifier: Apache-2.0
#include "app/data/installation.h"

#include "base/encode.h"
#include "format/json.h"

namespace cairn::app {
namespace {

constexpr std::string_view key = "installation";

bool names_endpoint(const Json& mapping, std::string_view endpoint) {
  if (!mapping.is_object()) return false;
  if (mapping.string_or("type") == "semantic_text" &&
      (mapping.string_or("inference_id") == endpoint ||
       mapping.string_or("search_inference_id") == endpoint))
    return true;
  for (const auto& [name, value] : mapping.as_object())
    if (names_endpoint(value, endpoint)) return true;
  return false;
}

}  // namespace

Result<Installation> open_installation(store::Store& store, const os::Clock& clock,
                                       os::Random& random, const os::Deadline& deadline) {
  const Json fresh = Json::object({{"cluster_uuid", to_base64url(random.bytes(16))},
                                   {"node_id", to_base64url(random.bytes(16))},
                                   {"installed_ms", clock.unix_ms()}});
  auto made = store.put(key, fresh.dump(), deadline, {.if_none_match = true});
  if (!made.ok() && made.error().kind != ErrorKind::precondition_failed)
    return std::move(made).error();
  CAIRN_TRY(const auto object, store.get(key, deadline));
  CAIRN_TRY(const Json json, parse_json(object.bytes));
  return Installation{.cluster_uuid = json.string_or("cluster_uuid"),
                      .node_id = json.string_or("node_id"),
                      .installed_ms = json.int_or("installed_ms")};
}

std::vector<std::string> indices_that_name(const index::Indices& indices,
                                           std::string_view endpoint) {
  std::vector<std::string> out;
  for (const auto& index : indices.all())
    if (names_endpoint(index->mapping()->to_json(), endpoint)) out.push_back(index->name());
  return out;
}

}  // namespace cairn::app
