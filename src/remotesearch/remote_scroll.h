// SPDX-License-Identifier: Apache-2.0
// A scroll of another server: opened, read page by page, ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "net/client/client.h"
#include "net/client/outbound.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "ratelimit/client/retry.h"
#include "remotesearch/remote_source.h"

namespace cairn::remotesearch {

/// Which servers may be read from, and how they are connected to. `setting` names the rules,
/// `size_name` what a caller makes smaller where a page is too large.
struct AccessParams {
  net::OutboundRules rules;
  std::string setting;
  std::string size_name;
  std::string ca_file = {};                  // PEM; empty: what the system trusts
  std::size_t answer_bytes_max = 32u << 20;  // of a page
};

/// A value; safe from any thread.
class RemoteAccess {
 public:
  RemoteAccess() = default;
  explicit RemoteAccess(AccessParams params) : params_(std::move(params)) {}
  /// Errors: illegal_argument_exception, which names the setting, where no entry can allow it.
  Status check(const RemoteSource& source) const;
  net::ClientOptions client_options(const RemoteSource& source) const;
  std::size_t answer_bytes_max() const { return params_.answer_bytes_max; }
  const std::string& size_name() const { return params_.size_name; }

 private:
  AccessParams params_;
};

struct RemoteSearch {
  std::string indices;  // separated by commas
  std::size_t size = 1'000;
  Json source_filter = {};  // null: whole documents
};

/// One thread. Every call blocks up to its deadline and ends at once when that is stopped.
///
/// 429 and 503 are asked again, as Retry-After says, some times. A connection that cannot be made
/// is tried again for later pages. What the server may have read is not sent again: it may have
/// moved the scroll on. Redirects are not followed. Errors, with the server's name and never with a
/// header's value: of what the server answered, with its status; illegal_argument_exception for an
/// address that is not allowed; with status 502, an answer that is too large, is cut off or is a
/// redirect, a connection that fails; with 504 a server that is silent too long; cancelled, timeout
/// of the deadline.
class RemoteScroll {
 public:
  /// `source` and `clock` outlive it, and `waits` where it is given. `repeated` is called for each
  /// request that is sent again.
  RemoteScroll(const RemoteSource& source, RemoteSearch search, const RemoteAccess& access,
               const os::Clock& clock, std::function<void()> repeated,
               ratelimit::Waits* waits = nullptr);

  /// The text of the first page, and of the next one.
  Result<std::string> open(std::int64_t keep_alive_ms, const os::Deadline& deadline);
  Result<std::string> next(std::string_view scroll_id, std::int64_t keep_alive_ms,
                           const os::Deadline& deadline);
  /// What the server says of itself (`GET /`), and how many documents there are to be read
  /// (`_count`): the texts of its answers.
  Result<std::string> self(const os::Deadline& deadline);
  Result<std::string> count(const os::Deadline& deadline);
  /// Ends the scroll there. What comes of it is the server's: it ends by itself as well.
  void close(std::string_view scroll_id, const os::Deadline& deadline);
  /// An error with the server's name, as those above.
  Error worded(Error error) const;

 private:
  struct Attempt;
  Result<std::string> send(net::ClientRequest request, bool opens, const os::Deadline& deadline);
  Json query() const;
  Status attempt(const net::ClientRequest& request, const os::Deadline& deadline,
                 ratelimit::SeenResponse& seen, Attempt& out);
  net::ClientRequest request(std::string method, const std::string& target,
                             std::string_view body) const;
  Error refusal(int status, std::string_view text) const;
  std::string without_secrets(std::string text) const;

  const RemoteSource& source_;
  const RemoteSearch search_;
  const std::size_t answer_bytes_max_;
  const std::string size_name_;
  const std::vector<std::string> secrets_;
  const std::function<void()> repeated_;
  const os::Clock& clock_;
  net::Client client_;
  ratelimit::Waits own_waits_;
  ratelimit::Waits& waits_;
  ratelimit::RetryRules rules_;
};

}  // namespace cairn::remotesearch
