// SPDX-License-Identifier: Apache-2.0
#include "connectors/ingest_target.h"

#include "connectors/language.h"

namespace cairn::connectors {
namespace {

class IngestTarget final : public Target {
 public:
  IngestTarget(index::Indices& indices, ingest::Ingest& ingest)
      : indices_(indices), ingest_(ingest) {}

  Result<std::string> identity(const std::string& index, const std::string& language,
                               const os::Deadline& deadline) override {
    CAIRN_CHECK(make_index_for(indices_, index, language, deadline));
    CAIRN_TRY(const auto opened, ingest_.open(index, {}, deadline));
    return opened->uuid();
  }

  Result<std::vector<std::optional<Error>>> write(const std::string& index,
                                                  std::span<const TargetDocument> documents,
                                                  const os::Deadline& deadline) override {
    std::vector<index::WriteOperation> operations;
    operations.reserve(documents.size());
    for (const auto& document : documents)
      operations.push_back({.id = document.id, .source = document.source});
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

}  // namespace

Status make_index_for(index::Indices& indices, const std::string& index,
                      const std::string& language, const os::Deadline& deadline) {
  const std::string analyzer = analyzer_of_language(language);
  if (analyzer.empty() || indices.knows(index)) return ok_status();
  const Json one = Json::object({{"default", Json::object({{"type", analyzer}})}});
  const Json settings =
      Json::object({{"analysis", Json::object({{"analyzer", one}})}});
  const auto made = indices.create(index, {}, settings, deadline);
  // Somebody else may have made it in between.
  if (!made.ok() && made.error().kind != ErrorKind::already_exists) return made.error();
  return ok_status();
}

std::unique_ptr<Target> ingest_target(index::Indices& indices, ingest::Ingest& ingest) {
  return std::make_unique<IngestTarget>(indices, ingest);
}

}  // namespace cairn::connectors
