// SPDX-License-Identifier: Apache-2.0
// What a call gives: its result or its error, and what is known of the call besides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::objectclient {

struct CallInfo {
  std::string operation = {};  // "get_object"
  std::string bucket = {};
  std::string key = {};
  int status = 0;                       // of the last reply; 0: none came
  std::string request_id = {};          // of the last reply
  std::string host_id = {};             // of the last reply
  net::Headers headers = {};            // of the last reply
  std::int64_t attempts = 0;            // requests sent, with those that followed a redirect
  std::int64_t retries = 0;             // those that were repeated because one before had failed
  std::string url = {};                 // of the last request
  bool reused_connection = false;       // it went over a connection that was kept
  std::string checksum_validated = {};  // "CRC32": what the bytes of the reply were compared with
};

/// Throws the exception of an error: the class of its code (service_errors.h), with the call.
[[noreturn]] void throw_error(const Error& error, const CallInfo& call);

/// The result of a call, or its error where `raise_response_errors` is false. Reading the result
/// of a failed call throws its error. Dropping one unread is a warning: it may hold an error.
template <class Output>
class [[nodiscard]] Response {
 public:
  Response(Output output, CallInfo call) : output_(std::move(output)), call_(std::move(call)) {}
  Response(Error error, CallInfo call) : error_(std::move(error)), call_(std::move(call)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  /// The result: `response->etag`.
  const Output& operator*() const { return checked(); }
  const Output* operator->() const { return &checked(); }
  const Output& data() const { return checked(); }
  /// For a call whose result is of no interest: throws the error of one that failed, whatever
  /// `raise_response_errors` says.
  void or_throw() const { static_cast<void>(checked()); }
  /// Only of a failed call. `code` is the service's, `message` names the call, `details` are the
  /// other elements of the service's error.
  const Error& error() const { return *error_; }
  const CallInfo& call() const { return call_; }
  /// The object's bytes, unless they went to another target.
  const std::string& body() const { return body_; }

 private:
  friend class Client;
  const Output& checked() const {
    if (error_) throw_error(*error_, call_);
    return output_;
  }
  Output output_ = {};
  std::optional<Error> error_ = {};
  CallInfo call_;
  std::string body_ = {};
};

}  // namespace cairn::objectclient
