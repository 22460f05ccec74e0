// SPDX-License-Identifier: Apache-2.0
// The table of partitions.
#include "objectclient/endpoint/partition.h"

#include <algorithm>
#include <initializer_list>

namespace cairn::objectclient {
namespace {

struct PartitionRow {
  Partition partition;
  std::initializer_list<std::string_view> prefixes;  // what stands before "-<word>-<number>"
  std::string_view global;                           // the region that stands for all of them
};

const PartitionRow partition_rows[] = {
    {{"aws", "amazonaws.com"},
     {"us", "eu", "ap", "sa", "ca", "me", "af", "il", "mx"},
     "aws-global"},
    {{"aws-cn", "amazonaws.com.cn"}, {"cn"}, "aws-cn-global"},
    {{"aws-us-gov", "amazonaws.com"}, {"us-gov"}, "aws-us-gov-global"},
    {{"aws-iso", "c2s.ic.gov"}, {"us-iso"}, "aws-iso-global"},
    {{"aws-iso-b", "sc2s.sgov.gov"}, {"us-isob"}, "aws-iso-b-global"},
    {{"aws-iso-e", "cloud.adc-e.uk"}, {"eu-isoe"}, "aws-iso-e-global"},
    {{"aws-iso-f", "csp.hci.ic.gov"}, {"us-isof"}, "aws-iso-f-global"},
    {{"aws-eusc", "amazonaws.eu"}, {"eusc-de"}, "aws-eusc-global"},
};

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "<prefix>-<word>-<number>".
bool has_form(std::string_view region, std::string_view prefix) {
  if (!region.starts_with(prefix) || region.size() <= prefix.size() || region[prefix.size()] != '-')
    return false;
  region.remove_prefix(prefix.size() + 1);
  const auto hyphen = region.find('-');
  return hyphen != std::string_view::npos && is_word(region.substr(0, hyphen)) &&
         is_number(region.substr(hyphen + 1));
}

}  // namespace

const Partition& partition_of(std::string_view region) {
  for (const PartitionRow& row : partition_rows) {
    if (region == row.global) return row.partition;
    for (const auto prefix : row.prefixes)
      if (has_form(region, prefix)) return row.partition;
  }
  return partition_rows[0].partition;
}

}  // namespace cairn::objectclient
