// SPDX-License-Identifier: Apache-2.0
// Rows of spreadsheets as documents, sheet by sheet.
#pragma once

#include <string>
#include <vector>

#include "connectors/extract/file.h"
#include "connectors/extract/zip.h"

namespace cairn::connectors {

/// Of an XLSX file whose cells refer to `shared` texts. None where no sheet has a row below its
/// first. Errors: as ZipFile::read; too_large past the text that is taken.
Result<ExtractedFile> rows_of_workbook(ZipFile& zip, const std::vector<std::string>& shared,
                                       const ExtractOptions& options);

/// Of an ODS file, in the same way; other documents of its family have none.
Result<ExtractedFile> rows_of_open_document(ZipFile& zip, const ExtractOptions& options);

}  // namespace cairn::connectors
