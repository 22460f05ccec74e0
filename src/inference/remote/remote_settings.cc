// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/remote_settings.h"

#include <array>
#include <utility>

#include "base/encode.h"

namespace cairn::inference {
namespace {

constexpr std::array remote_names = {
    std::pair{RemoteKind::openai, std::string_view("openai")},
    std::pair{RemoteKind::cohere, std::string_view("cohere")},
    std::pair{RemoteKind::hugging_face, std::string_view("hugging_face")},
};

std::optional<std::int64_t> count_in(const Json& record, std::string_view name) {
  const Json* value = record.find(name);
  if (value == nullptr || !value->is_integer()) return std::nullopt;
  return value->as_int();
}

}  // namespace

std::string_view name_of(RemoteKind kind) {
  return remote_names[static_cast<std::size_t>(kind)].second;
}

std::optional<RemoteKind> remote_kind_of(std::string_view service) {
  for (const auto& [kind, name] : remote_names) {
    if (name == service) return kind;
  }
  return std::nullopt;
}

bool offers(RemoteKind kind, TaskType task) {
  if (task == TaskType::text_embedding) return true;
  if (kind == RemoteKind::openai) return gives_texts(task);
  return task == TaskType::rerank;
}

std::string key_context(std::string_view inference_id, const RemoteSettings& settings) {
  return "inference endpoint " + std::string(inference_id) + " at " + settings.url;
}

Json to_record(const RemoteSettings& settings) {
  Json out = Json::object({{"url", settings.url},
                           {"organization_id", settings.organization_id},
                           {"user", settings.user},
                           {"truncate", settings.truncate},
                           {"asks_dimensions", settings.asks_dimensions},
                           {"sealed_key", to_base64(settings.sealed_key)}});
  if (settings.top_n) out.set("top_n", *settings.top_n);
  if (settings.max_input_tokens) out.set("max_input_tokens", *settings.max_input_tokens);
  if (settings.requests_per_minute) out.set("requests_per_minute", *settings.requests_per_minute);
  return out;
}

Result<RemoteSettings> remote_from_record(const Json& record) {
  RemoteSettings out;
  out.url = record.string_or("url");
  auto key = from_base64(record.string_or("sealed_key"));
  if (out.url.empty() || !key) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the record of a remote inference endpoint holds no url or no key"};
  }
  out.sealed_key = *std::move(key);
  out.organization_id = record.string_or("organization_id");
  out.user = record.string_or("user");
  out.truncate = record.string_or("truncate");
  out.asks_dimensions = record.bool_or("asks_dimensions", false);
  out.top_n = count_in(record, "top_n");
  out.max_input_tokens = count_in(record, "max_input_tokens");
  out.requests_per_minute = count_in(record, "requests_per_minute");
  return out;
}

}  // namespace cairn::inference
