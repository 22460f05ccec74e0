// SPDX-License-Identifier: Apache-2.0
// Settings of the inference service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::inference {

struct Options {
  std::string default_model = "cairn-mini";  // of the preconfigured endpoints
  /// Ids by which clients and documents of the search platform know its built-in models, and what
  /// stands in for them here, unless a model of that very id is in the store. Answers show the
  /// second.
  std::vector<std::pair<std::string, std::string>> model_aliases = {
      {".elser_model_2", "cairn-mini"},
      {".elser_model_2_linux-x86_64", "cairn-mini"},
      {".multilingual-e5-small", "cairn-mini"},
      {".multilingual-e5-small_linux-x86_64", "cairn-mini"},
      {".rerank-v1", "cairn-mini"},
      {"cairn-mini-quotes", "cairn-mini"},  // as which its completions and chats are shown
  };
  std::int64_t create_timeout_ms = 30'000;         // wait for a new endpoint's deployment
  std::int64_t infer_timeout_ms = 30'000;          // wait for a result
  int create_timeout_status = 502;                 // 502 or 408: a creation whose wait ended
  std::size_t inputs_max = 1'024;                  // inputs of one call of the API
  std::size_t batch_inputs = 10;                   // inputs that one call of a model takes
  std::int64_t queue_capacity = 1'024;             // inputs that wait for one deployment
  std::int64_t text_timeout_ms = 120'000;          // wait for a text
  std::size_t kv_memory_bytes = std::size_t{1} << 30U;  // keys and values of an allocation's texts
  std::size_t loaders = 2;                         // models that are loaded at a time
  std::size_t fetchers = 8;                        // models that are downloaded at a time
  std::int64_t failed_retry_ms = 10'000;           // a failed deployment is tried anew after this
  std::int64_t adaptive_interval_ms = 10'000;      // between two looks at the load
  std::int64_t adaptive_max = 32;                  // allocations, where no maximum is set
  std::int64_t allocations_max = 0;                // of one deployment; 0: what fits this machine
  std::int64_t scale_cooldown_ms = 300'000;        // no scaling down so long after scaling up
  std::int64_t scale_to_zero_ms = 24 * 3'600'000;  // idle time before the last allocation goes
  /// Hosts beside public ones that endpoints of other servers' models may name, as OutboundRules
  /// take them.
  std::vector<std::string> remote_allowed_hosts = {};
  bool background = true;  // scale from a thread of its own; tests call Service::tick() instead
  std::string node_id = "cairn-1";  // names of this machine in statistics
  std::string node_name = "cairn-1";
  /// Errors: invalid_argument that names the setting.
  Status validate() const;
  /// Allocations that one deployment may have: more batches at a time than that only stand in each
  /// other's way. Where nothing is set, adaptive_max, or the cores of this machine and of other nodes
  /// (`cores_elsewhere`) where they are more.
  std::int64_t most_allocations(std::size_t cores_elsewhere = 0) const;
};

}  // namespace cairn::inference
