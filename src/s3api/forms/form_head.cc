// SPDX-License-Identifier: Apache-2.0
#include "s3api/forms/form_head.h"

#include <algorithm>
#include <set>

#include "base/encode.h"
#include "base/strings.h"
#include "format/xml.h"
#include "s3/errors.h"
#include "s3/operations/operation.h"
#include "s3/tags.h"
#include "s3/wire/wire.h"
#include "s3/wire/xml_body.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view metadata_prefix = "x-amz-meta-";
constexpr std::string_view checksum_prefix = "x-amz-checksum-";

// Short names that forms have for header fields, and one that SDKs call otherwise.
struct FormName {
  std::string_view of_form;
  std::string_view of_head;
};
constexpr FormName form_names[] = {{"acl", "x-amz-acl"},
                                   {"tagging", "x-amz-tagging"},
                                   {"x-amz-checksum-algorithm", "x-amz-sdk-checksum-algorithm"}};

using Names = std::set<std::string, std::less<>>;

// Lower case, in dialect aws.
const Names& fields_of_put() {
  static const Names names = [] {
    Names out;
    for (const s3::Member& member : s3::operations::put_object.input().members)
      if (member.wire.place == s3::Place::header) out.insert(lower_ascii(member.wire.name));
    return out;
  }();
  return names;
}

bool is_of_vendor(std::string_view name) {
  return name.starts_with("x-amz-") || name.starts_with("x-svc-");
}

bool is_of_object(std::string_view name) {
  if (is_of_vendor(name) || name == "authorization") return true;
  return !name.starts_with("if-") && name != "content-length" && fields_of_put().contains(name);
}

// Names that dialect aws has; empty for a field that says nothing of the object.
std::string header_of_field(std::string_view aws_name) {
  for (const FormName& row : form_names)
    if (row.of_form == aws_name) return std::string(row.of_head);
  const bool read = fields_of_put().contains(aws_name) || aws_name.starts_with(metadata_prefix) ||
                    aws_name.starts_with(checksum_prefix);
  return read ? std::string(aws_name) : std::string();
}

Status check_form_characters(std::string_view name, std::string_view value) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const auto ends_name = [](unsigned char c) { return c <= 0x20 || c >= 0x7f || c == ':'; };
  if (std::none_of(name.begin(), name.end(), ends_name) &&
      std::none_of(value.begin(), value.end(), is_control))
    return ok_status();
  return s3::error("InvalidArgument", "A header field cannot have these characters.")
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

// <Tagging><TagSet><Tag>… as the parameters of a query.
Result<std::string> tags_as_header(const std::string& xml, s3::Dialect dialect) {
  if (trim(xml).empty()) return std::string();
  const auto root = parse_xml(xml);
  if (!root.ok() || root->name != "Tagging") return s3::error("MalformedXML");
  s3::TaggingElement tagging;
  CAIRN_CHECK(
      s3::read_elements(*root, s3::shape_of<s3::TaggingElement>(), &tagging, {.dialect = dialect}));
  CAIRN_TRY(const s3::Tags tags, s3::tags_of(tagging.tag_set, s3::Tagged::object));
  std::string out;
  for (const auto& [key, value] : tags) {
    if (!out.empty()) out += '&';
    out += percent_encode(key) + "=" + percent_encode(value);
  }
  return out;
}

}  // namespace

Result<net::RequestHead> head_of_form(const net::RequestHead& head, const s3::FormFields& fields,
                                      s3::Dialect dialect) {
  net::RequestHead out = head;
  out.headers.clear();
  for (const auto& [name, value] : head.headers.fields())
    if (!is_of_object(lower_ascii(name))) out.headers.add(name, value);
  for (const auto& [name, value] : fields) {
    const std::string own = s3::aws_header_name(name, dialect);
    const std::string header = header_of_field(own);
    // A page sends inputs that nobody filled in.
    if (header.empty() || (value.empty() && !own.starts_with(metadata_prefix))) continue;
    const std::string sent = s3::header_name(header, dialect);
    if (own == "tagging") {
      CAIRN_TRY(const std::string tags, tags_as_header(value, dialect));
      out.headers.set(sent, tags);
      continue;
    }
    CAIRN_CHECK(check_form_characters(sent, value));
    out.headers.set(sent, trim(value));
  }
  return out;
}

}  // namespace cairn::s3api
