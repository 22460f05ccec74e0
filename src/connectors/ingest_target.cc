// SPDX-License-Identifier: Apache-2.0
#include "connectors/ingest_target.h"

#include "connectors/errors.h"
#include "connectors/source_document.h"

namespace cairn::connectors {
namespace {

class IngestTarget final : public Target {
 public:
  IngestTarget(index::Indices& indices, ingest::Ingest& ingest)
      : indices_(indices), ingest_(ingest) {}

  Result<std::string> identity(const std::string& index, const NewIndex& wanted,
                               const os::Deadline& deadline) override {
    CAIRN_CHECK(make_index_for(indices_, index, wanted, deadline));
    CAIRN_TRY(const auto opened, ingest_.open(index, {}, deadline));
    return opened->uuid();
  }

  Result<std::string> identity_if_there(const std::string& index, const os::Deadline&) override {
    if (index.empty() || !indices_.knows(index)) return std::string();
    CAIRN_TRY(const auto found, indices_.find_write(index));
    return found.index->uuid();
  }

  Result<std::vector<std::optional<Error>>> write(const std::string& index,
                                                  std::span<const TargetDocument> documents,
                                                  const os::Deadline& deadline) override {
    std::vector<index::WriteOperation> operations;
    operations.reserve(documents.size());
    for (const auto& document : documents)
      operations.push_back(
          {.id = document.id, .source = document.source, .routing = document.routing});
    CAIRN_TRY(auto results, ingest_.write(index, operations, {}, deadline));
    std::vector<std::optional<Error>> out;
    out.reserve(results.size());
    for (auto& result : results) out.push_back(std::move(result.error));
    return out;
  }

  Status remove(const std::string& index, std::span<const std::string> ids,
                const os::Deadline& deadline) override {
    std::vector<index::WriteOperation> operations;
    operations.reserve(ids.size());
    for (const auto& id : ids)
      operations.push_back({.kind = index::WriteOperation::Kind::remove, .id = id});
    CAIRN_TRY(const auto results, ingest_.write(index, operations, {}, deadline));
    for (const auto& result : results)
      if (result.error && result.error->kind != ErrorKind::not_found) return *result.error;
    return ok_status();
  }

  Status refresh(const std::string& index, const os::Deadline& deadline) override {
    CAIRN_TRY(const auto found, indices_.find_write(index));
    return found.index->refresh(deadline);
  }

 private:
  index::Indices& indices_;
  ingest::Ingest& ingest_;
};

/// A field that nothing is copied to finds nothing, and one cannot be added to texts that are
/// there.
Status check_has_meaning(index::Indices& indices, const std::string& index) {
  CAIRN_TRY(const auto place, indices.find_write(index));
  const auto mapping = place.index->mapping();
  for (const index::Field* field : mapping->match("*"))
    if (field->type == index::FieldType::semantic_text) return ok_status();
  return refused(
      "The connector asks for [semantic], and index [" + index +
      "] is there without a field of type [semantic_text]. Delete the index, and the "
      "next sync makes it anew with one; name another index; or set [semantic] to false.");
}

/// Whoever may read a document is asked word by word, so the field is a keyword everywhere.
Status add_readers_field(index::Indices& indices, const std::string& index,
                         const os::Deadline& deadline) {
  CAIRN_TRY(const auto place, indices.find_write(index));
  Json fields = Json::object();
  fields.set(readers_field, Json::object({{"type", "keyword"}}));
  const Json change = Json::object({{"properties", std::move(fields)}});
  if (const Status put = place.index->put_mapping(change, deadline); !put.ok())
    return refused("The connector asks for document level security, and index [" + index +
                   "] has another field [" + std::string(readers_field) + "]: " +
                   put.error().message + ". Name another index.");
  return ok_status();
}

}  // namespace

Status make_index_for(index::Indices& indices, const std::string& index, const NewIndex& wanted,
                      const os::Deadline& deadline) {
  const Json mappings = mappings_of(wanted), settings = settings_of(wanted);
  if (mappings.is_null() && settings.is_null()) return ok_status();
  if (!indices.knows(index)) {
    const auto made = indices.create(index, mappings, settings, deadline);
    if (made.ok()) return ok_status();
    // Somebody else may have made it in between.
    if (made.error().kind != ErrorKind::already_exists) return made.error();
  }
  if (wanted.tells_readers) CAIRN_CHECK(add_readers_field(indices, index, deadline));
  return wanted.semantic ? check_has_meaning(indices, index) : ok_status();
}

std::unique_ptr<Target> ingest_target(index::Indices& indices, ingest::Ingest& ingest) {
  return std::make_unique<IngestTarget>(indices, ingest);
}

}  // namespace cairn::connectors
