// SPDX-License-Identifier: Apache-2.0
// Searching and counting: the JSON of a request to the JSON of its answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "inference/service.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "search/options.h"
#include "search/request.h"

namespace cairn::search {

using IndexList = std::vector<std::shared_ptr<index::Index>>;

/// Safe from any thread; a call works on the thread that makes it, and blocks on models and on the
/// store up to its deadline. Errors: those of reading a request (request.h, query_reader.h), of
/// inference, and search_phase_execution_exception around what an index refuses.
class Service {
 public:
  /// The references must outlive the object.
  Service(inference::Service& inference, const os::Clock& clock, Options options = {})
      : inference_(inference), clock_(clock), options_(options) {}

  /// `body` is the JSON text of a request, empty for none. Gives compact JSON text.
  Result<std::string> search(const IndexList& indices, std::string_view body,
                             const SearchParameters& parameters, const os::Deadline& deadline);

  /// How many documents match the `query` of the body (all where there is none).
  Result<std::uint64_t> count(const IndexList& indices, std::string_view body,
                              const SearchParameters& parameters, const os::Deadline& deadline);

  const Options& options() const { return options_; }

 private:
  inference::Service& inference_;
  const os::Clock& clock_;
  Options options_;
};

}  // namespace cairn::search
