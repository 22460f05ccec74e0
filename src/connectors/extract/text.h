// SPDX-License-Identifier: Apache-2.0
// A file's bytes to a title and plain text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::connectors {

struct ExtractedText {
  std::string title;  // empty where the text names none
  std::string body;
};

enum class TextKind { plain, markdown, html, manual_page };

/// The kind that a file name stands for, without a .gz at its end; nothing for names that hold no
/// text.
std::optional<TextKind> text_kind_of(std::string_view file_name);

/// Nothing for bytes that are no text (a NUL among them). Bytes that are not UTF-8 are read as
/// Latin-1.
std::optional<ExtractedText> extract_text(TextKind kind, std::string_view bytes);

ExtractedText extract_markdown(std::string_view text);
/// Tags are dropped, blocks become lines; script, style and template content is left out.
ExtractedText extract_html(std::string_view text);
/// man(7) and mdoc(7) source to running text. Source of the rules: groff_man(7), groff_char(7),
/// mdoc(7), tbl(1).
ExtractedText extract_manual_page(std::string_view text);

/// Runs of blanks to one, three and more line ends to two.
std::string squeeze(std::string_view text);

}  // namespace cairn::connectors
