// SPDX-License-Identifier: Apache-2.0
// Searching and counting: the JSON of a request to the JSON of its answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "index/names/named_index.h"
#include "inference/service.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "search/contexts/search_contexts.h"
#include "search/options.h"
#include "search/request.h"
#include "search/walk.h"

namespace cairn::search {

/// What a request names, with what narrows it.
using IndexList = std::vector<index::NamedIndex>;

/// Safe from any thread; a call works on the thread that makes it, and blocks on models and on the
/// store up to its deadline. Errors: those of reading a request (request.h, query_reader.h), of
/// inference, and search_phase_execution_exception around what an index refuses.
class Service {
 public:
  /// The references must outlive the object.
  Service(inference::Service& inference, const os::Clock& clock, Options options = {},
          os::Random& random = os::system_random())
      : inference_(inference),
        clock_(clock),
        options_(options),
        contexts_(options_, clock, random) {}

  /// `body` is the JSON text of a request, empty for none. Gives compact JSON text. A request with
  /// a point in time searches that instead of `indices`; one with `parameters.scroll_ms` opens a
  /// scroll, whose id is `_scroll_id`. Errors besides: those of SearchContexts.
  Result<std::string> search(const IndexList& indices, std::string_view body,
                             const SearchParameters& parameters, const os::Deadline& deadline);

  /// What a request asks for, before any index is asked.
  struct Outline {
    std::size_t shards = 0;   // that it asks: those of its point in time, where it has one
    bool names_parts = false;  // aggregations or suggesters, whose names may be shown with types
  };
  /// Reads a request as search() does, and searches nothing. Errors: those of search() that come
  /// before its work; what an index refuses is not among them.
  Result<Outline> outline(const IndexList& indices, std::string_view body,
                          const SearchParameters& parameters);

  /// How many documents match the `query` of the body (all where there is none).
  struct Count {
    std::uint64_t total = 0;
    bool terminated_early = false;  // SearchRequest::terminate_after
  };
  Result<Count> count(const IndexList& indices, std::string_view body,
                              const SearchParameters& parameters, const os::Deadline& deadline);

  /// Whether a document matches the `query` of the body, and how its score comes about, as the API
  /// answers it. `found` is false, and the answer says so, where no search sees the document.
  struct Explained {
    std::string text;
    bool found = false;
  };
  Result<Explained> explain(const index::NamedIndex& index, const std::string& id,
                            std::string_view body, const SearchParameters& parameters,
                            const os::Deadline& deadline);

  /// Whether what narrows `index` lets a document of this view be seen; true where nothing does.
  Result<bool> shows(const index::NamedIndex& index, std::shared_ptr<const index::View> view,
                     const std::string& id, const os::Deadline& deadline);

  /// The next page of a scroll, as search() gives it. Errors: those of SearchContexts and of
  /// searching; the scroll stays where it was.
  Result<std::string> next_page(std::string_view scroll_id, const SearchParameters& parameters,
                                const os::Deadline& deadline);

  /// What became of a query in one index.
  struct Validated {
    std::string index;
    std::string text = {};  // what it looks for there; empty where an alias narrows the index
    std::optional<Error> error = {};   // set: it cannot be asked there
  };
  /// Whether each index can be asked the query of a body; nothing is searched. Errors: those of a
  /// body that is no such request; timeout, cancelled, and those of inference and of the store.
  Result<std::vector<Validated>> validate(const IndexList& indices, std::string_view body,
                                          const SearchParameters& parameters,
                                          const os::Deadline& deadline);

  /// Whether an index of this mapping takes this query as the filter of an alias; `default_fields`
  /// are its `query.default_field`. Errors: those of reading a query.
  Status check_filter(const index::Mapping& mapping, std::vector<std::string> default_fields,
                      const Json& filter, const os::Deadline& deadline);

  /// Keeps the documents of these indices as they are now. Gives the id. Errors: those of
  /// SearchContexts.
  Result<std::string> open_point_in_time(const IndexList& indices, const ContextCaller& caller,
                                         std::int64_t keep_alive_ms);
  SearchContexts& contexts() { return contexts_; }

  /// Reads `query`, `slice` and `sort` of a body, and what the URL says about the query. `text` is what
  /// stands around them, for positions. Errors: those of parse_request.
  Result<SearchRequest> read_walk(std::string_view text, const Json& body,
                                  const SearchParameters& parameters) const;
  /// All documents of `targets` that match. Counts them.
  Result<std::unique_ptr<DocumentWalk>> walk(std::vector<WalkTarget> targets,
                                             const WalkRequest& request,
                                             const os::Deadline& deadline);

  /// The sequence number of the last of the first `most` documents of a target that match; where
  /// there are no more than so many, the end of its range. The range has an end.
  Result<std::int64_t> last_of_first(const WalkTarget& target, const WalkRequest& request,
                                     std::uint64_t most, const os::Deadline& deadline);

  const Options& options() const { return options_; }
  /// Of searches that name none, from now on; -1: none.
  void set_default_timeout(std::int64_t ms) { default_timeout_ms_ = ms; }

 private:
  Result<bool> shows(const Target& target, const std::string& id, const os::Deadline& deadline);
  /// What the first page of a scroll has counted.
  struct Counted {
    std::uint64_t total = 0;
    std::optional<float> max_score = {};
  };
  /// Which hits a request is answered with, and what stands from an earlier page.
  struct Page {
    std::string_view body;
    const SearchParameters& parameters;
    std::vector<Target> targets = {};
    Cursor cursor = {};
    std::optional<Counted> counted = {};
    std::int64_t now_ms = 0;
    std::shared_ptr<const EmbeddedTexts> embedded = {};
    std::string first_member = {};  // of the answer, as JSON text with a comma
    std::int64_t begin_ns = 0;
    // Of hits whose objects are shown; and the path to the objects that are searched.
    std::shared_ptr<HitMemory> memory = std::make_shared<HitMemory>();
    std::string path = {};
  };
  struct Answer {
    std::string text;
    std::vector<index::SortValue> last = {};  // sort values of the last hit
    Counted counted = {};
    EmbeddedTexts embedded = {};
  };

  /// Of each target, by indices_boost; empty: 1 each. Errors: those of resolving names.
  Result<std::vector<float>> boosts_of(const SearchRequest& request, const Page& page) const;
  Result<Json> show_group(const SearchRequest& request, const Candidate& hit, const Page& page,
                          const os::Deadline& deadline);
  /// Adds the objects that were asked for to `out`, by their names.
  Status show_objects(const std::vector<NestedInnerHits>& asked, const Candidate& hit,
                      const Page& page, const os::Deadline& deadline, Json& out);
  /// The hits of one search within another. `within`: those there alone.
  Result<Json> run_inner(const Json& body, std::vector<Target> targets,
                         std::optional<index::WithinQuery> within, const Page& page,
                         const os::Deadline& deadline);
  Result<Answer> run_page(SearchRequest request, const Page& page, const os::Deadline& deadline);
  /// The same once its targets have the fields that the request adds.
  Result<Answer> run_over(SearchRequest request, const Page& page, const os::Deadline& deadline);
  Result<std::string> begin_scroll(SearchRequest request, Page page, const os::Deadline& deadline);

  inference::Service& inference_;
  const os::Clock& clock_;
  Options options_;
  SearchContexts contexts_;
  std::atomic<std::int64_t> default_timeout_ms_{-1};
};

}  // namespace cairn::search
