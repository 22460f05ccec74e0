// SPDX-License-Identifier: Apache-2.0
// PDF to text by poppler's pdftotext, a program beside this one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "connectors/isolation/extractor.h"

namespace cairn::connectors {

/// Title and text of a PDF. The program runs in a process that may read what is installed below
/// /usr and nothing else, writes to one pipe, and has the bounds of `options`. Safe from any
/// thread. Errors: as Extractor::extract; unsupported where `options` have no program.
Result<ExtractedFile> pdf_text(std::string_view bytes, const ExtractorOptions& options,
                               const os::Deadline& deadline);

/// What `pdftotext -htmlmeta` printed, without its marks.
ExtractedFile text_of_html_meta(std::string_view printed);

}  // namespace cairn::connectors
