// SPDX-License-Identifier: Apache-2.0
// What the node that serves asks of a node that runs models for it, and the answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/deployment/node_allocations.h"
#include "inference/deployment/work_queue.h"

namespace cairn::inference {

/// The paths of the two calls, on the port for other nodes.
inline constexpr std::string_view place_path = "/models/place";
inline constexpr std::string_view run_path = "/models/run";

/// All that a node is to have: what is not named it lets go of.
struct PlaceCall {
  struct One {
    std::string deployment_id = {};
    std::string model_id = {};
    std::string incarnation = {};  // another one where the model is to be read anew
    std::int64_t allocations = 1;
    std::int64_t threads = 1;
  };
  std::vector<One> deployments = {};

  std::string encode() const;
  /// Errors: invalid_argument.
  static Result<PlaceCall> decode(std::string_view text);
};

/// What a node has, and could have.
struct PlaceAnswer {
  struct One {
    std::string deployment_id = {};
    std::string incarnation = {};
    std::string state = {};   // name_of(DeploymentState)
    std::string reason = {};  // of a failure
  };
  std::int64_t processors = 0;
  std::uint64_t memory_bytes = 0;  // available now
  std::vector<One> deployments = {};

  std::string encode() const;
  /// Errors: corrupt.
  static Result<PlaceAnswer> decode(std::string_view text);
};

/// One batch.
struct RunCall {
  std::string deployment_id = {};
  std::string incarnation = {};
  ModelRequest work;

  std::string encode() const;
  /// Errors: invalid_argument.
  static Result<RunCall> decode(std::string_view bytes);
};

std::string encode(const NodeAnswer& answer);
/// With one element for each input, all finite numbers, vectors of one length. Errors: corrupt.
Result<NodeAnswer> decode_answer(std::string_view bytes, TaskType task, std::size_t inputs);

}  // namespace cairn::inference
