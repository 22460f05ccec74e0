// SPDX-License-Identifier: Apache-2.0
#include "format/xml_walk.h"

#include <pugixml.hpp>

namespace cairn {

struct XmlTagOfNode {
  static XmlTag tag(const pugi::xml_node& node) { return XmlTag(&node); }
  static const pugi::xml_node& node(const XmlTag& tag) {
    return *static_cast<const pugi::xml_node*>(tag.node_);
  }
};

namespace {

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// True where the children of the node are to be shown next.
bool show(const pugi::xml_node& node, XmlVisitor& visitor) {
  if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
    visitor.text(node.value());
    return false;
  }
  if (node.type() != pugi::node_element) return false;
  const bool inside = visitor.open(XmlTagOfNode::tag(node));
  if (inside && node.first_child()) return true;
  visitor.close(local_name(node.name()));
  return false;
}

}  // namespace

std::string_view XmlTag::name() const { return local_name(XmlTagOfNode::node(*this).name()); }

std::string_view XmlTag::attribute(std::string_view name) const {
  for (const pugi::xml_attribute& one : XmlTagOfNode::node(*this).attributes())
    if (local_name(one.name()) == name) return one.value();
  return {};
}

Status walk_xml(std::string text, XmlVisitor& visitor) {
  constexpr unsigned flags = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol |
                             pugi::parse_wconv_attribute | pugi::parse_ws_pcdata;
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer_inplace(text.data(), text.size(), flags);
  if (!parsed)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = std::string("the XML is not well-formed: ") + parsed.description()};
  pugi::xml_node node = document.first_child();
  while (node) {
    if (show(node, visitor)) {
      node = node.first_child();
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      if (node.type() == pugi::node_element) visitor.close(local_name(node.name()));
    }
    node = node.next_sibling();
  }
  return ok_status();
}

}  // namespace cairn
