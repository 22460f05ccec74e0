// SPDX-License-Identifier: Apache-2.0
// A document taken apart by its mapping: what the segments will hold of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "index/mapping/mapping.h"
#include "index/mapping/values.h"
#include "text/analyzer.h"

namespace cairn::index {

/// What one document has in one field. Which members are used depends on the field's type.
struct FieldValues {
  const Field* field = nullptr;            // of ParsedDocument::mapping
  text::Tokens tokens = {};                // text: of all values
  std::vector<std::string> terms = {};     // keyword, boolean: as searched
  std::vector<std::int64_t> numbers = {};  // numbers, dates, boolean: column values
  std::vector<float> vector = {};          // dense_vector: normalised for cosine
  std::vector<std::pair<std::string, float>> weights = {};  // sparse_vector
  const SemanticValue* semantic = nullptr;                  // of the operation
};

/// An object of a nested field: a document of its own in the segments, below the one it is in.
struct NestedObject {
  const Field* field = nullptr;  // the nested one, of ParsedDocument::mapping
  std::vector<FieldValues> fields = {};
  std::vector<NestedObject> nested = {};
};

struct ParsedDocument {
  std::string id;
  std::string source;
  std::shared_ptr<const Mapping> mapping;  // what it was read with
  std::vector<FieldValues> fields;
  std::vector<NestedObject> nested;     // in the order of the source
  std::vector<SemanticValue> semantic;  // `FieldValues::semantic` points here
  Json mapping_change;  // fields that the mapping lacks: {"properties": ...}; null for none
};

/// An operation of Index::follow.
struct ParsedOperation {
  WriteOperation::Kind kind = WriteOperation::Kind::index;
  bool is_new = false;  // no document has its id: none is looked for
  ParsedDocument document = {};  // read with the mapping of the index; to remove: its id alone
};

struct DocumentLimits {
  MappingLimits mapping = {};
  std::size_t bytes = 100u << 20;
  /// What was taken once and is refused now is taken: fields of the platform's own names ("_id"),
  /// and two of one name, of which the last counts.
  bool metadata = false;
};

/// Reads a document. Where it has fields that the mapping lacks and that may be added, the mapping
/// that the document needs is in `mapping`, and the change that leads to it in `mapping_change`.
/// Errors: document_parsing_exception, strict_dynamic_mapping_exception,
/// illegal_argument_exception.
Result<ParsedDocument> parse_document(std::string_view id, std::string source,
                                      std::vector<SemanticValue> semantic,
                                      std::shared_ptr<const Mapping> mapping,
                                      const DocumentLimits& limits);

/// Adds the routing that the document was written with to its fields; none where it is empty.
/// Errors: illegal_argument_exception for one that is too long to be a term.
Status keep_routing(ParsedDocument& document, const std::string& routing);

/// Whether a document has the one time that its mapping wants.
/// Errors: document_parsing_exception.
Status check_timestamp(const ParsedDocument& document);

/// `[line:column]` of the value at a dotted path in a JSON text; "[1:1]" where it is not found.
std::string position_of(std::string_view source, std::string_view path);

}  // namespace cairn::index
