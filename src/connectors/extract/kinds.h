// SPDX-License-Identifier: Apache-2.0
// What kind of text a file holds, by its name and by its first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::connectors {

enum class FileKind {
  unknown,  // the name does not tell; the bytes may
  plain,
  code,  // programs, settings, data: text in which each blank counts
  markdown,
  html,
  manual_page,
  restructured_text,
  latex,
  rtf,
  xml,
  email,
  mailbox,
  json,
  json_lines,
  table,  // cells between commas, semicolons or tabs
  word,
  slides,
  sheets,
  open_document,
  book,
  pdf,
};

/// What a name says: a kind to read, or why the file is not read.
struct NamedKind {
  FileKind kind = FileKind::unknown;
  std::string_view skipped = {};  // "an image", …; empty: it is read
};

/// By the end of the name, without a .gz there.
NamedKind kind_by_name(std::string_view file_name);

/// For bytes whose name does not tell: what they begin with, else plain text.
FileKind kind_by_bytes(std::string_view bytes);

/// The name after the last slash, without a .gz at its end.
std::string_view base_name(std::string_view path);

}  // namespace cairn::connectors
