// SPDX-License-Identifier: Apache-2.0
#include "api/search_access.h"

#include <memory>

#include "api/index_names.h"
#include "gate/admit.h"
#include "index/templates/stored_scripts.h"

namespace cairn::api {
namespace {

Error looks_up_hidden(std::string_view index) {
  return {ErrorKind::permission_denied, "security_exception",
          "a query cannot look up documents of index [" + std::string(index) +
              "], of which a query in the role descriptors of the API key hides some; get the "
              "document, and name its values"};
}

/// Who asked, and what rights are checked with, apart from the call.
class Asker {
 public:
  Asker(const Call& call, os::Deadline until)
      : caller_(call.caller()),
        route_(call.route()),
        path_(call.request_path()),
        until_(std::move(until)) {}

  const os::Deadline& deadline() const { return until_; }
  const gate::Caller& caller() const { return caller_; }
  bool admits(std::string_view index) const { return gate::admits_index(route_, caller_, index); }
  Status require_index(std::string_view privilege, std::string_view index) const {
    return gate::admit_index(route_, caller_, privilege, index, path_);
  }

 private:
  const gate::Caller caller_;
  const gate::Route route_;
  const std::string path_;
  const os::Deadline until_;
};

// `Who` points to a call or to an asker.

template <class Who>
search::FindDocument document_finder_of(Who who, const index::Indices& indices) {
  return [who, &indices](
             const search::DocumentName& name) -> Result<std::optional<search::FoundDocument>> {
    CAIRN_TRY(const std::string index, plain_names(name.index));
    CAIRN_CHECK(who->require_index("read", index));
    CAIRN_TRY(const ReadPlace place, read_place(indices, index, name.routing));
    CAIRN_CHECK(place.index->check_routing(name.id, place.routing));
    // A query that is read cannot run another one.
    if (who->caller().document_filter(index) != nullptr) return looks_up_hidden(index);
    CAIRN_TRY(auto document, place.index->get(name.id, who->deadline()));
    if (!document) return std::optional<search::FoundDocument>();
    return std::optional(search::FoundDocument{.index = place.index->name(),
                                               .source = std::move(document->source)});
  };
}

template <class Who>
search::ContextCaller context_caller_of(Who who, const gate::Caller& caller) {
  search::ContextCaller out;
  if (caller.has_key()) out.owner = caller.key().id;
  out.may_read = [who](std::string_view index, bool narrowed) -> Status {
    CAIRN_CHECK(who->require_index("read", index));
    if (narrowed || who->caller().document_filter(index) == nullptr) return ok_status();
    return Error{ErrorKind::permission_denied, "security_exception",
                 "this scroll or point in time was opened when no query in the role descriptors "
                 "hid documents of [" + std::string(index) + "]; open another"};
  };
  return out;
}

std::vector<std::string> names_of_all(const IndexList& found) {
  std::vector<std::string> out;
  for (const auto& index : found) out.push_back(index->name());
  return out;
}

}  // namespace

search::FindDocument document_finder(const Call& call, const index::Indices& indices) {
  return document_finder_of(&call, indices);
}

search::ResolveIndices index_resolver(const Call& call, const index::Indices& indices) {
  return [&call, &indices](const std::string& expression) -> Result<std::vector<std::string>> {
    CAIRN_TRY(const std::string plain, plain_names(expression));
    CAIRN_TRY(const auto found, indices_of(call, indices, plain));
    return names_of_all(found);
  };
}

search::FindTemplate template_finder(const index::Indices& indices) {
  return [&indices](std::string_view id) { return indices.scripts().find(id); };
}

search::ContextCaller context_caller(const Call& call) {
  return context_caller_of(&call, call.caller());
}

Status let_outlive(const Call& call, const index::Indices& indices, const os::Deadline& until,
                   search::SearchParameters& parameters) {
  const auto asker = std::make_shared<const Asker>(call, until);
  CAIRN_TRY(const IndexOptions given, index_options(call));
  const ReadRights rights{
      .admits = [asker](std::string_view name) { return asker->admits(name); },
      .narrows = [asker](std::string_view name) { return asker->caller().document_filter(name); }};
  CAIRN_TRY(const auto options, resolve_options(rights, given));
  parameters.caller = context_caller_of(asker, call.caller());
  parameters.find_document = document_finder_of(asker, indices);
  parameters.resolve_indices =
      [options, &indices](const std::string& expression) -> Result<std::vector<std::string>> {
    CAIRN_TRY(const std::string plain, plain_names(expression));
    CAIRN_TRY(const auto found, indices.resolve_names(plain, options));
    return names_of_all(found);
  };
  return ok_status();
}

}  // namespace cairn::api
