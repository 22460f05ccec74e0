// SPDX-License-Identifier: Apache-2.0
// EPUB. Source of the names: EPUB 3.3, 5 (package document) and 4 (container).
#include <charconv>
#include <map>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"
#include "text/encoding.h"

namespace cairn::connectors {
namespace {

class RootFile final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "rootfile" && path.empty()) path = tag.attribute("full-path");
    return true;
  }
  void text(std::string_view) override {}
  void close(std::string_view) override {}
  std::string path;
};

/// The order of the chapters.
class PackageDocument final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    if (name == "item")
      paths_[std::string(tag.attribute("id"))] = std::string(tag.attribute("href"));
    if (name == "itemref") order_.emplace_back(tag.attribute("idref"));
    in_title_ = name == "title" && title.empty();
    return true;
  }
  void text(std::string_view text) override {
    if (in_title_) title += text;
  }
  void close(std::string_view) override { in_title_ = false; }
  std::vector<std::string> chapters() const {
    std::vector<std::string> out;
    for (const auto& id : order_)
      if (const auto found = paths_.find(id); found != paths_.end()) out.push_back(found->second);
    return out;
  }
  std::string title;

 private:
  std::map<std::string, std::string> paths_;  // by id
  std::vector<std::string> order_;
  bool in_title_ = false;
};

std::string without_percents(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const std::string_view digits = text.substr(std::min(i + 1, text.size()), 2);
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool escaped =
        text[i] == '%' && fault == std::errc{} && digits.size() == 2 && end == digits.data() + 2;
    out += escaped ? static_cast<char>(value) : text[i];
    if (escaped) i += 2;
  }
  return out;
}

/// A reference from a member to another one, as a name in the ZIP file.
std::string member_at(std::string_view from, std::string_view reference) {
  std::vector<std::string> parts;
  for (const auto part : split(from, '/')) parts.emplace_back(part);
  parts.pop_back();
  const std::string path = without_percents(reference.substr(0, reference.find('#')));
  for (const auto part : split(path, '/')) {
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (part != "." && !part.empty()) {
      parts.emplace_back(part);
    }
  }
  return join(parts, "/");
}

}  // namespace

Result<ExtractedFile> extract_book(std::string_view bytes, const ExtractOptions& options) {
  CAIRN_TRY(ZipFile zip, ZipFile::open(bytes, options.unpacked_bytes_max));
  if (zip.has("META-INF/rights.xml"))
    return Error{.kind = ErrorKind::unsupported, .message = "it is protected against copying"};
  RootFile root;
  CAIRN_CHECK(walk_member(zip, "META-INF/container.xml", root));
  if (root.path.empty() || !zip.has(root.path))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it has no package document"};
  PackageDocument package;
  CAIRN_CHECK(walk_member(zip, root.path, package));
  ExtractedFile out;
  out.title = first_line(squeeze(package.title));
  for (const auto& chapter : package.chapters()) {
    const std::string name = member_at(root.path, chapter);
    if (!zip.has(name)) continue;
    CAIRN_TRY(const std::string page, zip.read(name));
    // Each mention of a chapter is read again, so mentions are bounded by what they unpack to.
    const auto text = text::any_encoding(page);
    if (!text) continue;
    out.body += extract_html(*text).body + "\n\n";
    if (out.body.size() > options.text_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = "it holds more text than is taken of one file"};
  }
  out.body = squeeze(out.body);
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

}  // namespace cairn::connectors
