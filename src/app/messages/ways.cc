// SPDX-License-Identifier: Apache-2.0
#include "app/messages/ways.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/version.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "net/client/client.h"
#include "os/files/descriptor.h"
#include "os/files/secret_file.h"
#include "os/processes/child_process.h"

namespace cairn::app {
namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t webhook_answer_bytes_max = 64 << 10;
constexpr std::size_t subject_bytes_max = 200;
constexpr std::int64_t said_wait_ms_max = 3'600'000;

/// For a header field: no line ends, nothing that would need to be encoded.
std::string header_text(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, subject_bytes_max)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < ' ' || byte > '~' ? '?' : c;
  }
  return out;
}

std::int64_t said_wait_ms(const net::Headers& headers) {
  const auto text = headers.find("retry-after");
  const auto seconds = text ? parse_number<std::int64_t>(trim(*text)) : std::nullopt;
  if (!seconds || *seconds < 0) return 0;
  return std::min(*seconds, said_wait_ms_max / 1000) * 1000;
}

/// "Sat, 31 Jan 2026 08:05:09 +0000"
std::string mail_date(std::int64_t ms) {
  std::string date = format_http_date(ms);
  date.replace(date.size() - 3, 3, "+0000");
  return date;
}

std::string_view headline(const Message& message) {
  if (message.state == "over") return "over: ";
  return message.state == "lasts" ? "still: " : "";
}

}  // namespace

Status MessageOptions::validate() const {
  const auto bad = [](const std::string& what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = what};
  };
  if (!webhook_url.empty() && !net::parse_url(webhook_url).ok())
    return bad("messages.webhook.url is no URL, as https://host/path");
  if (webhook_url.empty() && !webhook_secret_file.empty())
    return bad("messages.webhook.secret_file signs nothing without messages.webhook.url");
  if (!mail_command.empty() && !mail_command[0].starts_with('/'))
    return bad("messages.mail.command begins with the absolute path of a program");
  if (!mail_command.empty() && mail_to.empty())
    return bad("messages.mail.command needs messages.mail.to");
  if (mail_command.empty() && !mail_to.empty())
    return bad("messages.mail.to needs messages.mail.command");
  for (const auto* address : {&mail_from, &mail_to})
    if (header_text(*address) != *address)
      return bad("addresses of messages.mail are plain ASCII, and up to 200 bytes");
  if (check_ms < 100) return bad("messages.check_interval is at least 100ms");
  return ok_status();
}

Result<std::string> webhook_secret(const std::string& file) {
  CAIRN_TRY(const auto text, os::read_secret_file(file));
  std::string_view secret = text ? trim(*text) : std::string_view();
  if (secret.starts_with(secret_prefix)) secret.remove_prefix(secret_prefix.size());
  auto bytes = from_base64(secret);
  if (!bytes || bytes->size() < 24 || bytes->size() > 64)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = file +
                            " holds no secret of a webhook: whsec_ and base64 of 24 to 64 "
                            "bytes, as of: echo whsec_$(head -c 32 /dev/urandom | base64)"};
  return *std::move(bytes);
}

std::string webhook_signature(const std::string& secret, const std::string& id, std::int64_t time_s,
                              const std::string& body) {
  return "v1," + to_base64(hmac_sha256(secret, id + "." + std::to_string(time_s) + "." + body));
}

std::optional<Undelivered> call_webhook(const MessageOptions& options, const Message& message,
                                        const std::string& node, std::int64_t now_ms,
                                        const os::Deadline& deadline) {
  auto url = net::parse_url(options.webhook_url);
  if (!url.ok()) return Undelivered{.reason = url.error().message};
  const std::string body = message.to_json(node).dump();
  const std::int64_t time_s = now_ms / 1000;
  net::ClientRequest request{.method = "POST", .url = *std::move(url), .body = body};
  request.headers.set("Content-Type", "application/json");
  request.headers.set("User-Agent", "cairn/" + std::string(version));
  request.headers.set("webhook-id", message.id);
  request.headers.set("webhook-timestamp", std::to_string(time_s));
  if (!options.webhook_secret_file.empty()) {
    const auto secret = webhook_secret(options.webhook_secret_file);
    if (!secret.ok()) return Undelivered{.reason = secret.error().message};
    request.headers.set("webhook-signature", webhook_signature(*secret, message.id, time_s, body));
  }
  net::Client client({.tls_ca_file = options.webhook_ca_file});
  const auto reply = client.send(request, deadline, webhook_answer_bytes_max);
  if (!reply.ok()) return Undelivered{.reason = reply.error().message};
  if (reply->status >= 200 && reply->status < 300) return std::nullopt;
  return Undelivered{.reason = "the webhook answered " + std::to_string(reply->status),
                     .wait_ms = said_wait_ms(reply->headers),
                     .never = reply->status == 410};
}

std::string mail_text(const MessageOptions& options, const Message& message,
                      const std::string& node) {
  const std::string from = options.mail_from.empty() ? "cairn@localhost" : options.mail_from;
  std::string out =
      "From: " + from + "\nTo: " + options.mail_to + "\nSubject: " +
      header_text("[cairn " + node + "] " + std::string(headline(message)) + message.fault.kind +
                  ": " + message.fault.subject) +
      "\nDate: " + mail_date(message.time_ms) + "\nMessage-ID: <" + message.id +
      "@cairn.invalid>\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n"
      "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: base64\n\n";
  std::string text = message.fault.text + "\n\nnode:  " + node + "\nstate: " + message.state +
                     "\nsince: " + format_iso8601(message.since_ms) + "\n";
  for (const auto& [name, value] : message.fault.details.as_object())
    text += name + ": " + (value.is_string() ? value.as_string() : value.dump()) + "\n";
  const std::string encoded = to_base64(text);
  for (std::size_t at = 0; at < encoded.size(); at += 76) out += encoded.substr(at, 76) + "\n";
  return out;
}

namespace {

/// On no disk: mails tell of disks that are full or gone. -1, with errno, where there is none.
os::Descriptor file_in_memory(std::string_view bytes) {
  os::Descriptor file(::memfd_create("mail", MFD_CLOEXEC));
  while (file.get() >= 0 && !bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return os::Descriptor();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file.get() >= 0) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

std::optional<Undelivered> send_mail(const MessageOptions& options, const Message& message,
                                     const std::string& node, const os::Deadline& deadline) {
  const os::Descriptor mail = file_in_memory(mail_text(options, message, node));
  if (mail.get() < 0)
    return Undelivered{.reason = std::string("the mail cannot be handed over: ") +
                                 std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
  auto child = os::ChildProcess::start(
      {.program = options.mail_command[0],
       .words = options.mail_command,
       .input = mail.get(),
       .environment = {"LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
       .writes_files = true});
  if (!child.ok()) return Undelivered{.reason = child.error().message};
  const os::ChildEnd end = child->end(deadline);
  if (end.signal == 0 && end.code == 0) return std::nullopt;
  return Undelivered{.reason =
                         options.mail_command[0] +
                         (end.signal != 0 ? " was ended by signal " + std::to_string(end.signal)
                                          : " ended with " + std::to_string(end.code))};
}

}  // namespace cairn::app
