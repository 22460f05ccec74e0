// SPDX-License-Identifier: Apache-2.0
// How the body of a request is covered: by a checksum in a field or behind the body, by the
// signature, or by neither.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/http/message.h"
#include "objectclient/body.h"
#include "objectclient/options.h"
#include "s3/operations/operation.h"
#include "s3/signing/chunked.h"

namespace cairn::objectclient {

/// What the rules look at.
struct PayloadQuestion {
  const s3::Operation& operation;
  const ClientOptions& options;
  s3::Dialect dialect;
  bool https;
  bool own_endpoint;  // of the option `endpoint`, not the vendor's
  bool is_signed;     // by sigv4 or sigv4a
  bool symmetric;     // by sigv4
};

/// The answer, the same for all attempts of a call.
struct PayloadPlan {
  s3::Payload payload = s3::Payload::hashed;
  std::string hash = {};  // what x-amz-content-sha256 says
  std::optional<s3::ChecksumAlgorithm> trailer = {};
  bool chunked = false;
  std::uint64_t length = 0;  // of the body without framing
};

/// Decides, reads the body once where its digest has to be known before, and adds the fields that
/// say so. Errors: those of reading; invalid_argument for a body of unknown length.
Result<PayloadPlan> plan_payload(const PayloadQuestion& question, const Body& body,
                                 net::Headers& headers);

/// The algorithm that the rules choose; nothing for none. `headers` are those of the request.
std::optional<s3::ChecksumAlgorithm> request_checksum(const s3::Operation& operation,
                                                      const ClientOptions& options,
                                                      s3::Dialect dialect,
                                                      const net::Headers& headers);

}  // namespace cairn::objectclient
