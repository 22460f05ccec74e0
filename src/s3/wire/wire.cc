// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/wire.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "format/time.h"
#include "format/xml.h"
#include "s3/errors.h"
#include "s3/wire/xml_body.h"

namespace cairn::s3 {
namespace {

bool on_head(const Member& member) {
  return member.wire.place == Place::query || member.wire.place == Place::header;
}

// Values such as aws:kms have a spelling in each dialect; free texts have not.
bool speaks_dialect(const Member& member) {
  constexpr std::string_view names[] = {
      "x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id",
      "x-amz-bucket-arn", "Content-Encoding"};
  return member.wire.values != nullptr ||
         std::find(std::begin(names), std::end(names), member.wire.name) != std::end(names);
}

std::string joined_list(const Member& member, void* field) {
  std::string out;
  for (std::size_t i = 0; i < member.access->size(field); ++i) {
    if (i > 0) out += ',';
    out += *static_cast<const std::string*>(member.access->at(field, i));
  }
  return out;
}

std::string head_text(const Member& member, void* field, Dialect dialect) {
  if (member.type == Type::text_list) return joined_list(member, field);
  std::string text = text_of_value(member, member.access->value(field));
  return speaks_dialect(member) ? value_name(text, dialect) : text;
}

void write_headers(const Shape& shape, const void* structure, Dialect dialect,
                   net::Headers& headers) {
  for (const Member& member : shape.members) {
    void* field = field_of(member, structure);
    if (!member.access->has(field)) continue;
    if (member.wire.place == Place::header) {
      headers.add(header_name(member.wire.name, dialect), head_text(member, field, dialect));
    } else if (member.wire.place == Place::header_map) {
      const std::string prefix = header_name(member.wire.name, dialect);
      for (const auto& [name, value] : *static_cast<const Metadata*>(field))
        headers.add(prefix + name, value);
    }
  }
}

// The XML of the payload field, or of the fields in elements; empty where there is neither.
std::string write_body(const Operation& operation, const Shape& shape, const void* structure,
                       std::string_view root, Dialect dialect,
                       const PreparedElements* prepared = nullptr) {
  std::string body;
  XmlWriter out(body);
  const std::string attribute =
      "xmlns=\"" +
      std::string(operation.target == Target::control ? control_namespace : xml_namespace) + "\"";
  for (const Member& member : shape.members) {
    void* field = field_of(member, structure);
    if (member.wire.place == Place::payload) {
      if (!member.access->has(field)) return {};
      out.declaration().open(member.wire.name, attribute);
      write_elements(out, member.shape(), member.access->value(field), {.dialect = dialect});
      out.close(member.wire.name);
      return body;
    }
    if (member.wire.place == Place::raw_body)
      return member.access->has(field) ? text_of_value(member, member.access->value(field)) : "";
    if (member.wire.place == Place::root_text) {
      out.declaration().open(member.wire.name, attribute);
      if (member.access->has(field))
        append_xml_escaped(body, text_of_value(member, member.access->value(field)));
      out.close(member.wire.name);
      return body;
    }
  }
  if (root.empty()) return {};
  XmlCoding coding{.dialect = dialect, .prepared = prepared};
  if (prepared != nullptr) body.reserve(prepared->text.size() + 4096);
  if (const Member* encoding = shape.find("encoding_type")) {
    void* field = field_of(*encoding, structure);
    coding.url_coded = encoding->access->has(field) &&
                       *static_cast<const std::string*>(encoding->access->value(field)) == "url";
  }
  out.declaration().open(root, attribute);
  write_elements(out, shape, structure, coding);
  out.close(root);
  return body;
}

Error bad_argument(const Member& member, std::string_view text) {
  const std::string name(member.wire.name);
  Error fault = error("InvalidArgument");
  if (member.type == Type::integer)
    fault.message = "Provided " + name + " not an integer or within integer range";
  if (name == "partNumber")
    fault.message = "Part number must be an integer between 1 and 10000, inclusive";
  return std::move(fault)
      .with_detail("ArgumentName", name)
      .with_detail("ArgumentValue", std::string(text));
}

Status check_allowed(const Member& member, const std::string& text) {
  const Values* values = member.wire.values;
  if (values == nullptr) return ok_status();
  if (std::find(values->allowed.begin(), values->allowed.end(), text) != values->allowed.end())
    return ok_status();
  const ErrorRow* row = find_error(values->error_code);
  std::string message(values->error_message.empty() ? row->message : values->error_message);
  if (row->code == "InvalidStorageClass")
    return Error{row->kind, std::string(row->code), std::move(message)}.with_detail(
        "StorageClassRequested", text);
  return Error{row->kind, std::string(row->code), std::move(message)}
      .with_detail("ArgumentName", std::string(member.wire.name))
      .with_detail("ArgumentValue", text);
}

std::string in_allowed_spelling(const Member& member, std::string text) {
  if (member.wire.values == nullptr || !member.wire.values->any_case) return text;
  for (const std::string_view allowed : member.wire.values->allowed)
    if (equals_ignore_case(allowed, text)) return std::string(allowed);
  return text;
}

Status read_head_value(const Member& member, std::string_view raw, void* structure, bool strict,
                       Dialect dialect) {
  void* field = member.field(structure);
  if (member.type == Type::text_list) {
    for (std::string_view piece : split(raw, ','))
      if (const auto text = trim(piece); !text.empty())
        *static_cast<std::string*>(member.access->append(field)) = text;
    return ok_status();
  }
  if (raw.empty() && member.type != Type::text && member.wire.place == Place::query)
    return ok_status();  // "max-parts=" says nothing
  const std::string text = in_allowed_spelling(
      member, speaks_dialect(member) ? value_from_wire(raw, dialect) : std::string(raw));
  if (strict) CAIRN_CHECK(check_allowed(member, text));
  if (member.wire.lenient || !strict) {
    // Into a copy first, so that a value that cannot be read leaves the field empty.
    std::int64_t scratch[8] = {};
    if (member.type != Type::text && !value_from_text(member, text, scratch)) return ok_status();
  }
  if (!value_from_text(member, text, member.access->value(field))) return bad_argument(member, raw);
  return ok_status();
}

Status read_headers(const Shape& shape, const net::Headers& headers, void* structure, bool strict,
                    Dialect dialect) {
  for (const Member& member : shape.members) {
    const bool dialectal = dialect == Dialect::svc && member.wire.name.starts_with("x-amz-");
    const std::string name = dialectal ? header_name(member.wire.name, dialect) : std::string();
    const std::string_view wire_name = dialectal ? std::string_view(name) : member.wire.name;
    if (member.wire.place == Place::header) {
      if (const auto value = headers.find(wire_name))
        CAIRN_CHECK(read_head_value(member, *value, structure, strict, dialect));
    } else if (member.wire.place == Place::header_map) {
      auto& map = *static_cast<Metadata*>(member.field(structure));
      for (const auto& [field, value] : headers.fields()) {
        if (field.size() <= wire_name.size() ||
            !equals_ignore_case(std::string_view(field).substr(0, wire_name.size()), wire_name))
          continue;
        const auto [at, added] =
            map.emplace(lower_ascii(std::string_view(field).substr(wire_name.size())), value);
        if (!added) at->second += "," + value;
      }
    }
  }
  return ok_status();
}

/// A reply of another kind would read as an empty result: a list of nothing.
Status check_root(const XmlElement& root, std::string_view expected) {
  const std::string_view name =
      std::string_view(root.name).substr(std::string_view(root.name).rfind(':') + 1);
  if (expected.empty() || name == expected) return ok_status();
  return Error{.kind = ErrorKind::corrupt,
               .message = "the body is a <" + std::string(name.substr(0, 100)) + ">, not a <" +
                          std::string(expected) + ">"};
}

/// `root_name`: of a result in elements; empty: any will do.
Status read_body(const Shape& shape, std::string_view body, void* structure, bool strict,
                 Dialect dialect, std::string_view root_name = {}) {
  for (const Member& member : shape.members) {
    const bool payload = member.wire.place == Place::payload;
    if (member.wire.place == Place::raw_body) {
      *static_cast<std::string*>(member.access->value(member.field(structure))) = body;
      return ok_status();
    }
    if (!payload && member.wire.place != Place::root_text) continue;
    if (body.empty()) {
      if (member.required && strict) return error("MissingRequestBodyError");
      return ok_status();
    }
    CAIRN_TRY(const XmlElement root, parse_xml(body));
    if (strict && root.name != member.wire.name) return error("MalformedXML");
    if (payload) CAIRN_CHECK(check_root(root, member.wire.name));
    if (!payload && root.text.empty()) return ok_status();
    void* value = member.access->value(member.field(structure));
    if (payload)
      return read_elements(root, member.shape(), value, {.strict = strict, .dialect = dialect});
    value_from_text(member, root.text, value);
    return ok_status();
  }
  const bool has_elements =
      std::any_of(shape.members.begin(), shape.members.end(),
                  [](const Member& m) { return m.wire.place == Place::element; });
  if (!has_elements || body.empty()) return ok_status();
  CAIRN_TRY(const XmlElement root, parse_xml(body));
  CAIRN_CHECK(check_root(root, root_name));
  const bool url_coded =
      shape.find("encoding_type") != nullptr && root.text_of("EncodingType") == "url";
  return read_elements(root, shape, structure,
                       {.url_coded = url_coded, .strict = strict, .dialect = dialect});
}

// The only bodies that are no XML are policies.
std::string_view body_type(const Shape& shape) {
  for (const Member& member : shape.members)
    if (member.wire.place == Place::raw_body) return "application/json";
  return "application/xml";
}

std::string* text_field(const Member& member, void* structure) {
  return static_cast<std::string*>(member.access->value(member.field(structure)));
}

Status check_required(const Member& member, const RequestView& request, Dialect dialect) {
  if (!member.required || !on_head(member)) return ok_status();
  const bool there = member.wire.place == Place::header
                         ? request.headers.has(header_name(member.wire.name, dialect))
                         : std::any_of(request.query.begin(), request.query.end(),
                                       [&](const auto& p) { return p.first == member.wire.name; });
  if (there) return ok_status();
  if (member.wire.place == Place::query) return bad_argument(member, "");
  return error("MissingSecurityHeader")
      .with_detail("MissingHeaderName", std::string(member.wire.name));
}

}  // namespace

std::string text_of_value(const Member& member, const void* value) {
  switch (member.type) {
    case Type::text:
    case Type::text_list:
      return *static_cast<const std::string*>(value);
    case Type::integer:
      return std::to_string(*static_cast<const std::int64_t*>(value));
    case Type::boolean:
      return *static_cast<const bool*>(value) ? "true" : "false";
    case Type::time: {
      const std::int64_t ms = static_cast<const Time*>(value)->unix_ms;
      const bool rfc = member.wire.place == Place::header && !member.wire.iso_time;
      return rfc ? format_http_date(ms) : format_iso8601(ms);
    }
    case Type::text_map:
    case Type::structure:
    case Type::structure_list:
      break;
  }
  return {};
}

bool value_from_text(const Member& member, std::string_view text, void* value) {
  switch (member.type) {
    case Type::text:
    case Type::text_list:
      *static_cast<std::string*>(value) = text;
      return true;
    case Type::integer: {
      const auto number = parse_number<std::int64_t>(text);
      if (number) *static_cast<std::int64_t*>(value) = *number;
      return number.has_value();
    }
    case Type::boolean: {
      const bool yes = equals_ignore_case(text, "true") || text == "1";
      *static_cast<bool*>(value) = yes;
      return yes || equals_ignore_case(text, "false") || text == "0";
    }
    case Type::time: {
      auto ms = parse_http_date(text);
      if (!ms) ms = parse_iso8601(text);
      if (!ms) ms = parse_basic_iso8601(text);
      if (ms) static_cast<Time*>(value)->unix_ms = *ms;
      return ms.has_value();
    }
    case Type::text_map:
    case Type::structure:
    case Type::structure_list:
      break;
  }
  return false;
}

std::string encode_listed(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '*' || c == '/';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

RequestParts write_request(const Operation& operation, const void* input, Dialect dialect) {
  RequestParts parts;
  parts.method = operation.method;
  parts.path = operation.path;
  const std::string_view marker = operation.marker.substr(0, operation.marker.find(' '));
  const Shape& shape = operation.input();
  for (const Member& member : shape.members) {
    void* field = field_of(member, input);
    if (!member.access->has(field)) continue;
    if (member.wire.place == Place::bucket) parts.bucket = head_text(member, field, dialect);
    if (member.wire.place == Place::key) parts.key = head_text(member, field, dialect);
    if (member.wire.place == Place::query)
      parts.query.emplace_back(member.wire.name, head_text(member, field, dialect));
  }
  if (const std::size_t at = parts.path.find("{name}"); at != std::string::npos)
    parts.path.replace(at, 6, percent_encode(std::exchange(parts.key, {})));
  const bool is_field =
      std::any_of(shape.members.begin(), shape.members.end(),
                  [&](const Member& m) { return m.wire.name == marker && on_head(m); });
  if (!marker.empty() && !marker.ends_with(':') && !is_field) {
    const std::size_t equals = marker.find('=');
    parts.query.emplace_back(marker.substr(0, equals), equals == std::string_view::npos
                                                           ? std::string_view()
                                                           : marker.substr(equals + 1));
  }
  write_headers(shape, input, dialect, parts.headers);
  parts.body = write_body(operation, shape, input, {}, dialect);
  if (!parts.body.empty()) parts.headers.set("Content-Type", body_type(shape));
  return parts;
}

Status read_request(const Operation& operation, const RequestView& request, void* input,
                    Dialect dialect) {
  const Shape& shape = operation.input();
  for (const Member& member : shape.members) {
    if (member.wire.place == Place::bucket) *text_field(member, input) = request.bucket;
    if (member.wire.place == Place::key) *text_field(member, input) = request.key;
    CAIRN_CHECK(check_required(member, request, dialect));
    if (member.wire.place != Place::query) continue;
    for (const auto& [name, value] : request.query) {
      if (name != member.wire.name) continue;
      CAIRN_CHECK(read_head_value(member, value, input, true, dialect));
      break;
    }
  }
  CAIRN_CHECK(read_headers(shape, request.headers, input, true, dialect));
  return read_body(shape, request.body, input, true, dialect);
}

ReplyParts write_reply(const Operation& operation, const void* output, Dialect dialect,
                       const PreparedElements* prepared) {
  ReplyParts parts;
  parts.status = operation.status;
  write_headers(operation.output(), output, dialect, parts.headers);
  parts.body = write_body(operation, operation.output(), output, operation.root, dialect, prepared);
  if (!parts.body.empty()) parts.headers.set("Content-Type", body_type(operation.output()));
  return parts;
}

Status read_reply(const Operation& operation, const ReplyParts& parts, void* output,
                  Dialect dialect) {
  CAIRN_CHECK(read_headers(operation.output(), parts.headers, output, false, dialect));
  if (operation.stream_out || operation.method == "HEAD") return ok_status();
  auto read = read_body(operation.output(), parts.body, output, false, dialect, operation.root);
  if (!read.ok()) {
    Error fault = std::move(read).error();
    fault.kind = ErrorKind::corrupt;
    return with_context(std::move(fault), "reading the reply of " + std::string(operation.name));
  }
  return ok_status();
}

}  // namespace cairn::s3
