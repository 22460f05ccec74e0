// SPDX-License-Identifier: Apache-2.0
#include "s3/xml_body.h"

#include "base/encode.h"
#include "base/strings.h"
#include "s3/errors.h"
#include "s3/wire.h"

namespace cairn::s3 {
namespace {

void* field_of(const Member& member, const void* structure) {
  return member.field(const_cast<void*>(structure));  // NOLINT: read only from here on
}

Error malformed(const Member& member, XmlCoding coding) {
  if (coding.strict) return error("MalformedXML");
  return Error{.kind = ErrorKind::corrupt,
               .message = "the reply's element " + std::string(member.wire.name) +
                          " is missing or malformed"};
}

void write_value(XmlWriter& out, const Member& member, const void* value, XmlCoding coding) {
  if (member.shape != nullptr) {
    out.open(member.wire.name);
    write_elements(out, member.shape(), value, coding);
    out.close(member.wire.name);
    return;
  }
  const std::string text = text_of_value(member, value);
  out.text_element(member.wire.name,
                   member.wire.url_coded && coding.url_coded ? encode_listed(text) : text);
}

void write_list(XmlWriter& out, const Member& member, void* field, XmlCoding coding) {
  const bool wrapped = !member.wire.outer.empty();
  const std::size_t count = member.access->size(field);
  if (count == 0 && !(wrapped && member.required)) return;
  if (wrapped) out.open(member.wire.outer);
  for (std::size_t i = 0; i < count; ++i)
    write_value(out, member, member.access->at(field, i), coding);
  if (wrapped) out.close(member.wire.outer);
}

Status read_value(const XmlElement& element, const Member& member, void* value, XmlCoding coding) {
  if (member.shape != nullptr) return read_elements(element, member.shape(), value, coding);
  std::string text = element.text;
  if (member.type != Type::text && member.type != Type::text_list) text = trim(text);
  if (member.wire.url_coded && coding.url_coded) {
    auto decoded = percent_decode(text, true);
    if (!decoded) return malformed(member, coding);
    text = std::move(*decoded);
  }
  if (!value_from_text(member, text, value)) return malformed(member, coding);
  return ok_status();
}

Status read_list(const XmlElement& parent, const Member& member, void* field, XmlCoding coding) {
  const XmlElement* list = &parent;
  if (!member.wire.outer.empty()) list = parent.child(member.wire.outer);
  if (list == nullptr) {
    if (member.required && coding.strict) return malformed(member, coding);
    return ok_status();
  }
  for (const XmlElement& child : list->children)
    if (child.name == member.wire.name)
      CAIRN_CHECK(read_value(child, member, member.access->append(field), coding));
  if (member.required && coding.strict && member.access->size(field) == 0)
    return malformed(member, coding);
  return ok_status();
}

}  // namespace

void write_elements(XmlWriter& out, const Shape& shape, const void* structure, XmlCoding coding) {
  for (const Member& member : shape.members) {
    if (member.wire.place != Place::element) continue;
    void* field = field_of(member, structure);
    if (member.access->size != nullptr) {
      write_list(out, member, field, coding);
    } else if (member.access->has(field)) {
      write_value(out, member, member.access->value(field), coding);
    }
  }
}

Status read_elements(const XmlElement& element, const Shape& shape, void* structure,
                     XmlCoding coding) {
  for (const Member& member : shape.members) {
    if (member.wire.place != Place::element) continue;
    void* field = member.field(structure);
    if (member.access->size != nullptr) {
      CAIRN_CHECK(read_list(element, member, field, coding));
      continue;
    }
    const XmlElement* child = element.child(member.wire.name);
    if (child == nullptr) {
      if (member.required && coding.strict) return malformed(member, coding);
      continue;
    }
    CAIRN_CHECK(read_value(*child, member, member.access->value(field), coding));
  }
  return ok_status();
}

}  // namespace cairn::s3
