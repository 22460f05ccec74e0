// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/file.h"

#include "base/compress.h"
#include "base/strings.h"
#include "connectors/extract/readers.h"
#include "text/encoding.h"

namespace cairn::connectors {
namespace {

ExtractedFile file_of(ExtractedText text) {
  return {.title = std::move(text.title), .body = std::move(text.body)};
}

Error no_text() { return {.kind = ErrorKind::unsupported, .message = "it holds no text"}; }

/// What a page says about its own encoding, near its beginning.
std::string_view charset_of_page(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 2048);
  std::size_t at = head.find("charset=");
  if (at == std::string_view::npos) return {};
  at += 8;
  while (at < head.size() && (head[at] == '"' || head[at] == '\'')) ++at;
  return head.substr(at, head.substr(at).find_first_of("\"' />;\r\n"));
}

Result<ExtractedFile> extract_bytes(FileKind kind, std::string_view bytes,
                                    const ExtractOptions& options) {
  switch (kind) {
    case FileKind::rtf:
      return extract_rtf(bytes);
    case FileKind::xml:
      return extract_xml(bytes);
    case FileKind::email:
      return extract_email(bytes, options);
    case FileKind::mailbox:
      return extract_mailbox(bytes, options);
    case FileKind::word:
      return extract_word(bytes, options);
    case FileKind::slides:
      return extract_slides(bytes, options);
    case FileKind::sheets:
      return extract_sheets(bytes, options);
    case FileKind::open_document:
      return extract_open_document(bytes, options);
    case FileKind::book:
      return extract_book(bytes, options);
    default:
      return no_text();
  }
}

ExtractedFile extract_utf8(FileKind kind, std::string text, const ExtractOptions& options) {
  switch (kind) {
    case FileKind::markdown:
      return file_of(extract_markdown(text));
    case FileKind::html:
      return file_of(extract_html(text));
    case FileKind::manual_page:
      return file_of(extract_manual_page(text));
    case FileKind::restructured_text:
      return extract_restructured_text(text);
    case FileKind::latex:
      return extract_latex(text);
    case FileKind::json:
      return extract_json(text, options);
    case FileKind::json_lines:
      return extract_json_lines(text, options);
    case FileKind::table:
      return extract_table(text, options);
    case FileKind::code:
      return {.title = {}, .body = std::move(text)};
    default:
      return file_of(*extract_text(TextKind::plain, text));
  }
}

bool is_read_as_text(FileKind kind) {
  switch (kind) {
    case FileKind::plain:
    case FileKind::code:
    case FileKind::markdown:
    case FileKind::html:
    case FileKind::manual_page:
    case FileKind::restructured_text:
    case FileKind::latex:
    case FileKind::json:
    case FileKind::json_lines:
    case FileKind::table:
      return true;
    default:
      return false;
  }
}

Result<ExtractedFile> extract_kind(FileKind kind, std::string_view bytes,
                                   const ExtractOptions& options) {
  if (!is_read_as_text(kind)) {
    auto out = extract_bytes(kind, bytes, options);
    // XML and messages without the marks of their kind are texts all the same.
    const bool lenient = kind == FileKind::xml || kind == FileKind::mailbox;
    if (out.ok() || !lenient || out.error().kind != ErrorKind::invalid_argument) return out;
    kind = FileKind::plain;
  }
  std::string_view likely = options.charset;
  if (likely.empty() && kind == FileKind::html) likely = charset_of_page(bytes);
  auto text = text::any_encoding(bytes, likely);
  if (!text) return no_text();
  return extract_utf8(kind, *std::move(text), options);
}

}  // namespace

std::string whole_text(ExtractedFile file) {
  std::string out = std::move(file.body);
  for (const ExtractedRow& row : file.rows) {
    if (!row.title.empty()) (out += row.title) += '\n';
    (out += row.body) += '\n';
  }
  return out;
}

Result<ExtractedFile> extract_file(std::string_view name, std::string_view bytes,
                                   const ExtractOptions& options) {
  const NamedKind named = kind_by_name(name);
  if (!named.skipped.empty())
    return Error{.kind = ErrorKind::unsupported, .message = "it is " + std::string(named.skipped)};
  std::string unpacked;
  if (bytes.starts_with("\x1f\x8b")) {
    CAIRN_TRY(unpacked, gunzip(bytes, options.unpacked_bytes_max));
    bytes = unpacked;
  }
  const FileKind kind = named.kind == FileKind::unknown ? kind_by_bytes(bytes) : named.kind;
  if (kind == FileKind::pdf)
    return ExtractedFile{.enclosed = {{std::string(base_name(name)), std::string(bytes)}}};
  CAIRN_TRY(ExtractedFile out, extract_kind(kind, bytes, options));
  if (out.body.size() > options.text_bytes_max)
    return Error{.kind = ErrorKind::too_large,
                 .message = "it holds more text than is taken of one file"};
  return out;
}

}  // namespace cairn::connectors
