// SPDX-License-Identifier: Apache-2.0
// Documents in memory on their way to a segment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "index/segment/column.h"
#include "index/document/document.h"
#include "index/segment/segment_out.h"
#include "index/segment/stored.h"

namespace cairn::index {

/// Terms of one field in order of arrival: a table from bytes to a number.
class TermTable {
 public:
  TermTable();
  std::uint32_t add(std::string_view term);
  std::size_t size() const { return starts_.size() - 1; }
  std::string_view term(std::uint32_t id) const {
    return std::string_view(bytes_).substr(starts_[id], starts_[id + 1] - starts_[id]);
  }
  std::vector<std::uint32_t> sorted() const;  // ids by bytes of their terms
  std::size_t memory_bytes() const;

 private:
  void grow();
  std::string bytes_;
  std::vector<std::uint32_t> starts_{0};
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // id + 1; 0: free
};

/// Not safe from two threads at a time.
class SegmentBuilder {
 public:
  SegmentBuilder();
  ~SegmentBuilder();

  /// Takes a document; gives its number. `semantic` of the document is moved from.
  std::uint32_t add(ParsedDocument&& doc, std::int64_t version, std::int64_t seq_no);

  /// Takes values of a document that comes without a source, for columns alone; documents ascend.
  /// Such a builder takes no other ones. `fields` is moved from.
  void add_values(const std::shared_ptr<const Mapping>& mapping, std::vector<FieldValues>& fields,
                  std::uint32_t doc) {
    add_fields(mapping, fields, doc);
  }
  /// Writes them as a segment of so many documents.
  Status write_values(SegmentOut& out, std::uint32_t doc_count);

  std::uint32_t doc_count() const { return doc_count_; }
  std::size_t memory_bytes() const { return memory_; }
  /// The source of a document that was added.
  Result<std::string> source(std::uint32_t doc) const;
  /// The names of its fields whose value was left out.
  std::vector<std::string> ignored(std::uint32_t doc) const;
  /// What it was written with; empty: nothing.
  std::string routing(std::uint32_t doc) const;

  /// Nothing may be added afterwards; source() still works.
  void close();
  /// Writes the segment. After close().
  Status write(SegmentOut& out) const;

  struct FieldBuilder;

 private:
  FieldBuilder& field(const Field& field);
  /// The objects of one nested field so far, as documents of their own.
  struct NestedBuilder {
    std::unique_ptr<SegmentBuilder> objects;
    std::vector<std::uint32_t> parents;  // of each object
  };

  FieldBuilder& known_field(const std::shared_ptr<const Mapping>& mapping, const Field& field);
  void add_fields(const std::shared_ptr<const Mapping>& mapping, std::vector<FieldValues>& fields,
                  std::uint32_t doc);
  void add_nested(const std::shared_ptr<const Mapping>& mapping, std::vector<NestedObject>& objects,
                  std::uint32_t doc);
  Status write_fields(SegmentOut& out) const;
  Status write_nested(SegmentOut& out) const;
  void add_text(FieldBuilder& to, const FieldValues& values, std::uint32_t doc);
  void add_exact(FieldBuilder& to, std::vector<std::string>& terms, std::uint32_t doc);
  void add_semantic(FieldBuilder& to, const SemanticValue& value, std::uint32_t doc);

  std::map<std::string, std::unique_ptr<FieldBuilder>, std::less<>> fields_;
  std::unique_ptr<FieldBuilder> names_;  // which fields each document has
  std::map<std::string, NestedBuilder, std::less<>> nested_;  // by the path of the field
  // By the fields of the last document's mapping, which is kept so that none takes another's place.
  std::unordered_map<const Field*, FieldBuilder*> known_fields_;
  std::shared_ptr<const Mapping> known_mapping_;
  std::uint32_t doc_count_ = 0;
  std::size_t memory_ = 0;
  std::string stored_;
  StoredWriter sources_;
  std::string stored_blocks_;  // once closed
  std::vector<std::string> ids_;
  std::unordered_map<std::uint32_t, std::vector<std::string>> ignored_;  // of few documents
  std::unordered_map<std::uint32_t, std::string> routing_;               // of those that have one
  ColumnWriter versions_, seq_nos_;
  std::int64_t min_seq_no_ = INT64_MAX, max_seq_no_ = -1;
};

/// The field whose terms are the names of the fields that a document has.
inline constexpr std::string_view field_names_field = "_field_names";

}  // namespace cairn::index
