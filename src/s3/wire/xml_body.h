// SPDX-License-Identifier: Apache-2.0
// Structures as XML elements and back, from their descriptions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/xml.h"
#include "s3/operations/shape.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

/// The attributes of a structure's element, with the namespace that they need; empty where it has
/// none.
std::string attributes_text(const Shape& shape, const void* structure);

/// Elements of one field that the caller wrote already: they stand where the field's would.
struct PreparedElements {
  std::string_view member;
  std::string text;
};

struct XmlCoding {
  bool url_coded = false;  // encodable texts are percent-encoded (encoding-type=url)
  bool strict = true;      // a request: what is missing or malformed is MalformedXML
  Dialect dialect = Dialect::aws;
  const PreparedElements* prepared = nullptr;  // of the outermost structure
};

/// Appends the elements of a structure's fields.
void write_elements(XmlWriter& out, const Shape& shape, const void* structure, XmlCoding coding);

/// Fills the fields that stand in elements from the children of `element`. Unknown ones are passed
/// over. Errors: MalformedXML where `strict`, else corrupt.
Status read_elements(const XmlElement& element, const Shape& shape, void* structure,
                     XmlCoding coding);

}  // namespace cairn::s3
