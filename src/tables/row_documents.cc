// SPDX-License-Identifier: Apache-2.0
#include "tables/row_documents.h"

#include <map>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/json.h"
#include "format/time.h"
#include "s3api/tables/table_rows.h"
#include "tables/table_fields.h"

namespace cairn::tables {
namespace {

using Pairs = std::map<std::string, std::string>;

constexpr std::string_view tag_list = "object_tag_list";
constexpr std::string_view metadata_list = "user_metadata_list";
constexpr std::size_t usual_source_bytes = 768;

// Keys are longer than ids may be, and have any bytes.
std::string version_document_id(const s3::Object& object) {
  return to_base64url(sha256(object.key + '\0' + object.version_id));
}

bool has_body(const objectstore::JournalRecord& record) {
  return !record.gone && !record.object.delete_marker;
}

Json list_of(const Pairs& pairs) {
  Json out = Json::array();
  for (const auto& [name, value] : pairs) out.push(name + "=" + value);
  return out;
}

}  // namespace

// The source and the values of the fields in one pass. Values that are not taken as they are, which
// are rare, are left to parse_document: is_plain() says so.
class DocumentColumns final : public s3api::RowColumns {
 public:
  DocumentColumns(RowDocuments& of, index::ParsedDocument& to)
      : of_(of), to_(to), source_(to.source) {
    of_.next_column_ = 0;
    source_.clear();
    source_.reserve(usual_source_bytes);
    to_.fields.reserve(of_.columns_.size());
  }

  bool is_plain() const { return plain_; }
  void end() {
    source_ += '}';
    to_.fields.resize(filled_);
  }

  void null(std::string_view name) override {
    begin(name);
    source_ += "null";
  }
  void text(std::string_view name, std::string_view value) override {
    index::FieldValues& to = begin_values(name);
    append_json_string(source_, value);
    check(value);
    to.terms.emplace_back(value);
  }
  void number(std::string_view name, std::uint64_t value) override {
    index::FieldValues& to = begin_values(name);
    source_ += std::to_string(value);
    plain_ &= value <= INT64_MAX;
    to.numbers.push_back(static_cast<std::int64_t>(value));
  }
  void boolean(std::string_view name, bool value) override {
    index::FieldValues& to = begin_values(name);
    source_ += value ? "true" : "false";
    to.numbers.push_back(value ? 1 : 0);
    to.terms.emplace_back(value ? "T" : "F");
  }
  void time(std::string_view name, std::int64_t unix_ms) override {
    index::FieldValues& to = begin_values(name);
    append_json_string(source_, format_iso8601(unix_ms));
    to.numbers.push_back(unix_ms);
  }
  // Shown as it is; what is searched is its list.
  void map(std::string_view name, const Pairs& value) override {
    begin(name);
    JsonWriter out(source_);
    out.begin_object();
    for (const auto& [key, text] : value) out.key(key).string(text);
    out.end_object();
  }
  void lists(const objectstore::JournalRecord& record) {
    const Pairs none;
    const bool body = has_body(record);
    list(tag_list, body ? record.object.tags : none);
    list(metadata_list, body ? record.object.attributes.metadata : none);
  }

 private:
  void list(std::string_view name, const Pairs& pairs) {
    const index::Field* field = begin(name);
    JsonWriter out(source_);
    out.begin_array();
    if (!pairs.empty()) {
      index::FieldValues& to = values(field);
      for (const auto& [key, value] : pairs) {
        std::string& pair = to.terms.emplace_back(key + "=" + value);
        check(pair);
        out.string(pair);
      }
    }
    out.end_array();
  }
  void check(std::string_view value) { plain_ &= value.size() <= list_value_max && is_utf8(value); }
  const index::Field* begin(std::string_view name) {
    const RowDocuments::Column& column = of_.column(name);
    source_ += column.opening;
    return column.field;
  }
  index::FieldValues& values(const index::Field* field) {
    if (filled_ == to_.fields.size()) to_.fields.emplace_back();
    index::FieldValues& to = to_.fields[filled_++];
    to.field = field;
    if (!to.tokens.list.empty()) to.tokens = {};  // of a row that was left to parse_document
    to.terms.clear();
    to.numbers.clear();
    return to;
  }
  index::FieldValues& begin_values(std::string_view name) { return values(begin(name)); }

  RowDocuments& of_;
  index::ParsedDocument& to_;
  std::string& source_;
  std::size_t filled_ = 0;  // of the fields; those behind are of an earlier row
  bool plain_ = true;
};

const RowDocuments::Column& RowDocuments::column(std::string_view name) {
  const std::size_t at = next_column_++;
  if (at < columns_.size() && columns_[at].name == name) return columns_[at];
  columns_.resize(at);
  std::string opening = at == 0 ? "{" : ",";
  append_json_string(opening, name);
  return columns_.emplace_back(
      Column{.name = name, .opening = opening + ":", .field = mapping_->find(name)});
}

namespace {

Result<index::ParsedDocument> slow_document(std::string id, Json row,
                                            const objectstore::JournalRecord& record,
                                            std::shared_ptr<const index::Mapping> mapping) {
  const Pairs none;
  const bool body = has_body(record);
  row.set(std::string(tag_list), list_of(body ? record.object.tags : none));
  row.set(std::string(metadata_list), list_of(body ? record.object.attributes.metadata : none));
  return index::parse_document(id, row.dump(), {}, std::move(mapping), {});
}

}  // namespace

void RowDocuments::begin(index::ParsedOperation& to, std::string id) const {
  to.kind = index::WriteOperation::Kind::index;
  to.is_new = false;
  to.document.id = std::move(id);
  if (to.document.mapping != mapping_) to.document.mapping = mapping_;
}

Status RowDocuments::of_journal(const objectstore::JournalRow& row, index::ParsedOperation& to) {
  begin(to, s3api::sequence_text(row.number));
  DocumentColumns columns(*this, to.document);
  s3api::give_journal_row(bucket_, row, columns);
  columns.lists(row.record);
  columns.end();
  if (columns.is_plain()) return ok_status();
  CAIRN_TRY(to.document, slow_document(to.document.id, s3api::journal_row_json(bucket_, row),
                                       row.record, mapping_));
  return ok_status();
}

Status RowDocuments::of_inventory(std::uint64_t number, const objectstore::JournalRecord& record,
                                  index::ParsedOperation& to) {
  begin(to, version_document_id(record.object));
  DocumentColumns columns(*this, to.document);
  s3api::give_inventory_row(bucket_, number, record, columns);
  columns.lists(record);
  columns.end();
  if (columns.is_plain()) return ok_status();
  CAIRN_TRY(to.document,
            slow_document(to.document.id,
                          s3api::inventory_row_json(bucket_, {.number = number, .record = record}),
                          record, mapping_));
  return ok_status();
}

Status RowDocuments::change_of_inventory(const objectstore::JournalRow& row,
                                         index::ParsedOperation& to) {
  if (!row.record.gone) return of_inventory(row.number, row.record, to);
  begin(to, version_document_id(row.record.object));
  to.kind = index::WriteOperation::Kind::remove;
  return ok_status();
}

}  // namespace cairn::tables
