// SPDX-License-Identifier: Apache-2.0
// What a search spent its time on, as the API has it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/profile.h"
#include "search/request.h"
#include "search/run/execution.h"

namespace cairn::search {

/// What showing the hits of one target took.
struct FetchProfile {
  index::StepTime whole = {};          // all of it
  index::StepTime stored_fields = {};  // ids
  index::StepTime load_source = {};    // reading sources
  index::StepTime source = {};         // showing them, and taking them apart
  index::StepTime fields = {}, highlight = {}, explain = {}, names = {};
};

/// Measures until its end; nothing where `profile` is null.
inline index::StepWatch fetch_watch(FetchProfile* profile, index::StepTime FetchProfile::*step,
                                    const Execution& execution) {
  return {profile == nullptr ? nullptr : &(profile->*step), execution.clock()};
}

/// Writes the member `profile`. `out` writes to `text`. Errors: circuit_breaking_exception before
/// the text would be longer than `most` bytes.
Status write_profile(const Execution& execution, const SearchRequest& request,
                     const std::vector<FetchProfile>& fetched, JsonWriter& out,
                     const std::string& text, std::size_t most);

}  // namespace cairn::search
