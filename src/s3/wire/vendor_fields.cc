// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/vendor_fields.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "s3/operations/operation.h"

namespace cairn::s3 {
namespace {

constexpr std::string_view aws_prefix = "x-amz-";
constexpr std::string_view svc_prefix = "x-svc-";
// What the SDKs of the first dialect send with every call, signed or not.
constexpr std::string_view sdk_prefix = "amz-sdk-";

// Of signatures and bodies, not of single operations.
constexpr std::string_view of_transport[] = {"x-amz-content-sha256",
                                             "x-amz-date",
                                             "x-amz-decoded-content-length",
                                             "x-amz-region-set",
                                             "x-amz-s3session-token",
                                             "x-amz-sdk-checksum-algorithm",
                                             "x-amz-security-token",
                                             "x-amz-trailer"};
constexpr std::string_view prefixes[] = {"x-amz-meta-", "x-amz-checksum-"};

using Names = std::set<std::string, std::less<>>;

Names fields_of_operations() {
  Names names(std::begin(of_transport), std::end(of_transport));
  for (const auto operations : {all_operations(), control_operations()})
    for (const Operation* operation : operations)
      for (const Member& member : operation->input().members)
        if (member.wire.place == Place::header && member.wire.name.starts_with(aws_prefix))
          names.insert(lower_ascii(member.wire.name));
  return names;
}

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && equals_ignore_case(name.substr(0, prefix.size()), prefix);
}

// The field as dialect aws has it, where it is a known one of that dialect's prefix.
std::optional<std::string> known_field(std::string_view name, std::string_view prefix) {
  if (!begins_with(name, prefix)) return std::nullopt;
  const std::string aws_name =
      aws_header_name(lower_ascii(name), prefix == svc_prefix ? Dialect::svc : Dialect::aws);
  if (!is_request_field(aws_name)) return std::nullopt;
  return aws_name;
}

// Without the vendor's name, and yet they decide what happens.
constexpr std::string_view conditions[] = {"if-match", "if-none-match", "if-modified-since",
                                           "if-unmodified-since"};

bool is_read_in_query(std::string_view aws_name, Moved moved) {
  if (aws_name == "x-amz-checksum-mode" || aws_name.starts_with("x-amz-copy-source-if-") ||
      aws_name == "x-amz-copy-source-range")
    return true;
  if (std::find(std::begin(of_transport), std::end(of_transport), aws_name) !=
      std::end(of_transport))
    return false;
  if (moved == Moved::all) return aws_name != "x-amz-copy-source";
  for (std::string_view prefix : {"x-amz-checksum-", "x-amz-copy-source", "x-amz-tagging"})
    if (aws_name.starts_with(prefix)) return false;
  return true;
}

std::optional<Dialect> dialect_of_query(std::string_view query) {
  for (std::string_view parameter : split(query, '&')) {
    if (begins_with(parameter, svc_prefix)) return Dialect::svc;
    if (begins_with(parameter, aws_prefix) || parameter.starts_with("AWSAccessKeyId="))
      return Dialect::aws;
  }
  return std::nullopt;
}

}  // namespace

bool is_request_field(std::string_view aws_name) {
  static const Names names = fields_of_operations();
  for (std::string_view prefix : prefixes)
    if (aws_name.size() > prefix.size() && aws_name.starts_with(prefix)) return true;
  return names.contains(aws_name);
}

std::optional<Dialect> dialect_of(const net::RequestHead& head) {
  if (const auto authorization = head.headers.find("Authorization"))
    return authorization->starts_with("SVC4-") ? Dialect::svc : Dialect::aws;
  if (const auto shown = dialect_of_query(head.query())) return shown;
  std::optional<Dialect> shown;
  for (const auto& [name, value] : head.headers.fields()) {
    if (known_field(name, svc_prefix)) return Dialect::svc;
    if (begins_with(name, aws_prefix) || begins_with(name, sdk_prefix)) shown = Dialect::aws;
  }
  return shown;
}

std::optional<std::string> foreign_field(const net::Headers& headers, Dialect spoken) {
  const std::string_view prefix = spoken == Dialect::aws ? svc_prefix : aws_prefix;
  for (const auto& [name, value] : headers.fields()) {
    if (known_field(name, prefix)) return lower_ascii(name);
    // "x-svc-…-aws-kms-key-id": unread, the object would be encrypted with another key.
    if (begins_with(name, svc_prefix) && !known_field(name, svc_prefix) &&
        is_request_field(std::string(aws_prefix) + lower_ascii(name.substr(svc_prefix.size()))))
      return lower_ascii(name);
  }
  return std::nullopt;
}

std::vector<net::Headers::Field> fields_of_query(const net::QueryParameters& query, Dialect dialect,
                                                 Moved moved) {
  std::vector<net::Headers::Field> fields;
  for (const auto& [name, value] : query) {
    std::string lower = lower_ascii(name);
    const bool content = moved == Moved::all && (lower == "content-type" || lower == "content-md5");
    if (content ||
        std::find(std::begin(conditions), std::end(conditions), lower) != std::end(conditions)) {
      fields.emplace_back(std::move(lower), value);
      continue;
    }
    const auto known = known_field(name, dialect == Dialect::aws ? aws_prefix : svc_prefix);
    if (known && is_read_in_query(*known, moved))
      fields.emplace_back(header_name(*known, dialect), value);
  }
  return fields;
}

}  // namespace cairn::s3
