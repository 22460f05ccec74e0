// SPDX-License-Identifier: Apache-2.0
// What a logger hears of a call: one line by a pattern, and the traffic with its secrets hidden.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/http/message.h"
#include "objectclient/options.h"
#include "objectclient/response.h"
#include "s3/operations/operation.h"

namespace cairn::objectclient {

inline constexpr std::string_view usual_log_pattern =
    "[:client_class :http_response_status_code :time :retries retries] "
    ":operation(:request_params) :error_class :error_message";

/// All that a pattern can name.
struct CallRecord {
  const CallInfo& call;
  const s3::Operation& operation;
  const void* input;
  double time_s = 0;
  std::string_view region;
  const Error* error = nullptr;
};

/// Source of the placeholders: the vendor's SDK for Ruby, Log::Formatter.
std::string log_line(std::string_view pattern, const CallRecord& record);

/// `bucket:"b",max_keys:5`; long texts cut, secret members as [FILTERED].
std::string shown_params(const s3::Shape& shape, const void* input);

Result<LogLevel> parse_log_level(std::string_view text);

/// The head of a message, a line each, without its secrets. `begin` is its first line.
std::string traced_head(std::string_view begin, const net::Headers& headers);
/// A body of XML or JSON without its secrets; of others only the size.
std::string traced_body(std::string_view body);

}  // namespace cairn::objectclient
