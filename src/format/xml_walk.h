// SPDX-License-Identifier: Apache-2.0
// Walking through XML in the order of the text, for documents that people write.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

/// A start tag. Valid during the call that shows it.
class XmlTag {
 public:
  std::string_view name() const;  // without its prefix
  /// The value of the first attribute with this name, whatever its prefix; empty where none is.
  std::string_view attribute(std::string_view name) const;

 private:
  friend struct XmlTagOfNode;
  explicit XmlTag(const void* node) : node_(node) {}
  const void* node_;
};

class XmlVisitor {
 public:
  virtual ~XmlVisitor() = default;
  /// False: nothing of what the element holds is shown; its end is.
  virtual bool open(const XmlTag& tag) = 0;
  virtual void text(std::string_view text) = 0;
  virtual void close(std::string_view name) = 0;  // without its prefix
};

/// Shows elements and text in order. Any encoding that XML names itself; elements of any depth, on
/// no stack. Document types are passed over and entities of theirs stay as they are written, so
/// that none grows. Memory: some times the text. Errors: invalid_argument, where it is not
/// well-formed.
Status walk_xml(std::string text, XmlVisitor& visitor);

}  // namespace cairn
