// SPDX-License-Identifier: Apache-2.0
// The two dialects of the wire: x-amz-* with AWS4 signatures, and the neutral x-svc-* with SVC4.
// Descriptions are written in the first one; everything here turns names into the other and back.
#pragma once

#include <string>
#include <string_view>

namespace cairn::s3 {

enum class Dialect { aws, svc };

/// "x-amz-acl" as the dialect spells it. Other names stay as they are.
std::string header_name(std::string_view aws_name, Dialect dialect);
/// The way back, of a lower-case name. Names of neither dialect stay as they are.
std::string aws_header_name(std::string_view name, Dialect dialect);
/// "X-Amz-Date", a parameter of a query that carries a signature, as the dialect spells it.
std::string query_name(std::string_view aws_name, Dialect dialect);
/// "aws:kms", "aws-chunked", "AWS4-HMAC-SHA256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
/// "aws4_request", "arn:aws:kms:…" as the dialect spells them. Other values stay as they are.
std::string value_name(std::string_view aws_value, Dialect dialect);
/// The way back: what the dialect's value is called in descriptions.
std::string value_from_wire(std::string_view value, Dialect dialect);

}  // namespace cairn::s3
