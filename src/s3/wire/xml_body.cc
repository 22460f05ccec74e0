// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/xml_body.h"

#include <algorithm>

#include "base/encode.h"
#include "base/strings.h"
#include "s3/errors.h"
#include "s3/wire/wire.h"

namespace cairn::s3 {
namespace {

Error malformed(const Member& member, XmlCoding coding) {
  if (coding.strict) return error("MalformedXML");
  return Error{.kind = ErrorKind::corrupt,
               .message = "the reply's element " + std::string(member.wire.name) +
                          " is missing or malformed"};
}

// Values such as aws:kms have a spelling in each dialect, and so have names of keys and buckets.
bool has_spellings(const Member& member) {
  return member.wire.values != nullptr || member.wire.name == "KMSMasterKeyID" ||
         member.wire.name == "BucketArn";
}

bool is_allowed(const Member& member, const std::string& text) {
  const Values* values = member.wire.values;
  return values == nullptr ||
         std::find(values->allowed.begin(), values->allowed.end(), text) != values->allowed.end();
}

const Member* own_name_of(const Shape& shape) {
  for (const Member& member : shape.members)
    if (member.wire.place == Place::own_name) return &member;
  return nullptr;
}

std::string_view element_name(const Member& member, void* value) {
  const Member* other = own_name_of(member.shape());
  if (other == nullptr || !*static_cast<const bool*>(other->field(value))) return member.wire.name;
  return other->wire.name;
}

void write_value(XmlWriter& out, const Member& member, void* value, XmlCoding coding) {
  if (member.shape != nullptr) {
    const std::string_view name = element_name(member, value);
    out.open(name, attributes_text(member.shape(), value));
    coding.prepared = nullptr;
    write_elements(out, member.shape(), value, coding);
    out.close(name);
    return;
  }
  const bool url_coded = member.wire.url_coded && coding.url_coded;
  if (member.type == Type::text && !url_coded && !has_spellings(member)) {  // without a copy
    out.text_element(member.wire.name, *static_cast<const std::string*>(value));
    return;
  }
  std::string text = text_of_value(member, value);
  if (has_spellings(member)) text = value_name(text, coding.dialect);
  out.text_element(member.wire.name, url_coded ? encode_listed(text) : text);
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

// A text of an element or attribute into its field.
Status read_text(std::string text, const Member& member, void* value, XmlCoding coding) {
  if (member.type != Type::text && member.type != Type::text_list) text = trim(text);
  if (member.wire.url_coded && coding.url_coded) {
    auto decoded = percent_decode(text, true);
    if (!decoded) return malformed(member, coding);
    text = std::move(*decoded);
  }
  if (has_spellings(member)) text = value_from_wire(text, coding.dialect);
  if (coding.strict && !is_allowed(member, text)) return malformed(member, coding);
  if (!value_from_text(member, text, value)) return malformed(member, coding);
  return ok_status();
}

Status read_value(const XmlElement& element, const Member& member, void* value, XmlCoding coding) {
  if (member.shape != nullptr) return read_elements(element, member.shape(), value, coding);
  return read_text(element.text, member, value, coding);
}

Status read_list(const XmlElement& parent, const Member& member, void* field, XmlCoding coding) {
  const XmlElement* list = &parent;
  if (!member.wire.outer.empty()) list = parent.child(member.wire.outer);
  if (list == nullptr) {
    if (member.required && coding.strict) return malformed(member, coding);
    return ok_status();
  }
  const Member* other = member.shape != nullptr ? own_name_of(member.shape()) : nullptr;
  for (const XmlElement& child : list->children)
    if (child.name == member.wire.name || (other != nullptr && child.name == other->wire.name))
      CAIRN_CHECK(read_value(child, member, member.access->append(field), coding));
  if (member.required && !member.wire.may_be_empty && coding.strict &&
      member.access->size(field) == 0)
    return malformed(member, coding);
  return ok_status();
}

// "type" of `xsi:type`: which prefix a document chose is its own affair.
std::string_view local_name(std::string_view name) { return name.substr(name.rfind(':') + 1); }

Status read_attribute(const XmlElement& element, const Member& member, void* structure,
                      XmlCoding coding) {
  for (const auto& [name, text] : element.attributes)
    if (local_name(name) == local_name(member.wire.name))
      return read_text(text, member, member.access->value(member.field(structure)), coding);
  if (member.required && coding.strict) return malformed(member, coding);
  return ok_status();
}

}  // namespace

std::string attributes_text(const Shape& shape, const void* structure) {
  std::string out;
  for (const Member& member : shape.members) {
    if (member.wire.place != Place::attribute) continue;
    void* field = field_of(member, structure);
    if (!member.access->has(field)) continue;
    if (out.empty() && member.wire.name.starts_with("xsi:"))
      out += "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    if (!out.empty()) out += ' ';
    (out += member.wire.name) += "=\"";
    append_xml_escaped(out, text_of_value(member, member.access->value(field)));
    out += '"';
  }
  return out;
}

void write_elements(XmlWriter& out, const Shape& shape, const void* structure, XmlCoding coding) {
  for (const Member& member : shape.members) {
    if (member.wire.place != Place::element) continue;
    if (coding.prepared != nullptr && coding.prepared->member == member.name) {
      out.raw(coding.prepared->text);
      continue;
    }
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
    if (member.wire.place == Place::attribute)
      CAIRN_CHECK(read_attribute(element, member, structure, coding));
    if (member.wire.place == Place::own_name)
      *static_cast<bool*>(member.field(structure)) = element.name == member.wire.name;
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
