// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/remote_models.h"

#include <algorithm>
#include <utility>

#include "inference/errors.h"
#include "inference/remote/remote_text.h"
#include "inference/remote/requests.h"
#include "net/client/outbound.h"
#include "os/random.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_number_bytes = 32;  // of a vector, with its comma
constexpr std::size_t dimensions_unknown = 16'384;
constexpr std::size_t most_numbers = 256 << 10;  // of one answer; each takes memory
constexpr std::size_t most_score_bytes = 4 << 10;  // with what servers tell beside it
constexpr std::size_t more_bytes = 256 << 10;
constexpr std::int64_t longest_call_ms = 600'000;
// Many servers close what is idle after five seconds, and what is sent then is not sent again.
constexpr std::int64_t idle_ms = 2'000;
constexpr std::int64_t silence_ms = 300'000;  // a model may think long before it says something

/// Inputs of one request for vectors.
std::size_t inputs_at_once(const Endpoint& endpoint) {
  const std::size_t dimensions =
      endpoint.dimensions == 0 ? dimensions_unknown : endpoint.dimensions;
  return std::clamp<std::size_t>(most_numbers / dimensions, 1, inputs_per_request(endpoint));
}

/// Of an answer with vectors: in proportion to what was asked for.
std::size_t most_vector_bytes(const Endpoint& endpoint, std::size_t inputs) {
  const std::size_t dimensions =
      endpoint.dimensions == 0 ? dimensions_unknown : endpoint.dimensions;
  return more_bytes + inputs * dimensions * most_number_bytes;
}

/// Beside scores some servers send the documents back.
std::size_t most_rank_bytes(std::span<const std::string> documents) {
  std::size_t out = more_bytes;
  for (const std::string& document : documents) out += most_score_bytes + 6 * document.size();
  return out;
}

}  // namespace

Result<net::ClientOptions> remote_client_options(const std::vector<std::string>& allowed) {
  CAIRN_TRY(net::OutboundRules rules,
            net::OutboundRules::parse(allowed, "inference.remote.allowed_hosts"));
  net::ClientOptions out;
  out.read_timeout_ms = silence_ms;
  out.idle_timeout_ms = idle_ms;
  out.check_address = [rules = std::move(rules)](std::string_view host,
                                                 const net::Address& address) {
    return rules.check(host, address);
  };
  return out;
}

os::Deadline remote_wait(const os::Deadline& deadline, std::int64_t asked_ms,
                         std::int64_t usual_ms) {
  if (asked_ms > 0) return deadline;
  return deadline.sooner_ms(asked_ms == 0 && usual_ms > 0 ? usual_ms : longest_call_ms);
}

RemoteModels::RemoteModels(net::ClientOptions options, const os::Clock& clock)
    : clock_(clock), client_(std::move(options)) {}

Result<std::string> RemoteModels::unseal(std::string_view sealed, std::string_view context) const {
  if (keys_.open) return keys_.open(sealed, context);
  return status_error(ErrorKind::unavailable, "there is no key to open API keys with");
}

Result<std::string> RemoteModels::seal(std::string_view key, std::string_view context) const {
  if (keys_.seal) return keys_.seal(key, context);
  return status_error(ErrorKind::unavailable, "there is no key to seal API keys with");
}

std::shared_ptr<RemotePeer> RemoteModels::peer(const Endpoint& endpoint) {
  const MutexLock lock(mutex_);
  auto& there = peers_[endpoint.inference_id];
  if (there == nullptr || !there->serves(endpoint)) {
    there = std::make_shared<RemotePeer>(endpoint, keys_, client_, clock_, os::system_random());
  }
  return there;
}

void RemoteModels::forget(std::string_view inference_id) {
  const MutexLock lock(mutex_);
  const auto at = peers_.find(inference_id);
  if (at != peers_.end()) peers_.erase(at);
}

Result<RemoteVectors> RemoteModels::embed(const Endpoint& endpoint,
                                          std::span<const std::string> inputs, InputType type,
                                          const os::Deadline& deadline) {
  const auto server = peer(endpoint);
  const std::size_t at_once = inputs_at_once(endpoint);
  RemoteVectors out;
  WantedVectors wanted{.dimensions = endpoint.dimensions,
                       .bytes = endpoint.element_type == ElementType::byte};
  for (std::size_t at = 0; at < inputs.size(); at += at_once) {
    const auto some = inputs.subspan(at, std::min(at_once, inputs.size() - at));
    CAIRN_TRY(const std::string answer,
              server->post(vectors_request(endpoint, some, type),
                           most_vector_bytes(endpoint, some.size()), deadline));
    wanted.count = some.size();
    auto read = read_vectors(endpoint.remote->kind, answer, wanted);
    if (!read.ok()) return server->worded(std::move(read).error(), deadline);
    wanted.dimensions = read->vectors.front().size();
    std::move(read->vectors.begin(), read->vectors.end(), std::back_inserter(out.vectors));
    out.tokens += read->tokens;
  }
  return out;
}

Result<RemoteScores> RemoteModels::rerank(const Endpoint& endpoint, const std::string& query,
                                          std::span<const std::string> documents,
                                          const os::Deadline& deadline) {
  const auto server = peer(endpoint);
  const std::size_t at_once = inputs_per_request(endpoint);
  RemoteScores out;
  for (std::size_t at = 0; at < documents.size(); at += at_once) {
    const auto some = documents.subspan(at, std::min(at_once, documents.size() - at));
    CAIRN_TRY(const std::string answer,
              server->post(scores_request(endpoint, query, some), most_rank_bytes(some), deadline));
    auto read = read_scores(endpoint.remote->kind, answer, some.size());
    if (!read.ok()) return server->worded(std::move(read).error(), deadline);
    out.scores.insert(out.scores.end(), read->scores.begin(), read->scores.end());
    out.tokens += read->tokens;
  }
  return out;
}

Result<std::unique_ptr<TextAnswer>> RemoteModels::begin_text(const Endpoint& endpoint,
                                                             const TextCall& call,
                                                             const os::Deadline& deadline) {
  CAIRN_TRY(const std::string request, chat_request(endpoint, call));
  return RemoteText::begin(peer(endpoint), request, call.choices, deadline);
}

}  // namespace cairn::inference
