// SPDX-License-Identifier: Apache-2.0
#include "os/files/access_list.h"

#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>

#include "base/bytes.h"

namespace cairn::os {
namespace {

constexpr const char* attribute = "system.posix_acl_access";
constexpr std::uint32_t known_version = 2;
constexpr std::size_t value_bytes_max = 64 << 10;  // as much as an attribute may have

std::optional<AccessListEntry::Of> kind_of_tag(std::uint16_t tag) {
  switch (tag) {
    case 0x01:
      return AccessListEntry::Of::owner;
    case 0x02:
      return AccessListEntry::Of::user;
    case 0x04:
      return AccessListEntry::Of::owning_group;
    case 0x08:
      return AccessListEntry::Of::group;
    case 0x10:
      return AccessListEntry::Of::mask;
    case 0x20:
      return AccessListEntry::Of::others;
    default:
      return std::nullopt;
  }
}

bool has(const AccessList& list, AccessListEntry::Of of) {
  return std::any_of(list.entries.begin(), list.entries.end(),
                     [of](const AccessListEntry& entry) { return entry.of == of; });
}

}  // namespace

AccessList parse_access_list(std::string_view value) {
  using Of = AccessListEntry::Of;
  ByteReader in(value);
  const auto version = in.u32le();
  if (!version || *version != known_version) return {};
  AccessList out;
  while (in.remaining() > 0) {
    const auto tag = in.u16le();
    const auto bits = in.u16le();
    const auto id = in.u32le();
    const auto of = tag ? kind_of_tag(*tag) : std::nullopt;
    if (!of || !bits || !id || *bits > 07) return {};
    out.entries.push_back({.of = *of, .bits = *bits, .id = *id});
  }
  out.is_known = has(out, Of::owner) && has(out, Of::owning_group) && has(out, Of::others);
  return out;
}

std::optional<AccessList> access_list_of(const std::string& path) {
  std::string value(value_bytes_max, '\0');
  const ssize_t size = ::getxattr(path.c_str(), attribute, value.data(), value.size());
  if (size > 0)
    return parse_access_list(std::string_view(value).substr(0, static_cast<std::size_t>(size)));
  if (size == 0 || errno == ENODATA || errno == ENOTSUP) return std::nullopt;
  return AccessList{};
}

}  // namespace cairn::os
