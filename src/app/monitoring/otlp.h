// SPDX-License-Identifier: Apache-2.0
// Steps of traces in the form of OpenTelemetry's protocol (OTLP), as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/spans.h"

namespace cairn::app {

/// Who makes the spans: "service.name" and the like.
using TraceResource = std::vector<std::pair<std::string, std::string>>;

/// The body of an ExportTraceServiceRequest. Ids are hexadecimal, enumerations numbers, and numbers
/// of 64 bits texts, as the JSON form of the protocol wants them.
std::string otlp_request(const TraceResource& resource, const std::vector<os::Span>& spans);
/// Of an ExportTraceServiceResponse: how many spans the collector refused, as it says.
std::uint64_t otlp_rejected(std::string_view body);

}  // namespace cairn::app
