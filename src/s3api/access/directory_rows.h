// SPDX-License-Identifier: Apache-2.0
// The operations that directory buckets have: where each is asked for, and the right it needs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::s3api {

enum class DirectoryEndpoint : std::uint8_t {
  control,  // regional: the bucket stands in the path, or before the name of one's own endpoint
  zonal     // the bucket stands in the host name
};

struct DirectoryRow {
  std::string_view operation;  // "GetObject"
  DirectoryEndpoint endpoint;
  std::string_view action;  // of policies
  bool reads = false;       // a session that only reads may do it
  std::string_view permission = {};  // of the scope of an access point; empty: it has no say
};

inline constexpr std::string_view create_session_action = "s3express:CreateSession";

/// Null for what directory buckets do not have.
const DirectoryRow* find_directory_row(std::string_view operation);
std::span<const DirectoryRow> directory_rows();

/// Whether an action of general purpose buckets ("s3:GetObject") only reads.
bool action_reads(std::string_view action);

}  // namespace cairn::s3api
