// SPDX-License-Identifier: Apache-2.0
// One reader for each kind of file. Errors are those of extract_file.
#pragma once

#include "connectors/extract/file.h"

namespace cairn::connectors {

Result<ExtractedFile> extract_word(std::string_view bytes, const ExtractOptions& options);
Result<ExtractedFile> extract_slides(std::string_view bytes, const ExtractOptions& options);
Result<ExtractedFile> extract_sheets(std::string_view bytes, const ExtractOptions& options);
Result<ExtractedFile> extract_open_document(std::string_view bytes, const ExtractOptions& options);
Result<ExtractedFile> extract_book(std::string_view bytes, const ExtractOptions& options);
Result<ExtractedFile> extract_xml(std::string_view bytes);
Result<ExtractedFile> extract_rtf(std::string_view bytes);
/// A message with its attachments, whose own attachments are not read.
Result<ExtractedFile> extract_email(std::string_view bytes, const ExtractOptions& options);
/// Each message is a row, with what extract_email makes of it.
Result<ExtractedFile> extract_mailbox(std::string_view bytes, const ExtractOptions& options);

// The text is UTF-8.
ExtractedFile extract_restructured_text(std::string_view text);
ExtractedFile extract_latex(std::string_view text);
/// What is no JSON is text as it stands.
ExtractedFile extract_json(std::string_view text, const ExtractOptions& options);
ExtractedFile extract_json_lines(std::string_view text, const ExtractOptions& options);
ExtractedFile extract_table(std::string_view text, const ExtractOptions& options);

}  // namespace cairn::connectors
