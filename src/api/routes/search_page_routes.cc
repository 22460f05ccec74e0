// SPDX-License-Identifier: Apache-2.0
#include "api/routes/search_page_routes.h"

#include <string>
#include <utility>

#include "api/forms/browser_files.h"
#include "api/index_names.h"
#include "api/search_page.h"
#include "api/search_params.h"
#include "console/page.h"

namespace cairn::api {
namespace {

struct PageServices {
  const index::Indices& indices;
  search::Service& service;
};

Result<SearchPage> page_of(const Call& call, const index::Indices& indices) {
  CAIRN_TRY(const auto index, indices.find_one(call.path("index")));
  return SearchPage::of(index->mapping()->to_json(), call.path("index"));
}

Result<Reply> page_facts(const Call& call, const index::Indices& indices) {
  CAIRN_TRY(const SearchPage page, page_of(call, indices));
  return Reply::json(Json::object({{"index", call.path("index")}, {"page", page.to_json()}}));
}

Result<Reply> search_by_page(Call& call, const PageServices& services) {
  CAIRN_TRY(const SearchPage page, page_of(call, services.indices));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const PageSearch wanted, PageSearch::read(body, page));
  CAIRN_TRY(const auto parameters, search_params(call, services.indices));
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(std::string text,
            services.service.search(indices, wanted.search_body(page).dump(), parameters,
                                    call.deadline()));
  return Reply::raw_json(std::move(text));
}

gate::Route page_row(std::string method, std::string path, std::string operation,
                     std::string summary) {
  return {.method = std::move(method),
          .path = std::move(path),
          .operation = std::move(operation),
          .index_privilege = "read",
          .filters_documents = true,
          .reads = true,
          .search_page = true,
          .summary = std::move(summary)};
}

}  // namespace

void add_search_page_routes(Router& router, ServiceRef<const console::Files> files,
                            ServiceRef<index::Indices> indices,
                            ServiceRef<search::Service> service, const ConsoleOptions& options) {
  const std::string policy = console::content_policy(options.search_frame_ancestors);
  gate::Route page = file_row("/search/{index}", "console.search_page",
                              "A page to search an index, for browsers.");
  page.open = false;
  page.index_privilege = "read";
  page.filters_documents = true;  // it shows none: its searches are requests of their own
  page.search_page = true;
  page.query = {{"q", "string", "What is searched at once."},
                {"embed", "integer", "1: without a heading, as a part of another page."},
                {"*", "string", "f.FIELD: the value that the field of a facet must have."}};
  router.add(std::move(page), [files, policy](Call& call) -> Result<Reply> {
    // What it names lies beside it.
    const std::string_view path = call.request_path();
    if (path.ends_with('/')) return redirect(std::string(path.substr(0, path.size() - 1)));
    return reply_of(console::answer(*files, "search-page/index.html", call.exchange().head.headers,
                                    console::Keeping::never, policy));
  });
  gate::Route facts =
      page_row("GET", "/search/{index}/_page", "console.search_page_facts",
               "How the search page of an index looks: its texts, fields and facets.");
  facts.resource = "";
  router.add(std::move(facts),
             [indices](Call& call) { return page_facts(call, *indices); });
  gate::Route search = page_row("POST", "/search/{index}/_search", "console.search_page_search",
                                "Searches as the search page does: by words and facets alone.");
  search.resource = "search";
  search.computes = true;
  search.body_required = true;
  router.add(std::move(search), [indices, service](Call& call) {
    return search_by_page(call, {*indices, *service});
  });
  router.add(file_row("/search/assets/{file}", "console.search_file",
                      "A file of the search page; its name changes with what it holds."),
             [files, policy](Call& call) -> Result<Reply> {
               return reply_of(console::answer(*files, "search-page/assets/" + call.path("file"),
                                               call.exchange().head.headers,
                                               console::Keeping::forever, policy));
             });
}

}  // namespace cairn::api
