// SPDX-License-Identifier: Apache-2.0
// How a message reaches people: a webhook, a program that takes mail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/settings/message_options.h"
#include "app/messages/conditions.h"
#include "base/result.h"
#include "os/deadline.h"

namespace cairn::app {

/// The bytes of a secret of Standard Webhooks: "whsec_" and base64 of 24 to 64 bytes.
Result<std::string> webhook_secret(const std::string& file);

/// "v1,…": base64 of HMAC-SHA-256 of id, time and body. Source: Standard Webhooks 1.0, "Signature
/// scheme".
std::string webhook_signature(const std::string& secret, const std::string& id, std::int64_t time_s,
                              const std::string& body);

/// Why a message was not taken, and how long to wait at least where that was said.
struct Undelivered {
  std::string reason;
  std::int64_t wait_ms = 0;
  bool never = false;  // the receiver wants no more
};

/// POSTs it with the header fields webhook-id, webhook-timestamp and webhook-signature; nothing
/// where a 2xx came. Follows no redirect. Blocks up to the deadline.
std::optional<Undelivered> call_webhook(const MessageOptions& options, const Message& message,
                                        const std::string& node, std::int64_t now_ms,
                                        const os::Deadline& deadline);

/// The mail of a message: header and text (RFC 5322).
std::string mail_text(const MessageOptions& options, const Message& message,
                      const std::string& node);

/// Runs the program with the mail as its input; nothing where it ended with 0. Blocks up to the
/// deadline, and kills it then.
std::optional<Undelivered> send_mail(const MessageOptions& options, const Message& message,
                                     const std::string& node, const os::Deadline& deadline);

}  // namespace cairn::app
