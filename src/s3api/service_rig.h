// SPDX-License-Identifier: Apache-2.0
// For tests: a service over an engine on a disk in memory, asked without a network. It knows the
// accounts 111111111111 ("mine", mine@example.org) and 222222222222 ("theirs").
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/xml.h"
#include "net/http/message.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "os/fake/fake_files.h"
#include "s3/signing/signing.h"
#include "s3api/service.h"

namespace cairn::s3api {

struct Answer {
  int status = 0;
  net::Headers headers = {};
  std::string body = {};
  bool complete = false;  // ended as a reply must end
  std::optional<std::uint64_t> length = {};
  std::string header(std::string_view name) const;
  XmlElement xml() const;                         // aborts the test where the body is none
  std::string code() const;                       // of an error body
  std::string text(std::string_view path) const;  // "Owner/ID" below the root
};

struct Ask {
  std::string method = "GET";
  std::string target = "/";  // raw
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  s3::Credentials credentials = {};  // empty: the first account's key
  bool sign = true;
  s3::Dialect dialect = s3::Dialect::aws;
  std::string payload_hash = {};  // empty: of the body
  std::string region = "us-east-1";
  std::string service = std::string(s3::general_service);  // that the signature is for
  std::string session_token = {};  // of a session with a directory bucket
  bool send_length = true;
  std::string host = "127.0.0.1:9000";
  bool tls = false;
  std::int64_t clock_off_ms = 0;  // of who signs
  os::Deadline deadline = os::Deadline::never();
};

class ServiceRig {
 public:
  static constexpr std::int64_t start_ms = 1'700'000'000'000;
  explicit ServiceRig(Options options = {});
  ~ServiceRig();
  /// Stops the service and its engine, and starts them over the same files, with other options.
  void restart(Options options = {}, const std::function<void()>& meanwhile = {});

  Answer ask(const Ask& ask);  // safe from any thread
  Answer get(std::string target, std::vector<std::pair<std::string, std::string>> headers = {});
  Answer head(std::string target, std::vector<std::pair<std::string, std::string>> headers = {});
  Answer put(std::string target, std::string body = {},
             std::vector<std::pair<std::string, std::string>> headers = {});
  Answer remove(std::string target);
  Answer post(std::string target, std::string body,
              std::vector<std::pair<std::string, std::string>> headers = {});

  os::FakeFiles files;
  os::FakeClock clock{start_ms};
  s3::Credentials mine, theirs;  // keys of two accounts
  std::unique_ptr<objectstore::Engine> engine;
  std::unique_ptr<Service> service;
  s3::SigningKeys keys;
  bool body_was_read = false;  // of the last request
  /// Who signs with a key; empty: the root of its account.
  FindCaller whose = {};
  FindTableCopy table_copy = {};  // none: copies are where their tables are
  GrantBook grants = {};  // from the next restart on
  /// Called at each flush of a reply, on the thread that flushes.
  std::function<void()> on_flush = {};
  /// Called when a reply is about to begin.
  std::function<void()> before_reply = {};
};

}  // namespace cairn::s3api
