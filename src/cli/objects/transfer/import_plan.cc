// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/import_plan.h"

namespace cairn::cli {
namespace {

/// The MD5 of the whole, and not of parts.
bool is_plain_etag(const std::string& etag) {
  return etag.size() == 32 && etag.find('-') == std::string::npos;
}

bool is_same_version(const ListedVersion& a, const ListedVersion& b) {
  if (a.is_marker || b.is_marker) return a.is_marker == b.is_marker;
  if (a.size != b.size) return false;
  return !is_plain_etag(a.etag) || !is_plain_etag(b.etag) || a.etag == b.etag;
}

}  // namespace

ImportPlan plan_versions(const KeyHistory& source, const KeyHistory& target) {
  std::size_t same = 0;
  while (same < target.versions.size() && same < source.versions.size() &&
         is_same_version(source.versions[same], target.versions[same]))
    ++same;
  ImportPlan plan{.first = same};
  if (same < target.versions.size())
    plan.refusal = "the target has versions of its own, which stay as they are";
  return plan;
}

ImportPlan plan_current(const KeyHistory& source, const KeyHistory& target) {
  const std::size_t all = source.versions.size();
  if (source.versions.empty() || target.versions.empty()) return {};
  const ListedVersion& from = source.versions.back();
  const ListedVersion& there = target.versions.back();
  const bool newer = from.modified_ms / 1000 > there.modified_ms / 1000;
  return {.first = from.size != there.size || newer ? all - 1 : all};
}

}  // namespace cairn::cli
