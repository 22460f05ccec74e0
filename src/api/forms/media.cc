// SPDX-License-Identifier: Apache-2.0
// Taking media types apart, and the two ways of not agreeing.
#include "api/forms/media.h"

#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"

namespace cairn::api {
namespace {

struct Type {
  std::string name;  // lower case, without parameters
  std::string compatible_with;
};

Type parse_type(std::string_view text) {
  Type out;
  const auto parts = split(text, ';');
  out.name = lower_ascii(trim(parts[0]));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto part = trim(parts[i]);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    if (!equals_ignore_case(trim(part.substr(0, equals)), "compatible-with")) continue;
    out.compatible_with = trim(part.substr(equals + 1));
  }
  return out;
}

bool is_vendor(const Type& type) { return type.name.starts_with("application/vnd.elasticsearch+"); }

/// "json", "x-ndjson", "yaml"; the family of both the plain and the vendor type.
std::string_view family_of(const Type& type) {
  constexpr std::string_view vendor = "application/vnd.elasticsearch+";
  constexpr std::string_view plain = "application/";
  const std::string_view name = type.name;
  if (name.starts_with(vendor)) return name.substr(vendor.size());
  if (name.starts_with(plain)) return name.substr(plain.size());
  return name;
}

bool is_body_type(const Type& type, bool ndjson) {
  const auto family = family_of(type);
  if (family == "json") return true;
  return ndjson && family == "x-ndjson";
}

bool is_reply_type(const Type& type) {
  if (type.name == "*/*" || type.name == "application/*" || type.name == "text/plain" ||
      type.name == "text/event-stream" || type.name == "text/*")
    return true;
  const auto family = family_of(type);
  return family == "json" || family == "x-ndjson" || family == "yaml";
}

Error not_supported(std::string_view header, std::string_view value) {
  Error error{ErrorKind::invalid_argument, "media_type_header_exception",
              std::string(header) + " header [" + std::string(value) + "] is not supported"};
  return std::move(error).with_detail("_status", "406");
}

Error versions_disagree() {
  Error error{ErrorKind::invalid_argument, "media_type_header_exception",
              "Invalid media-type value on headers [Accept, Content-Type]"};
  return std::move(error).with_detail("_status", "400");
}

bool is_spoken_version(const Type& type) {
  return !is_vendor(type) || type.compatible_with.empty() || type.compatible_with == "8" ||
         type.compatible_with == "9";
}

}  // namespace

Result<Media> negotiate(const net::Headers& headers, bool has_body, bool ndjson) {
  Media media;
  const auto wanted = headers.find("accept");
  const bool plain_reply =
      !wanted || wanted->empty() || *wanted == "*/*" || *wanted == "application/json";
  if (plain_reply && !has_body && !headers.has("content-type")) return media;  // nearly always
  std::optional<Type> sent;
  if (const auto value = headers.find("content-type"); value && !value->empty()) {
    sent = parse_type(*value);
    if (!is_spoken_version(*sent)) return versions_disagree();
    if (has_body && !is_body_type(*sent, ndjson)) return not_supported("Content-Type", *value);
  } else if (has_body) {
    return not_supported("Content-Type", "");
  }
  const auto accept = headers.find("accept");
  if (!accept || accept->empty()) return media;
  bool spoken = false;
  for (const auto text : split(*accept, ',')) {
    const Type type = parse_type(text);
    if (!is_spoken_version(type)) return versions_disagree();
    if (!is_reply_type(type)) continue;
    // The first that is spoken decides.
    if (!spoken) {
      media.yaml = family_of(type) == "yaml";
      if (is_vendor(type) && !media.yaml) {
        const std::string version = type.compatible_with.empty() ? "9" : type.compatible_with;
        media.reply_type = version == "8" ? "application/vnd.elasticsearch+json;compatible-with=8"
                                          : "application/vnd.elasticsearch+json;compatible-with=9";
        if (sent && is_vendor(*sent) && has_body && !sent->compatible_with.empty() &&
            sent->compatible_with != version)
          return versions_disagree();
      }
    }
    spoken = true;
  }
  if (!spoken) return not_supported("Accept", *accept);
  return media;
}

}  // namespace cairn::api
