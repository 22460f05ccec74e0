// SPDX-License-Identifier: Apache-2.0
#include "s3/tags.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/strings.h"
#include "net/http/message.h"
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

// Letters, digits, spaces and `+ - = . _ : / @`; beyond ASCII everything that is text.
bool has_tag_characters(std::string_view text) {
  if (valid_utf8_prefix(text) != text.size()) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    if (static_cast<unsigned char>(c) >= 0x80) return true;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(" +-=._:/@").find(c) != std::string_view::npos;
  });
}

// Characters, not bytes.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_key(std::string_view key) {
  return !key.empty() && length_of(key) <= tag_key_characters_max && has_tag_characters(key);
}
bool is_value(std::string_view value) {
  return length_of(value) <= tag_value_characters_max && has_tag_characters(value);
}

Error invalid_tag(const TagElement& tag, std::string message) {
  return error("InvalidTag", std::move(message)).with_detail("TagKey", tag.key);
}

Error reserved_tag(const TagElement& tag, Tagged what) {
  if (what == Tagged::new_bucket)
    return error("InvalidTag",
                 "User-defined tag keys can't start with \"aws:\". This prefix is reserved for "
                 "system tags. Remove \"aws:\" from your tag keys and try again.");
  return invalid_tag(tag, what == Tagged::object
                              ? "Your TagKey cannot be prefixed with aws:"
                              : "System tags cannot be added/updated by requester");
}

Error bad_field(std::string_view field) {
  return error("InvalidArgument",
               "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query "
               "parameters without tag name duplicates.")
      .with_detail("ArgumentName", "x-amz-tagging")
      .with_detail("ArgumentValue", std::string(field));
}

}  // namespace

Result<Tags> tags_of(const std::vector<TagElement>& elements, Tagged what) {
  Tags tags;
  for (const TagElement& tag : elements) {
    if (tag.key.starts_with("aws:")) return reserved_tag(tag, what);
    if (!is_key(tag.key)) return invalid_tag(tag, "The TagKey you have provided is invalid");
    if (!is_value(tag.value))
      return invalid_tag(tag, "The TagValue you have provided is invalid")
          .with_detail("TagValue", tag.value);
    if (!tags.emplace(tag.key, tag.value).second)
      return invalid_tag(tag, "Cannot provide multiple Tags with the same key");
  }
  if (what == Tagged::object && tags.size() > object_tags_max)
    return error("BadRequest", "Object tags cannot be greater than 10");
  if (tags.size() > bucket_tags_max)
    return error("BadRequest", "Bucket tag count cannot be greater than 50");
  return tags;
}

Result<Tags> tags_of_field(std::string_view field) {
  if (field.empty()) return Tags{};
  const auto parameters = net::parse_query(field);
  if (!parameters.ok()) return bad_field(field);
  std::vector<TagElement> elements;
  for (const auto& [name, value] : *parameters) {
    const bool repeated = std::any_of(elements.begin(), elements.end(),
                                      [&](const TagElement& tag) { return tag.key == name; });
    if (repeated || name.empty() || !has_tag_characters(name) || !has_tag_characters(value))
      return bad_field(field);
    elements.push_back({.key = name, .value = value});
  }
  return tags_of(elements, Tagged::object);
}

std::vector<TagElement> tag_elements(const Tags& tags) {
  std::vector<TagElement> out;
  for (const auto& [key, value] : tags) out.push_back({.key = key, .value = value});
  return out;
}

}  // namespace cairn::s3
