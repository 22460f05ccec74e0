// SPDX-License-Identifier: Apache-2.0
// A file that a server cannot read is read here, by the same code: no route takes files to parse,
// and what they hold of text is all that is sent.
#include "app/commands/add_folder_command.h"

#include <algorithm>

#include "cli/add/add_command.h"
#include "connectors/isolation/extractor.h"
#include "connectors/new_index.h"
#include "connectors/source_document.h"
#include "connectors/sources/files/directory.h"

namespace cairn::app {
namespace {

/// Takes the documents of one file, always.
class KeptTexts final : public connectors::DocumentSink {
 public:
  KeptTexts(const connectors::Source& source, connectors::Extractor& extractor,
            const connectors::SourceItem& item, const os::Deadline& deadline)
      : source_(source), extractor_(extractor), item_(item), deadline_(deadline) {}

  bool wants(const std::string&) override { return true; }
  Status add(connectors::SourceDocument document) override {
    documents.push_back({connectors::document_id(source_, item_.path, documents.size()),
                         connectors::document_json(item_, document), std::move(document.part)});
    return ok_status();
  }
  Result<connectors::ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                            std::string_view charset) override {
    return extractor_.extract(name, bytes, {false, std::string(charset)}, deadline_);
  }

  std::vector<cli::LocalDocument> documents;

 private:
  const connectors::Source& source_;
  connectors::Extractor& extractor_;
  const connectors::SourceItem& item_;
  const os::Deadline& deadline_;
};

class FolderOfSource final : public cli::LocalFolder {
 public:
  FolderOfSource(std::unique_ptr<const connectors::SourceType> type, Json configuration,
                 std::unique_ptr<connectors::Source> source)
      : type_(std::move(type)),
        configuration_(std::move(configuration)),
        source_(std::move(source)),
        extractor_(connectors::child_extractor(
            {.children = 1, .pdftotext = connectors::installed_pdftotext()})) {}

  Result<cli::LocalListing> list(const os::Deadline& deadline) override {
    cli::LocalListing out;
    CAIRN_TRY(const auto walk, source_->walk({}, deadline));
    for (bool last = false; !last;) {
      CAIRN_TRY(auto page, walk->next(deadline));
      out.skipped += page.skipped;
      for (auto& item : page.items) {
        std::string first_id = connectors::document_id(*source_, item.path, 0);
        out.files.push_back({.path = std::move(item.path),
                             .size_bytes = item.size_bytes,
                             .modified_ms = item.modified_ms,
                             .first_id = std::move(first_id)});
      }
      for (auto& item : page.unreadable) out.problems.push_back(std::move(item.reason));
      last = page.last;
    }
    std::sort(out.files.begin(), out.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return out;
  }

  Result<std::vector<cli::LocalDocument>> read(const cli::LocalFile& file,
                                               const os::Deadline& deadline) override {
    const connectors::SourceItem item{.path = file.path,
                                      .version = {},
                                      .size_bytes = file.size_bytes,
                                      .modified_ms = file.modified_ms};
    KeptTexts kept(*source_, *extractor_, item, deadline);
    CAIRN_CHECK(source_->read(item, kept, deadline));
    return std::move(kept.documents);
  }

  Result<bool> changed(const os::Deadline& deadline) override {
    if (!watch_) {
      CAIRN_TRY(watch_, type_->watch(configuration_));
    }
    return watch_->changed(deadline);
  }

  std::string watch_limit() const override { return watch_ ? watch_->limit() : std::string(); }

 private:
  std::unique_ptr<const connectors::SourceType> type_;
  Json configuration_;
  std::unique_ptr<connectors::Source> source_;
  std::unique_ptr<connectors::SourceWatch> watch_;
  std::unique_ptr<connectors::Extractor> extractor_;
};

Result<std::unique_ptr<cli::LocalFolder>> open_folder(const std::string& path) {
  auto type = connectors::directory_source(std::vector<std::string>{path});
  Json configuration = type->configuration_schema();
  configuration.find("path")->set("value", path);
  CAIRN_TRY(auto source, type->open(configuration));
  return std::unique_ptr<cli::LocalFolder>(std::make_unique<FolderOfSource>(
      std::move(type), std::move(configuration), std::move(source)));
}

}  // namespace

int add_folder_command(const std::vector<std::string>& words, const cli::Environment& environment) {
  return cli::add_command(
      words, environment,
      {.open_folder = open_folder, .mappings = connectors::mappings_of({.semantic = true})});
}

}  // namespace cairn::app
