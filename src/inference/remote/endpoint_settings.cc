// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/endpoint_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "net/client/client.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_key_bytes = 4'096;
constexpr std::int64_t most_dimensions_asked = 16'384;
constexpr std::array<std::string_view, 3> similarities{"cosine", "dot_product", "l2_norm"};
constexpr std::array<std::string_view, 3> cuts{"NONE", "START", "END"};

template <std::size_t count>
void read_choice(SettingsReader& reader, std::string_view scope, std::string_view name,
                 const std::array<std::string_view, count>& values, std::string& out,
                 Faults& faults) {
  const auto given = reader.string(name);
  if (!given) return;
  if (std::find(values.begin(), values.end(), *given) != values.end()) {
    out = *given;
    return;
  }
  std::string all;
  for (const std::string_view value : values) {
    if (!all.empty()) all += ", ";
    all += value;
  }
  faults.add("[" + std::string(scope) + "] Invalid value [" + *given + "] received. [" +
             std::string(name) + "] must be one of [" + all + "]");
}

/// Faults never repeat what was sent: it may be the key all the same.
void check_api_key(SettingsReader& reader, Faults& faults) {
  const Json* const key = reader.any("api_key");
  if (key == nullptr) return;
  const bool plain = key->is_string() && !key->as_string().empty() &&
                     key->as_string().size() <= most_key_bytes &&
                     std::all_of(key->as_string().begin(), key->as_string().end(),
                                 [](char c) { return c > ' ' && c < '\x7f'; });
  if (plain) return;
  faults.add("[service_settings] [api_key] must be a text of 1 to " +
             std::to_string(most_key_bytes) + " visible ASCII characters");
}

/// What stands behind the version in the addresses of an operation.
std::string_view operation_path(RemoteKind kind, TaskType task) {
  if (kind == RemoteKind::cohere) return task == TaskType::rerank ? "/rerank" : "/embed";
  return task == TaskType::text_embedding ? "/embeddings" : "/chat/completions";
}

std::string default_url(RemoteKind kind) {
  if (kind == RemoteKind::openai) return "https://api.openai.com/v1";
  return kind == RemoteKind::cohere ? "https://api.cohere.com/v2" : "";
}

/// The address as it is given, but one that ends in its version, as clients' base addresses do,
/// gets the operation's path.
void read_url(SettingsReader& reader, Endpoint& out, Faults& faults) {
  RemoteSettings& remote = *out.remote;
  if (remote.kind == RemoteKind::hugging_face) reader.require("url");
  std::string url = reader.string("url").value_or(default_url(remote.kind));
  if (url.empty()) return;
  const auto parsed = net::parse_url(url);
  if (!parsed.ok()) {
    faults.add("[service_settings] [url] " + parsed.error().message);
    return;
  }
  const std::string_view trimmed =
      std::string_view(url).substr(0, url.size() - (url.ends_with('/') ? 1 : 0));
  const std::string_view version = remote.kind == RemoteKind::cohere ? "/v2" : "/v1";
  if (remote.kind != RemoteKind::hugging_face && trimmed.ends_with(version)) {
    url = std::string(trimmed) + std::string(operation_path(remote.kind, out.task));
  }
  remote.url = std::move(url);
}

void read_rate_limit(SettingsReader& reader, RemoteSettings& out, Faults& faults) {
  const Json* const given = reader.object("rate_limit");
  if (given == nullptr) return;
  SettingsReader limit(given, "service_settings.rate_limit", faults);
  if (const auto number = limit.positive("requests_per_minute")) out.requests_per_minute = number;
  if (const std::string unknown = limit.unknown(); !unknown.empty()) {
    faults.add("[service_settings.rate_limit] contains unknown settings [" + unknown + "]");
  }
}

void read_dimensions(SettingsReader& reader, Endpoint& out, Faults& faults) {
  if (out.remote->kind == RemoteKind::cohere) return;
  const auto dimensions = reader.positive("dimensions");
  if (!dimensions) return;
  if (*dimensions > most_dimensions_asked) {
    faults.add("[service_settings] Invalid value [" + std::to_string(*dimensions) +
               "]. [dimensions] must be at most " + std::to_string(most_dimensions_asked));
    return;
  }
  out.dimensions = static_cast<std::size_t>(*dimensions);
  out.remote->asks_dimensions = out.remote->kind == RemoteKind::openai;
}

/// Of Cohere: what the numbers of vectors are.
void read_embedding_type(SettingsReader& reader, Endpoint& out, Faults& faults) {
  std::string type;
  read_choice(reader, "service_settings", "embedding_type",
              std::array<std::string_view, 3>{"byte", "float", "int8"}, type, faults);
  if (type == "byte" || type == "int8") out.element_type = ElementType::byte;
}

void read_embedding_settings(SettingsReader& reader, Endpoint& out, Faults& faults) {
  out.similarity = "cosine";
  read_choice(reader, "service_settings", "similarity", similarities, out.similarity, faults);
  read_dimensions(reader, out, faults);
  if (out.remote->kind == RemoteKind::cohere) read_embedding_type(reader, out, faults);
  out.remote->max_input_tokens = reader.positive("max_input_tokens");
}

}  // namespace

void read_remote_settings(SettingsReader& reader, Endpoint& out, Faults& faults) {
  RemoteSettings& remote = *out.remote;
  reader.require("api_key");
  check_api_key(reader, faults);
  if (remote.kind != RemoteKind::hugging_face) {
    reader.require("model_id");
    out.model_id = reader.string("model_id").value_or("");
  }
  read_url(reader, out, faults);
  if (remote.kind == RemoteKind::openai) {
    remote.organization_id = reader.string("organization_id").value_or("");
    const bool visible = std::all_of(remote.organization_id.begin(), remote.organization_id.end(),
                                     [](char c) { return c > ' ' && c < '\x7f'; });
    if (!visible)
      faults.add("[service_settings] [organization_id] must be of visible ASCII characters");
  }
  read_rate_limit(reader, remote, faults);
  if (out.task == TaskType::text_embedding) read_embedding_settings(reader, out, faults);
}

void read_remote_changes(SettingsReader& reader, Endpoint& out, Faults& faults) {
  check_api_key(reader, faults);
  read_rate_limit(reader, *out.remote, faults);
  if (out.task != TaskType::text_embedding) return;
  if (const auto most = reader.positive("max_input_tokens")) out.remote->max_input_tokens = most;
}

void read_remote_task_settings(SettingsReader& reader, Endpoint& out, Faults& faults) {
  RemoteSettings& remote = *out.remote;
  if (out.task == TaskType::rerank) {
    out.return_documents = reader.boolean("return_documents").value_or(out.return_documents);
    if (const auto most = reader.positive("top_n")) remote.top_n = most;
    return;
  }
  if (remote.kind == RemoteKind::openai) {
    remote.user = reader.string("user").value_or(remote.user);
    return;
  }
  if (remote.kind != RemoteKind::cohere) return;
  read_choice(reader, "task_settings", "truncate", cuts, remote.truncate, faults);
  const auto name = reader.string("input_type");
  if (!name) return;
  const auto type = input_type_of(*name);
  if (type && *type != InputType::unspecified) {
    out.input_type = *type;
    return;
  }
  faults.add("[task_settings] Invalid value [" + *name +
             "] received. [input_type] must be one of [classification, clustering, ingest, "
             "search]");
}

std::string api_key_of(const Json& body) {
  const Json* const key = body.find_path("service_settings.api_key");
  return key != nullptr && key->is_string() ? key->as_string() : std::string();
}

Json show_remote_settings(const Endpoint& endpoint) {
  const RemoteSettings& remote = *endpoint.remote;
  Json out = Json::object();
  if (!endpoint.model_id.empty()) out.set("model_id", endpoint.model_id);
  out.set("url", remote.url);
  if (!remote.organization_id.empty()) out.set("organization_id", remote.organization_id);
  if (endpoint.task == TaskType::text_embedding) {
    out.set("dimensions", static_cast<std::int64_t>(endpoint.dimensions));
    out.set("similarity", endpoint.similarity);
    if (remote.kind == RemoteKind::cohere) {
      out.set("embedding_type", name_of(endpoint.element_type));
    }
  }
  if (remote.max_input_tokens) out.set("max_input_tokens", *remote.max_input_tokens);
  if (remote.requests_per_minute) {
    out.set("rate_limit", Json::object({{"requests_per_minute", *remote.requests_per_minute}}));
  }
  return out;
}

Json show_remote_task_settings(const Endpoint& endpoint) {
  const RemoteSettings& remote = *endpoint.remote;
  Json out = Json::object();
  if (endpoint.task == TaskType::rerank) {
    out.set("return_documents", endpoint.return_documents);
    if (remote.top_n) out.set("top_n", *remote.top_n);
  }
  if (!remote.user.empty()) out.set("user", remote.user);
  if (endpoint.input_type != InputType::unspecified) {
    out.set("input_type", name_of(endpoint.input_type));
  }
  if (!remote.truncate.empty()) out.set("truncate", remote.truncate);
  return out;
}

}  // namespace cairn::inference
