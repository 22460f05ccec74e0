// SPDX-License-Identifier: Apache-2.0
// What documents that are ZIP files of XML have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "connectors/extract/zip.h"
#include "format/xml_walk.h"

namespace cairn::connectors {

/// Shows a member to the visitor; nothing where there is no such member. Errors: as ZipFile::read.
Status walk_member(ZipFile& zip, std::string_view name, XmlVisitor& visitor);

/// The title in a member with the properties of the document; empty where it has none.
std::string title_in_properties(ZipFile& zip, std::string_view name);

/// The members between `before` and `after`, with a number in between, by that number: slide1.xml,
/// slide2.xml, …, slide10.xml.
std::vector<std::string> numbered_members(const ZipFile& zip, std::string_view before,
                                          std::string_view after);

/// The first line that holds something.
std::string first_line(std::string_view text);

}  // namespace cairn::connectors
