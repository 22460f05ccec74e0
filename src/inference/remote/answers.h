// SPDX-License-Identifier: Apache-2.0
// The answers of other servers, taken apart. Nothing in them is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "inference/remote/remote_settings.h"

namespace cairn::inference {

struct RemoteVectors {
  std::vector<std::vector<float>> vectors = {};  // in the order of the inputs
  std::uint64_t tokens = 0;                      // as the server counts them; 0: it does not say
};

struct RemoteScores {
  std::vector<float> scores = {};  // in the order of the documents
  std::uint64_t tokens = 0;
};

/// What an answer with vectors must fit.
struct WantedVectors {
  std::size_t count = 0;
  std::size_t dimensions = 0;  // 0: any, the same for all
  bool bytes = false;          // whole numbers from -128 to 127
};

/// Errors: unavailable, with status 502, where the answer is not of the service's form, has another
/// number of vectors or dimensions, or a number that is none.
Result<RemoteVectors> read_vectors(RemoteKind kind, std::string_view answer,
                                   const WantedVectors& wanted);
/// Each document has one score. Errors: as above.
Result<RemoteScores> read_scores(RemoteKind kind, std::string_view answer, std::size_t count);

/// What a refusal says, in whichever form it says it, all of it: keys in it must go before it is
/// cut. Without control characters; empty where it says nothing.
std::string refusal_text(std::string_view answer);
/// The same of a JSON value, as streams have it.
std::string refusal_text(const Json& answer);

/// The error of an answer that makes no sense.
Error bad_answer(std::string why);

}  // namespace cairn::inference
