// SPDX-License-Identifier: Apache-2.0
// Source: the monitoring events that the vendor's SDKs send (shared test cases, csm).
#include "objectclient/call/monitoring.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "format/json.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t client_id_max = 255;
constexpr std::size_t user_agent_max = 256;
constexpr std::size_t exception_max = 128;
constexpr std::size_t message_max = 512;

void set_text(Json& event, std::string_view name, std::string_view text, std::size_t max) {
  if (!text.empty()) event.set(name, text.substr(0, max));
}

}  // namespace

struct Monitor::Impl {
  std::string client_id;
  EventPublisher publish;
  int descriptor = -1;
  sockaddr_storage peer{};
  socklen_t peer_size = 0;

  Impl() = default;
  ~Impl() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void aim(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0 || found == nullptr) return;
    descriptor = ::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    peer_size = found->ai_addrlen;
    __builtin_memcpy(&peer, found->ai_addr, found->ai_addrlen);
    ::freeaddrinfo(found);
  }

  void send(const Json& event) const {
    const std::string text = event.dump();
    if (publish) return publish(text);
    if (descriptor >= 0)
      static_cast<void>(::sendto(descriptor, text.data(), text.size(), MSG_NOSIGNAL,
                                 reinterpret_cast<const sockaddr*>(&peer), peer_size));
  }

  Json begin(std::string_view type, std::string_view api, std::int64_t timestamp_ms) const {
    return Json::object({{"Type", type},
                         {"Service", "S3"},
                         {"Api", api},
                         {"ClientId", std::string_view(client_id).substr(0, client_id_max)},
                         {"Timestamp", timestamp_ms},
                         {"Version", 1}});
  }
};

Monitor::Monitor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Monitor::~Monitor() = default;

std::unique_ptr<Monitor> Monitor::open(const ClientOptions& options) {
  if (!*options.client_side_monitoring || *options.stub_responses) return nullptr;
  auto impl = std::make_unique<Impl>();
  impl->client_id = *options.client_side_monitoring_client_id;
  impl->publish = *options.client_side_monitoring_publisher;
  if (!impl->publish)
    impl->aim(*options.client_side_monitoring_host,
              std::to_string(*options.client_side_monitoring_port));
  return std::unique_ptr<Monitor>(new Monitor(std::move(impl)));
}

void Monitor::attempt(const AttemptEvent& event) const {
  Json out = impl_->begin("ApiCallAttempt", event.api, event.timestamp_ms);
  out.set("Fqdn", event.fqdn);
  out.set("Region", event.region);
  set_text(out, "UserAgent", event.user_agent, user_agent_max);
  set_text(out, "AccessKey", event.access_key, message_max);
  set_text(out, "SessionToken", event.session_token, message_max);
  if (event.status != 0) out.set("HttpStatusCode", event.status);
  set_text(out, "AwsException", event.service_exception, exception_max);
  set_text(out, "AwsExceptionMessage", event.service_message, message_max);
  set_text(out, "SdkException", event.sdk_exception, exception_max);
  set_text(out, "SdkExceptionMessage", event.sdk_message, message_max);
  set_text(out, "XAmzRequestId", event.request_id, message_max);
  set_text(out, "XAmzId2", event.host_id, message_max);
  out.set("AttemptLatency", event.latency_ms);
  impl_->send(out);
}

void Monitor::call(const CallEvent& event) const {
  Json out = impl_->begin("ApiCall", event.api, event.timestamp_ms);
  out.set("AttemptCount", event.attempts);
  out.set("Latency", event.latency_ms);
  out.set("Region", event.region);
  out.set("MaxRetriesExceeded", event.retries_exceeded ? 1 : 0);
  set_text(out, "UserAgent", event.user_agent, user_agent_max);
  if (event.last.status != 0) out.set("FinalHttpStatusCode", event.last.status);
  set_text(out, "FinalAwsException", event.last.service_exception, exception_max);
  set_text(out, "FinalAwsExceptionMessage", event.last.service_message, message_max);
  set_text(out, "FinalSdkException", event.last.sdk_exception, exception_max);
  set_text(out, "FinalSdkExceptionMessage", event.last.sdk_message, message_max);
  impl_->send(out);
}

}  // namespace cairn::objectclient
