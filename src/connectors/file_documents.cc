// SPDX-License-Identifier: Apache-2.0
#include "connectors/file_documents.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "connectors/extract/kinds.h"

namespace cairn::connectors {
namespace {

/// A part as a document: its own title where it has one, else which part of which file it is.
Status give_row(std::string_view name, std::size_t number, ExtractedRow row, DocumentSink& sink) {
  CAIRN_TRY(Json fields, parse_json(row.fields_json));
  std::string title = std::move(row.title);
  if (row.label.empty()) row.label = "row " + std::to_string(number);
  for (const auto* member : {"title", "name"})
    if (title.empty()) title = fields.string_or(member);
  if (title.empty()) title = std::string(name) + ", " + row.label;
  return sink.add({.title = std::move(title),
                   .body = std::move(row.body),
                   .fields = std::move(fields),
                   .part = std::move(row.label)});
}

}  // namespace

std::string_view why_skipped(std::string_view path) { return kind_by_name(path).skipped; }

Status give_file(std::string_view path, std::string bytes, DocumentSink& sink) {
  if (!sink.wants(to_hex(sha256(bytes)).substr(0, 32))) return ok_status();
  auto file = sink.extract(path, bytes, {});
  if (!file.ok()) return with_context(std::move(file).error(), path);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  std::size_t number = 0;
  for (auto& row : file->rows) CAIRN_CHECK(give_row(name, ++number, std::move(row), sink));
  if (number > 0 && file->body.empty()) return ok_status();
  if (file->title.empty()) file->title = name;
  SourceDocument document{.title = std::move(file->title), .body = std::move(file->body)};
  if (!file->fields_json.empty()) {
    CAIRN_TRY(document.fields, parse_json(file->fields_json));
  }
  return sink.add(std::move(document));
}

}  // namespace cairn::connectors
