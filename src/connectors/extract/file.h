// SPDX-License-Identifier: Apache-2.0
// A whole file of any kind to text. Runs parsers of foreign bytes: see isolation/extractor.h for
// the way that a server calls it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/extract/kinds.h"
#include "connectors/extract/text.h"

namespace cairn::connectors {

/// What is asked for of one file.
struct ExtractWishes {
  bool rows = false;  // as in ExtractOptions, and so the next
  std::string charset = {};
};

struct ExtractOptions {
  bool rows = false;  // a document of each row of a table or sheet, line of NDJSON, element of JSON
  bool attachments = true;                      // of messages are read
  std::size_t unpacked_bytes_max = 128u << 20;  // what compressed files may become
  std::size_t text_bytes_max = 32u << 20;       // of all that is given back
  // The encoding that whoever sent the file says; it counts before that of a page. Empty: nobody
  // did.
  std::string charset = {};
};

/// A part of a file that is a document: a row of a table, a message of a mailbox.
struct ExtractedRow {
  std::string fields_json;  // an object
  std::string body;         // all its cells
  std::string title = {};   // empty where the fields have it, or nothing does
  std::string label = {};   // which part of the file ("message 3"); empty: the row of its place
};

/// A file inside the file that another program has to read.
struct EnclosedFile {
  std::string name;
  std::string bytes;
  std::size_t row = 0;  // in which of `rows`, from 1 on; 0: in none of them
};

struct ExtractedFile {
  std::string title = {};  // empty where the file names none
  std::string body = {};
  std::string fields_json = {};             // an object, where the kind has fields; else empty
  std::vector<ExtractedRow> rows = {};      // messages; with `rows`, of each kind that has some
  std::vector<EnclosedFile> enclosed = {};  // PDFs
};

/// The body, and after it those of the rows, for who wants one text.
std::string whole_text(ExtractedFile file);

/// The text of a file by the name it has; files of no known name are looked at. gzip-compressed
/// ones are unpacked first. A PDF is given back as an enclosed file. Any bytes end in time that is
/// linear in what they unpack to. Errors: unsupported: no text inside, or encrypted;
/// invalid_argument: damaged; too_large: over a bound of the options.
Result<ExtractedFile> extract_file(std::string_view name, std::string_view bytes,
                                   const ExtractOptions& options = {});

}  // namespace cairn::connectors
