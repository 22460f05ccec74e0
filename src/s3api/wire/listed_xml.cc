// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/listed_xml.h"

#include <charconv>

#include "format/time.h"
#include "format/xml.h"
#include "s3/checksum.h"
#include "s3/wire/wire.h"
#include "s3/wire/xml_body.h"

namespace cairn::s3api {

ListedXml::ListedXml(bool url_coded, OwnerOf owner_of, std::size_t page)
    : url_coded_(url_coded), owner_of_(std::move(owner_of)), page_(page) {}

// Objects of one listing were often written in one second.
void ListedXml::add_time(std::int64_t unix_ms) {
  const std::int64_t second = unix_ms / 1000;
  if (second != second_ || time_.empty()) {
    second_ = second;
    time_ = format_iso8601(second * 1000);
  }
  text_ += time_;
}

// And belong to one account.
void ListedXml::add_owner(std::string_view id) {
  if (id != owner_id_ || owner_.empty()) {
    owner_id_ = id;
    owner_.clear();
    XmlWriter out(owner_);
    out.open("Owner");
    const s3::OwnerElement element = owner_of_(owner_id_);
    write_elements(out, s3::shape_of<s3::OwnerElement>(), &element, {});
    out.close("Owner");
  }
  text_ += owner_;
}

void ListedXml::add(const objectstore::ListedObject& object) {
  text_ += "<Contents><Key>";
  if (url_coded_)
    text_ += s3::encode_listed(object.key);  // leaves nothing to escape
  else
    append_xml_escaped(text_, object.key);
  text_ += "</Key><LastModified>";
  add_time(object.modified_ms);
  text_ += "</LastModified><ETag>&quot;";
  append_xml_escaped(text_, object.etag);
  text_ += "&quot;</ETag>";
  if (object.checksum) {
    text_ += "<ChecksumAlgorithm>";
    text_ += s3::name_of(object.checksum->algorithm);
    text_ += "</ChecksumAlgorithm><ChecksumType>";
    text_ += s3::name_of(object.checksum->type);
    text_ += "</ChecksumType>";
  }
  text_ += "<Size>";
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, object.size_bytes).ptr;
  text_.append(digits, end);
  text_ += "</Size>";
  if (owner_of_) add_owner(object.owner_id);
  text_ += "<StorageClass>";
  append_xml_escaped(text_, object.storage_class);
  text_ += "</StorageClass></Contents>";
  // The others will be about as long.
  if (++count_ == 1) text_.reserve((text_.size() + text_.size() / 8) * page_);
}

}  // namespace cairn::s3api
