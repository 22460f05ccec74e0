// SPDX-License-Identifier: Apache-2.0
// How an endpoint reaches a model of another server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/json.h"
#include "inference/model/model.h"

namespace cairn::inference {

/// Whose requests and answers the server understands.
enum class RemoteKind { openai, cohere, hugging_face };

std::string_view name_of(RemoteKind kind);
std::optional<RemoteKind> remote_kind_of(std::string_view service);
/// Whether endpoints of the service can have the task.
bool offers(RemoteKind kind, TaskType task);

struct RemoteSettings {
  RemoteKind kind = RemoteKind::openai;
  std::string url = {};  // where requests go
  std::string organization_id = {};
  std::string user = {};                   // task setting: whom the service counts requests for
  std::string truncate = {};               // task setting: NONE, START or END
  std::optional<std::int64_t> top_n = {};  // task setting of rerank
  std::optional<std::int64_t> max_input_tokens = {};
  std::optional<std::int64_t> requests_per_minute = {};
  bool asks_dimensions = false;  // requests name the number of dimensions
  std::string sealed_key = {};   // never the key itself

  friend bool operator==(const RemoteSettings&, const RemoteSettings&) = default;
};

/// What a sealed key belongs to: it opens for no other endpoint and no other place.
std::string key_context(std::string_view inference_id, const RemoteSettings& settings);

/// The form in the store, and back. Errors: corrupt.
Json to_record(const RemoteSettings& settings);
Result<RemoteSettings> remote_from_record(const Json& record);

}  // namespace cairn::inference
