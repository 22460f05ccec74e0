// SPDX-License-Identifier: Apache-2.0
// One call on its way: prepared once, attempted until it succeeds or has failed for good. Not part
// of the installed headers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "objectclient/call/byte_range.h"
#include "objectclient/call/call_parts.h"
#include "objectclient/call/client_state.h"
#include "objectclient/call/payload.h"
#include "objectclient/call/retry.h"
#include "objectclient/call/sink.h"
#include "objectclient/endpoint/address.h"
#include "objectclient/presign.h"
#include "s3/checksum.h"
#include "s3/wire/wire.h"

namespace cairn::objectclient {

/// Makes the call, with stubs where the client has them. `output` is the operation's structure;
/// `body` takes the object's bytes unless there is another target. The error of a failed call
/// names it: operation, bucket and key, status, code, request id, attempts.
Status make_call(ClientState& state, const CallParts& parts, void* output, std::string& body,
                 CallInfo& info);

/// Signs the call instead of making it.
Result<PresignedRequest> presign_call(ClientState& state, const CallParts& parts,
                                      const PresignOptions& options, CallInfo& info);
/// Signs a form for the bucket that the call asks for, instead of making it.
Result<PresignedPost> presign_form(ClientState& state, const CallParts& parts,
                                   const std::string& key, const PresignedPostOptions& options,
                                   CallInfo& info);
/// Writes down what the call is about.
void name_call(const CallParts& parts, CallInfo& info);

/// For one thread, once.
class OperationCall {
 public:
  OperationCall(ClientState& state, const CallParts& parts, Sink& sink, CallInfo& info);
  Status run(void* output);
  Result<PresignedRequest> presign(const PresignOptions& options);
  Result<PresignedPost> presign_form(const std::string& key, const PresignedPostOptions& options);
  /// How the last attempt ended, where somebody monitors.
  const AttemptEvent& last_event() const { return last_event_; }
  /// It failed with attempts that could have gone on.
  bool retries_exceeded() const { return retries_exceeded_; }

 private:
  /// How an attempt ended.
  struct Outcome {
    std::optional<Error> error = {};
    Failure failure = {};
  };
  /// What one attempt signed.
  struct Signed {
    Signing signing = {};
    std::shared_ptr<const Credentials> credentials = {};
    s3::Signature signature = {};
    std::int64_t time_ms = 0;
  };

  // call_prepare.cc
  Status prepare();
  Status check_parts();
  void add_defaults();
  Status add_customer_key(std::string_view prefix);
  void compress();
  Result<Endpoint> endpoint() const;
  Result<std::string> host_prefix() const;
  Status find_address();
  net::Headers attempt_headers() const;
  Status plan(const Signing& signing, net::Headers& headers);

  // call_send.cc
  Outcome attempt(void* output);
  Result<Signed> sign(net::Headers& headers);
  Result<std::shared_ptr<const Credentials>> credentials_for(const Signing& signing);
  Result<std::unique_ptr<net::ClientStream>> send(const net::Headers& headers, const Signed& with);
  Outcome receive(net::ClientStream& stream, void* output);
  Outcome receive_object(net::ClientStream& stream, void* output);
  bool asks_for_part() const;
  Status expect_bytes(std::optional<std::uint64_t> length);
  Status check_rest(std::optional<std::uint64_t> length) const;
  void expect_checksum(const net::Headers& headers, int status);
  Status check_object();
  Outcome broken(Error error, bool while_receiving) const;
  bool can_resume(const Outcome& outcome) const;
  void trace(std::string_view text) const;
  void tell_monitor(const Outcome& outcome, const Signed& with, std::int64_t began_ms,
                    std::int64_t began_ns);

  // call.cc
  Result<bool> follow(const Outcome& outcome);
  Result<bool> follow_region(const Outcome& outcome);
  Status wait_to_send(Retries& retries);
  std::optional<double> left_s() const;
  bool ready_again();
  void learn(Outcome& outcome);

  ClientState& state_;
  const CallParts& parts_;
  Sink& sink_;
  CallInfo& info_;
  const std::string invocation_id_;

  s3::RequestParts request_;
  Body body_;  // of the request
  Endpoint endpoint_;
  Address address_;
  std::optional<std::string> region_;  // other than the client's, as a reply said
  int redirects_ = 0;
  std::optional<PayloadPlan> plan_;
  net::Headers plan_headers_;  // what the plan added, for every attempt
  std::uint64_t resume_at_ = 0;
  std::string etag_;                   // of the object that is being read
  std::optional<ContentRange> range_;  // of its bytes, that the first reply promised
  std::optional<s3::Checksummer> summer_;
  std::string expected_checksum_;
  std::optional<std::uint64_t> total_;
  std::int64_t signed_ahead_ms_ = 0;  // of this machine's clock, by the last attempt
  bool body_was_opened_ = false;
  bool asked_for_checksum_ = false;  // by the caller, not by an option
  bool retries_exceeded_ = false;
  AttemptEvent last_event_;
};

}  // namespace cairn::objectclient
