// SPDX-License-Identifier: Apache-2.0
// ODT, ODS, ODP. Source of the names: OpenDocument 1.3 part 3.
#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"
#include "connectors/extract/sheet_rows.h"

namespace cairn::connectors {
namespace {

class OpenDocumentText final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    if (name == "tracked-changes" || name == "scripts" || name == "font-face-decls" ||
        name == "automatic-styles" || name == "styles" || name == "settings")
      return false;
    if (name == "table-cell") ++in_cell_;
    if (name == "h" && title.empty()) heading_ = out.size();
    if (name == "tab" || name == "s") out += ' ';
    if (name == "line-break") out += '\n';
    return true;
  }
  void text(std::string_view text) override { out += text; }
  void close(std::string_view name) override {
    if (name == "h" && title.empty())
      title = first_line(std::string_view(out).substr(std::min(heading_, out.size())));
    if (name == "p" || name == "h") out += in_cell_ > 0 ? ' ' : '\n';
    if (name == "table-cell") --in_cell_, out += '\t';
    if (name == "table-row" || name == "page") out += '\n';
  }
  std::string out;
  std::string title;  // the first heading

 private:
  int in_cell_ = 0;
  std::size_t heading_ = 0;
};

}  // namespace

Result<ExtractedFile> extract_open_document(std::string_view bytes, const ExtractOptions& options) {
  CAIRN_TRY(ZipFile zip, ZipFile::open(bytes, options.unpacked_bytes_max));
  if (!zip.has("content.xml"))
    return Error{.kind = ErrorKind::invalid_argument, .message = "it has no content.xml"};
  if (zip.has("META-INF/manifest.xml")) {
    CAIRN_TRY(const std::string manifest, zip.read("META-INF/manifest.xml"));
    if (manifest.find("encryption-data") != std::string::npos)
      return Error{.kind = ErrorKind::unsupported, .message = "it is encrypted with a password"};
  }
  if (options.rows) {
    CAIRN_TRY(ExtractedFile table, rows_of_open_document(zip, options));
    if (!table.rows.empty()) return table;
  }
  OpenDocumentText text;
  CAIRN_CHECK(walk_member(zip, "content.xml", text));
  ExtractedFile out;
  out.body = squeeze(text.out);
  out.title = title_in_properties(zip, "meta.xml");
  if (out.title.empty()) out.title = text.title;
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

}  // namespace cairn::connectors
