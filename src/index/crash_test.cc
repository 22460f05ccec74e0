// SPDX-License-Identifier: Apache-2.0
// What is left when the process ends, or a call to the store fails, at each call in turn.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "base/sanitized.h"
#include "index/faulty_store.h"
#include "index/testing.h"

namespace cairn::index::crash_test {
namespace {

/// What the documents may be: for each id the acknowledged state, and those of writes that failed
/// after it (an empty text: deleted).
class Model {
 public:
  void write(Index& index, std::vector<WriteOperation> batch, const os::Deadline& deadline) {
    const auto results = index.write(batch, deadline);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& states = states_[batch[i].id];
      if (results.ok()) {
        CHECK(!(*results)[i].error);
        states.clear();
      } else if (states.empty()) {
        states.insert("");
      }
      states.insert(batch[i].source);
    }
  }
  void check(Index& index) const {
    const auto deadline = os::Deadline::in_ms(60'000);
    REQUIRE(index.refresh(deadline).ok());
    const auto view = index.view();
    std::size_t live = 0;
    for (const auto& [id, states] : states_) {
      CAPTURE(id);
      const auto found = index.get(id, deadline);
      INFO((found.ok() ? std::string() : found.error().message));
      REQUIRE(found.ok());
      const std::string is = found->has_value() ? (*found)->source : "";
      CAPTURE(is);
      CHECK(states.contains(is));
      live += is.empty() ? 0 : 1;
      const auto shown = view->find(id, deadline);
      REQUIRE(shown.ok());
      CHECK(shown->has_value() == !is.empty());
      if (shown->has_value()) CHECK(*view->source(**shown, deadline) == is);
    }
    CHECK(view->document_count() == live);
    const auto all = view->count(Query{.node = ExistsQuery{.field = "n"}}, deadline);
    REQUIRE(all.ok());
    CHECK(*all == live);
  }

 private:
  std::map<std::string, std::set<std::string>> states_;
};

WriteOperation put_of(std::string id, int n) {
  WriteOperation out;
  out.id = std::move(id);
  out.source =
      R"({"n": )" + std::to_string(n) + R"(, "body": "word)" + std::to_string(n % 7) + "\"}";
  return out;
}
WriteOperation remove_of(std::string id) {
  WriteOperation out;
  out.kind = WriteOperation::Kind::remove;
  out.id = std::move(id);
  return out;
}

Options small_options() {
  Options out = Fixture::quiet_options();
  out.merge_factor = 2;
  return out;
}

struct Machine {
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(3);
  os::Pool pool{{.name = "test", .threads = 1}};
};

/// Everything an index does in its life. Errors end nothing: the model knows what may be.
void live(Machine& machine, store::Store& store, Model& model, bool& created) {
  const auto deadline = os::Deadline::in_ms(60'000);
  auto opened =
      Indices::open(store, machine.pool, machine.clock, *machine.random, small_options(), deadline);
  if (!opened) return;
  Indices& indices = **opened;
  auto made = indices.create("i", Json(), Json(), deadline);
  if (!made) return;
  created = true;
  Index& index = **made;
  const auto other = indices.create("other", Json(), Json(), deadline);
  int n = 0;
  for (int round = 0; round < 4; ++round) {
    std::vector<WriteOperation> batch;
    for (int i = 0; i < 5; ++i) batch.push_back(put_of("a" + std::to_string(round * 3 + i), ++n));
    model.write(index, batch, deadline);
    model.write(index, {put_of("a0", ++n), remove_of("a" + std::to_string(round + 1))}, deadline);
    (void)index.refresh(deadline).ok();
    if (round % 2 == 0) (void)index.flush(deadline).ok();
    model.write(index, {put_of("b" + std::to_string(round), ++n)}, deadline);
    if (round == 1)
      (void)index.put_mapping(Fixture::json(R"({"properties": {"x": {"type": "long"}}})"), deadline)
          .ok();
    if (round == 2) (void)index.maintain(deadline).ok();
    if (round == 3) (void)index.checkpoint(deadline).ok();
  }
  if (other) (void)indices.remove("other", deadline).ok();
  model.write(index, {put_of("last", ++n)}, deadline);
  (void)index.force_merge(1, deadline).ok();
}

/// Opens what is left without faults, and looks at everything.
void check_after(Machine& machine, store::Store& inside, const Model& model, bool created) {
  const auto deadline = os::Deadline::in_ms(60'000);
  for (int start = 0; start < 2; ++start) {
    auto opened = Indices::open(inside, machine.pool, machine.clock, *machine.random,
                                small_options(), deadline);
    INFO((opened.ok() ? std::string() : opened.error().message));
    REQUIRE(opened.ok());
    const auto index = (*opened)->find("i");
    if (!index) {
      CHECK(!created);
      CHECK(index.error().code == "index_not_found_exception");
      return;
    }
    model.check(**index);
    // Nothing lies about: what is there is named by the manifest, or is log.
    REQUIRE((*index)->flush(deadline).ok());
    REQUIRE((*index)->maintain(deadline).ok());
    auto held = (*index)->checkpoint(deadline);
    REQUIRE(held.ok());
    std::size_t named = 0, there = 0;
    for (const auto& object : held->objects()) named += object.name.empty() ? 0 : 1;
    REQUIRE(store::for_each_object(inside, "index/data/" + (*index)->uuid() + "/", deadline,
                                   [&](const store::ObjectInfo& info) {
                                     const bool part =
                                         info.key.find("/seg/") != std::string::npos ||
                                         info.key.find("/del/") != std::string::npos;
                                     there += part ? 1 : 0;
                                     return ok_status();
                                   })
                .ok());
    CHECK(there == named);
    // Data of other indices is there only while they are.
    REQUIRE(
        store::for_each_object(inside, "index/data/", deadline, [&](const store::ObjectInfo& info) {
          bool known = false;
          for (const auto& one : (*opened)->all())
            known |= info.key.find(one->uuid()) != std::string::npos;
          CHECK(known);
          return ok_status();
        }).ok());
  }
}

void at_each_call(FaultyStore::Fault fault, bool for_good) {
  for (std::size_t at = 0;; ++at) {
    CAPTURE(at);
    Machine machine;
    const auto inside = store::memory_store();
    FaultyStore store(*inside);
    store.set(at, fault, for_good);
    Model model;
    bool created = false;
    live(machine, store, model, created);
    const bool reached = store.reached();
    check_after(machine, *inside, model, created);
    if (!reached) {
      CHECK(at > 50);
      return;
    }
  }
}

TEST_CASE("crash: the process ends before any one call, and nothing acknowledged is lost") {
  at_each_call(FaultyStore::Fault::lost_call, true);
}

TEST_CASE("crash: the process ends after any one call, before its answer") {
  at_each_call(FaultyStore::Fault::lost_answer, true);
}

TEST_CASE("faults: any one call fails, and the index goes on") {
  at_each_call(FaultyStore::Fault::lost_call, false);
}

TEST_CASE("faults: the answer of any one call is lost, and the index goes on") {
  at_each_call(FaultyStore::Fault::lost_answer, false);
}

// Segments that have an index of their vectors, flushed, merged by themselves and all into one.
void live_of_vectors(Machine& machine, store::Store& store, Model& model) {
  const auto deadline = os::Deadline::in_ms(60'000);
  auto opened =
      Indices::open(store, machine.pool, machine.clock, *machine.random, small_options(), deadline);
  if (!opened) return;
  auto made = (*opened)->create("i", Fixture::json(R"({"properties": {"v": {
      "type": "dense_vector", "dims": 2, "similarity": "l2_norm"}}})"),
                                Json(), deadline);
  if (!made) return;
  for (int segment = 0; segment < 2; ++segment) {
    std::vector<WriteOperation> batch;
    for (int i = 0; i < 1'100; ++i) {
      const int n = segment * 1'000 + i;  // some of them anew
      WriteOperation operation;
      operation.id = std::to_string(n);
      operation.source = R"({"n": )" + std::to_string(segment) + R"(, "v": [)" +
                         std::to_string(n % 50) + ", " + std::to_string(n / 50 + segment) + "]}";
      batch.push_back(std::move(operation));
    }
    model.write(**made, std::move(batch), deadline);
    (void)(*made)->flush(deadline).ok();
  }
  (void)(*made)->maintain(deadline).ok();
  model.write(**made, {remove_of("7")}, deadline);
  (void)(*made)->force_merge(1, deadline).ok();
}

// What was acknowledged is there, and each vector is the nearest to itself.
void check_vectors(Machine& machine, store::Store& inside, const Model& model) {
  const auto deadline = os::Deadline::in_ms(60'000);
  auto opened = Indices::open(inside, machine.pool, machine.clock, *machine.random, small_options(),
                              deadline);
  REQUIRE(opened.ok());
  const auto index = (*opened)->find("i");
  if (!index) return;
  model.check(**index);
  for (const bool merged : {false, true}) {
    CAPTURE(merged);
    if (merged) REQUIRE((*index)->force_merge(1, deadline).ok());
    const auto view = (*index)->view();
    for (const char* id : {"3", "640", "1050", "1900"}) {
      const auto doc = view->find(id, deadline);
      REQUIRE(doc.ok());
      if (!doc->has_value()) continue;
      const auto source = parse_json(*view->source(**doc, deadline));
      REQUIRE(source.ok());
      const Json& v = *source->find("v");
      KnnQuery knn{.field = "v", .vector = {}, .k = 3};
      for (const Json& x : v.as_array()) knn.vector.push_back(static_cast<float>(x.as_double()));
      const auto found = view->search(Query{.node = knn}, SearchParams{}, deadline);
      REQUIRE(found.ok());
      REQUIRE(!found->hits.empty());
      CHECK(found->hits.front().score == 1);
    }
  }
}

TEST_CASE("crash: at any one call while vectors are flushed and merged") {
  for (const bool answered : {false, true}) {
    for (std::size_t at = 2;; at += sanitized ? 4 : 1) {
      CAPTURE(at);
      Machine machine;
      const auto inside = store::memory_store();
      FaultyStore store(*inside);
      store.set(at, answered ? FaultyStore::Fault::lost_answer : FaultyStore::Fault::lost_call,
                true);
      Model model;
      live_of_vectors(machine, store, model);
      const bool reached = store.reached();
      check_vectors(machine, *inside, model);
      if (reached) continue;
      CHECK(at > 20);
      break;
    }
  }
}

TEST_CASE("take-over: an owner that was overtaken cannot write any more") {
  Machine machine;
  const auto store = store::memory_store();
  const auto deadline = os::Deadline::in_ms(60'000);
  auto first = Indices::open(*store, machine.pool, machine.clock, *machine.random, small_options(),
                             deadline);
  REQUIRE(first.ok());
  auto index = (*first)->create("i", Json(), Json(), deadline);
  REQUIRE(index.ok());
  Model model;
  model.write(**index, {put_of("a", 1)}, deadline);

  auto second = Indices::open(*store, machine.pool, machine.clock, *machine.random, small_options(),
                              deadline);
  REQUIRE(second.ok());
  const auto late = (*index)->write(std::vector{put_of("a", 2)}, deadline);
  REQUIRE(!late.ok());
  CHECK(late.error().kind == ErrorKind::unavailable);
  CHECK(!(*index)->flush(deadline).ok());
  const auto owned = (*second)->find("i");
  REQUIRE(owned.ok());
  model.check(**owned);
  model.write(**owned, {put_of("a", 3)}, deadline);
  model.check(**owned);
}

TEST_CASE(
    "damage: a segment whose bytes changed is reported by name, and only its index is closed") {
  Machine machine;
  const auto store = store::memory_store();
  const auto deadline = os::Deadline::in_ms(60'000);
  {
    auto opened = Indices::open(*store, machine.pool, machine.clock, *machine.random,
                                small_options(), deadline);
    REQUIRE(opened.ok());
    for (const char* name : {"good", "bad"}) {
      auto index = (*opened)->create(name, Json(), Json(), deadline);
      REQUIRE(index.ok());
      Model model;
      model.write(**index, {put_of("a", 1), put_of("b", 2)}, deadline);
      REQUIRE((*index)->flush(deadline).ok());
      if (std::string(name) == "good") continue;
      std::string segment;
      REQUIRE(store::for_each_object(*store, "index/data/" + (*index)->uuid() + "/seg/", deadline,
                                     [&](const store::ObjectInfo& info) {
                                       segment = info.key;
                                       return ok_status();
                                     })
                  .ok());
      auto bytes = store->get(segment, deadline);
      REQUIRE(bytes.ok());
      bytes->bytes[bytes->bytes.size() / 2] ^= 1;
      REQUIRE(store->put(segment, bytes->bytes, deadline).ok());
    }
  }
  auto opened = Indices::open(*store, machine.pool, machine.clock, *machine.random, small_options(),
                              deadline);
  REQUIRE(opened.ok());
  CHECK((*opened)->find("good").ok());
  const auto bad = (*opened)->find("bad");
  REQUIRE(!bad.ok());
  CHECK(bad.error().kind == ErrorKind::corrupt);
  CHECK(bad.error().message.find("/seg/") != std::string::npos);
}

}  // namespace
}  // namespace cairn::index::crash_test
