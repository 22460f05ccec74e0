// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/dialect.h"

#include <initializer_list>
#include <utility>

namespace cairn::s3 {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair value_starts[] = {
    {"STREAMING-AWS4-", "STREAMING-SVC4-"},
    {"aws4_request", "svc4_request"},
    {"AWS4", "SVC4"},
    {"aws-chunked", "svc-chunked"},
    {"aws:", "svc:"},
    {"arn:aws:", "arn:svc:"},
};

// The one field whose name says the vendor's twice.
constexpr std::string_view aws_key_id = "x-amz-server-side-encryption-aws-kms-key-id";
constexpr std::string_view svc_key_id = "x-svc-server-side-encryption-svc-kms-key-id";
constexpr std::string_view half_key_id = "x-svc-server-side-encryption-aws-kms-key-id";

std::string replace_start(std::string_view text, std::string_view from, std::string_view to) {
  if (!text.starts_with(from)) return std::string(text);
  std::string out(to);
  out += text.substr(from.size());
  return out;
}

}  // namespace

std::string header_name(std::string_view aws_name, Dialect dialect) {
  if (dialect == Dialect::aws) return std::string(aws_name);
  if (aws_name == aws_key_id) return std::string(svc_key_id);
  return replace_start(aws_name, "x-amz-", "x-svc-");
}

std::string aws_header_name(std::string_view name, Dialect dialect) {
  if (dialect == Dialect::aws || name == half_key_id) return std::string(name);
  if (name == svc_key_id) return std::string(aws_key_id);
  return replace_start(name, "x-svc-", "x-amz-");
}

std::string query_name(std::string_view aws_name, Dialect dialect) {
  if (dialect == Dialect::aws) return std::string(aws_name);
  return replace_start(aws_name, "X-Amz-", "X-Svc-");
}

std::string value_name(std::string_view aws_value, Dialect dialect) {
  if (dialect == Dialect::svc)
    for (const auto& [aws, svc] : value_starts)
      if (aws_value.starts_with(aws)) return replace_start(aws_value, aws, svc);
  return std::string(aws_value);
}

std::string value_from_wire(std::string_view value, Dialect dialect) {
  if (dialect == Dialect::svc)
    for (const auto& [aws, svc] : value_starts)
      if (value.starts_with(svc)) return replace_start(value, svc, aws);
  return std::string(value);
}

}  // namespace cairn::s3
