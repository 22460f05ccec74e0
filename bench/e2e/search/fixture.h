// SPDX-License-Identifier: Apache-2.0
// The indices of a folder, opened in this process.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "index/indices.h"
#include "measured.h"
#include "os/threads/compute_pool.h"
#include "stores/folder_store.h"

namespace cairn::bench {

/// One thread searches, or with CAIRN_CORES more where a search is worth it.
struct Fixture {
  std::unique_ptr<store::Store> store;
  os::Pool pool{{.name = "bench", .threads = 1}};
  std::unique_ptr<os::ComputePool> compute;
  std::unique_ptr<index::Indices> indices;

  Fixture(const std::string& folder, std::size_t cache_bytes)
      : store(must(stores::folder_store(folder))) {
    index::Options options;
    options.cache_bytes = cache_bytes;
    options.background = false;
    if (const char* cores = std::getenv("CAIRN_CORES")) {
      compute = std::make_unique<os::ComputePool>(
          os::ComputePoolOptions{.slots = std::stoul(cores), .nice = 0});
      options.compute = compute.get();
    }
    indices = must(index::Indices::open(*store, pool, os::system_clock(), os::system_random(),
                                        options, soon()));
  }
};

}  // namespace cairn::bench
