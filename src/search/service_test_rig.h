// SPDX-License-Identifier: Apache-2.0
// What tests of searches share: the service over indices and models in memory, and a clock that
// stands still.
#pragma once

#include <memory>

#include "index/indices.h"
#include "inference/concept_model.h"
#include "inference/service.h"
#include "search/service.h"
#include "store/memory_store.h"

namespace cairn::search {

struct ServiceFixture {
  explicit ServiceFixture(unsigned threads = 2) : pool({.name = "test", .threads = threads}) {}

  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<store::Store> records = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  os::Pool pool;
  inference::ConceptModels models;
  std::unique_ptr<inference::Service> inference =
      inference::Service::open(*records, models, pool, clock, {.background = false},
                               os::Deadline::never())
          .value();
  std::unique_ptr<index::Indices> indices =
      index::Indices::open(*store, pool, clock, *random, {.background = false},
                           os::Deadline::never())
          .value();
  Service service{*inference, clock};
};

}  // namespace cairn::search
