// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/places/address.h"

#include <utility>

namespace cairn::cli {
namespace {

constexpr std::string_view scheme = "s3://";

Error bad_address(std::string text) { return {ErrorKind::invalid_argument, {}, std::move(text)}; }

/// How long the ARN of an access point is at the beginning of a text: names in it may stand behind
/// ':' or '/'. 0 where it is none.
std::size_t access_point_length(std::string_view text) {
  constexpr std::string_view marker = "accesspoint";
  const auto at = text.find(marker);
  if (at == std::string_view::npos || at + marker.size() >= text.size()) return 0;
  const char separator = text[at + marker.size()];
  if (separator != ':' && separator != '/') return 0;
  const auto name = at + marker.size() + 1;
  const auto end = text.find('/', name);
  const std::size_t length = end == std::string_view::npos ? text.size() : end;
  return length == name ? 0 : length;
}

Result<Address> object_address(std::string_view text, std::string_view rest) {
  const std::size_t arn = rest.starts_with("arn:") ? access_point_length(rest) : 0;
  if (rest.starts_with("arn:") && arn == 0)
    return bad_address(std::string(text) + ": no ARN of an access point");
  const auto slash = arn > 0 ? arn : rest.find('/');
  Address out{.kind = Address::Kind::object, .bucket = std::string(rest.substr(0, slash))};
  if (slash < rest.size()) out.key = std::string(rest.substr(slash + 1));
  if (out.bucket.empty()) return bad_address(std::string(text) + ": an address needs a bucket");
  return out;
}

}  // namespace

std::string Address::text() const {
  switch (kind) {
    case Kind::object:
      return object_text(bucket, key);
    case Kind::stream:
      return "-";
    case Kind::path:
      return path;
  }
  return path;
}

Result<Address> parse_address(std::string_view text) {
  if (text.starts_with(scheme)) return object_address(text, text.substr(scheme.size()));
  if (text == "-") return Address{.kind = Address::Kind::stream};
  if (text.empty()) return bad_address("an empty path names nothing");
  return Address{.kind = Address::Kind::path, .path = std::string(text)};
}

Result<Address> parse_object_address(std::string_view text) {
  return object_address(text, text.starts_with(scheme) ? text.substr(scheme.size()) : text);
}

std::string object_text(std::string_view bucket, std::string_view key) {
  return std::string(scheme) + std::string(bucket) + "/" + std::string(key);
}

std::string last_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string as_folder(std::string path) {
  if (!path.empty() && path.back() != '/') path += '/';
  return path;
}

}  // namespace cairn::cli
