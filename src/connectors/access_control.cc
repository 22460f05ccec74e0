// SPDX-License-Identifier: Apache-2.0
#include "connectors/access_control.h"

#include <string>
#include <utility>

#include "base/hash.h"
#include "connectors/source_document.h"

namespace cairn::connectors {
namespace {

/// A document that does not say who may read it is shown to nobody.
Json query_of(const std::vector<std::string>& names) {
  const std::string source = "{\"terms\":{\"" + std::string(readers_field) +
                             "\":{{#toJson}}access_control{{/toJson}}}}";
  const Json params = Json::object({{"access_control", Json::array_of(names)}});
  return Json::object({{"template", Json::object({{"params", params}, {"source", source}})}});
}

class IdentitySource final : public Source {
 public:
  explicit IdentitySource(Source& of) : of_(of) {}

  Result<std::unique_ptr<Walk>> walk(const std::string&, const os::Deadline& deadline) override {
    CAIRN_TRY(auto identities, of_.identities(deadline));
    SourcePage page;
    for (SourceIdentity& one : identities) {
      const Json document =
          Json::object({{"identity", std::move(one.identity)}, {"query", query_of(one.names)}});
      std::string text = document.dump();
      SourceItem item{.path = std::move(one.id), .version = {}, .size_bytes = text.size()};
      item.content = SourceContent{.content_hash = sha256(text), .documents = {}};
      item.content->documents.push_back({.whole = std::move(text)});
      page.items.push_back(std::move(item));
    }
    page.total = page.items.size();
    page.last = true;
    return walk_of(std::move(page));
  }
  // Every item brings its content.
  Status read(const SourceItem& item, DocumentSink&, const os::Deadline&) override {
    return Error{.kind = ErrorKind::unsupported, .message = item.path + " has no content"};
  }
  Result<Json> check(const os::Deadline& deadline) override { return of_.check(deadline); }
  bool paths_are_ids() const override { return true; }

 private:
  Source& of_;
};

}  // namespace

std::unique_ptr<Source> identities_of(Source& of) { return std::make_unique<IdentitySource>(of); }

}  // namespace cairn::connectors
