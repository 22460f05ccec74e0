// SPDX-License-Identifier: Apache-2.0
#include "remotestore/lease.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "remotestore/fake_cluster_test.h"
#include "remotestore/process_identity.h"

namespace lease_test {

using namespace cairn;
using namespace cairn::remotestore;

namespace {

const os::Deadline patience = os::Deadline::in_ms(600'000);

std::unique_ptr<Lease> must_acquire(Cluster& cluster, LeaseOptions options = {}) {
  auto lease = Lease::acquire(cluster, std::move(options), patience);
  REQUIRE_MESSAGE(lease.ok(), (lease.ok() ? std::string() : lease.error().message));
  return std::move(*lease);
}

/// A record as an owner on another machine would leave it.
std::string foreign_record(int renewals) {
  return R"({"id":"x","host":"far","machine":"other","pid":7,"started":"1","since":"then","n":)" +
         std::to_string(renewals) + "}................";
}

const std::string owner_name = "p/~cairn/owner";

/// A cluster that loses renewals and does each only after the record was read again: it stood still.
class LateRenewals {
 public:
  explicit LateRenewals(int count) : left_(count) {
    cluster_.fate = [this](const auto& request) { return fate_of(request); };
    cluster_.after = [this](const auto& request) { do_what_was_lost(request); };
  }
  FakeCluster& cluster() { return cluster_; }
  int done() const { return done_; }

 private:
  Fate fate_of(const FakeCluster::Request& request) {
    const std::string match = request.header("If-Match");
    if (request.name != owner_name || match.empty())
      return request.name == owner_name && request.method == "HEAD" ? Fate::denied : Fate::served;
    // Only one whose condition holds has something left to do.
    if (match.find(cluster_.objects().at(owner_name).etag) == std::string::npos || left_ == 0)
      return Fate::served;
    --left_;
    const std::lock_guard lock(mutex_);
    lost_ = request.body;
    return Fate::request_lost;
  }
  void do_what_was_lost(const FakeCluster::Request& request) {
    const std::lock_guard lock(mutex_);
    if (request.name != owner_name || request.method != "GET" || !lost_) return;
    cluster_.put_foreign(owner_name, *lost_);
    lost_.reset();
    ++done_;
  }

  std::atomic<int> left_;
  std::atomic<int> done_{0};
  std::mutex mutex_;
  std::optional<std::string> lost_;  // the bytes of a renewal; guarded by mutex_
  FakeCluster cluster_;              // last: it ends before what its threads use
};

}  // namespace

TEST_CASE("lease: a second owner is refused while the first one lives, and follows when it stops") {
  FakeCluster cluster;
  const auto first = cluster.open();
  const auto second = cluster.open();
  auto lease = must_acquire(*first, {.lease_ms = 3'000});
  const auto store = first->store("s/", {.guard = lease.get()});
  REQUIRE(store->put("k", "1", patience).ok());
  const auto refused = Lease::acquire(*second, {.lease_ms = 60'000}, patience);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::conflict);
  CHECK(refused.error().message.find(std::to_string(::getpid())) != std::string::npos);
  CHECK(refused.error().message.find("Stop it first") != std::string::npos);
  lease.reset();
  const auto next = must_acquire(*second, {.lease_ms = 3'600'000});  // no waiting for that
  CHECK(next->check(patience).ok());
}

TEST_CASE("lease: one that is ended while it is renewed is given back all the same") {
  std::mutex mutex;
  std::condition_variable changed;
  bool renewed = false, ended = false;
  FakeCluster cluster;  // ends before what its threads use
  cluster.after = [&](const FakeCluster::Request& request) {
    if (request.method != "PUT" || request.name != owner_name || request.header("If-Match").empty()) {
      return;
    }
    std::unique_lock lock(mutex);
    if (renewed) return;  // the first renewal alone: it was done, and its answer comes too late
    renewed = true;
    changed.notify_all();
    changed.wait(lock, [&] { return ended; });
  };
  const auto place = cluster.open();
  {
    const auto lease = must_acquire(*place, {.lease_ms = 30});
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return renewed; });
  }
  const std::string left = cluster.objects().at(owner_name).bytes;
  {
    const std::lock_guard lock(mutex);
    ended = true;
  }
  changed.notify_all();
  CHECK(left.find(R"("released":true)") != std::string::npos);
}

TEST_CASE("lease: an owner of this machine that is gone is followed at once") {
  FakeCluster cluster;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  // Nobody has waited for it yet: its entry tells when it started.
  const ProcessIdentity self = this_process();
  REQUIRE_FALSE(self.machine.empty());
  CHECK_FALSE(is_surely_gone(self));
  ::waitpid(child, nullptr, 0);
  ProcessIdentity gone = self;
  gone.pid = child;
  CHECK(is_surely_gone(gone));
  gone.machine = "another";
  CHECK_FALSE(is_surely_gone(gone));
  cluster.put_foreign("p/~cairn/owner", R"({"id":"x","host":"h","machine":")" + self.machine +
                                            R"(","pid":)" + std::to_string(child) +
                                            R"(,"started":"1"}................)");
  const auto place = cluster.open();
  const auto lease = must_acquire(*place, {.lease_ms = 3'600'000});
  CHECK(lease->check(patience).ok());
}

TEST_CASE("lease: a silent owner elsewhere is followed after its time, one that renews is not") {
  FakeCluster cluster;
  cluster.put_foreign("p/~cairn/owner", foreign_record(1));
  const auto place = cluster.open();
  CHECK(must_acquire(*place, {.lease_ms = 200})->check(patience).ok());
  cluster.put_foreign("p/~cairn/owner", foreign_record(2));
  cluster.after = [&, n = std::make_shared<std::atomic<int>>(3)](const auto& request) {
    if (request.method == "GET") cluster.put_foreign("p/~cairn/owner", foreign_record((*n)++));
  };
  const auto refused = Lease::acquire(*place, {.lease_ms = 200}, patience);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("far") != std::string::npos);
}

TEST_CASE("lease: who lost the place changes nothing any more, and is told") {
  FakeCluster cluster;
  const auto place = cluster.open();
  std::mutex mutex;
  std::condition_variable changed;
  bool told = false;
  const auto lease = must_acquire(*place, {.lease_ms = 1'000, .on_lost = [&] {
                                             const std::lock_guard lock(mutex);
                                             told = true;
                                             changed.notify_all();
                                           }});
  const auto store = place->store("s/", {.guard = lease.get()});
  cluster.put_foreign("p/~cairn/owner", foreign_record(9));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return told; });
  CHECK(lease->lost());
  const auto put = store->put("k", "1", patience);
  CHECK(put.error().kind == ErrorKind::unavailable);
  CHECK(put.error().message.find("taken over") != std::string::npos);
  CHECK_FALSE(store->remove("k", patience).ok());
  CHECK_FALSE(store->remove_batch({"k"}, patience).ok());
  CHECK_FALSE(store->begin_upload("k", patience).ok());
  CHECK_FALSE(cluster.objects().contains("p/s/k"));
}

TEST_CASE("lease: while the cluster is away nothing is changed, and it goes on afterwards") {
  std::atomic<bool> away{false};
  FakeCluster cluster;
  cluster.fate = [&](const FakeCluster::Request&) { return away ? Fate::denied : Fate::served; };
  const auto place = cluster.open();
  const auto lease = must_acquire(*place, {.lease_ms = 600});
  const auto store = place->store("s/", {.guard = lease.get()});
  while (!store->put("k", "1", patience).ok()) os::sleep_ms(5, patience);
  away = true;
  while (lease->check(patience).ok()) os::sleep_ms(5, patience);
  CHECK(store->put("k", "2", patience).error().kind == ErrorKind::unavailable);
  away = false;
  while (!lease->check(patience).ok()) os::sleep_ms(5, patience);
  while (!store->put("k", "3", patience).ok()) os::sleep_ms(5, patience);
  CHECK(store->get("k", patience)->bytes == "3");
}

TEST_CASE("lease: a renewal of its own that is done late is not taken for another owner") {
  LateRenewals late(1);
  FakeCluster& cluster = late.cluster();
  const auto place = cluster.open();
  const auto lease = must_acquire(*place, {.lease_ms = 600});
  const auto etag = [&] { return cluster.objects().at(owner_name).etag; };
  while (late.done() == 0) os::sleep_ms(5, patience);
  const std::string of_the_late_one = etag();
  while (!lease->lost() && etag() == of_the_late_one) os::sleep_ms(5, patience);
  REQUIRE_FALSE(lease->lost());
  const auto store = place->store("s/", {.guard = lease.get()});
  while (!store->put("k", "1", patience).ok()) os::sleep_ms(5, patience);
}

TEST_CASE("lease: renewals of its own that are done late give it no time") {
  LateRenewals late(1'000'000);
  const auto place = late.cluster().open();
  const auto lease = must_acquire(*place, {.lease_ms = 600});
  while (lease->check(patience).ok()) os::sleep_ms(5, patience);
  const int until_then = late.done();
  while (!lease->lost() && late.done() < until_then + 3) {
    os::sleep_ms(5, patience);
    CHECK_FALSE(lease->check(patience).ok());
  }
  CHECK_FALSE(lease->lost());
}

TEST_CASE("lease: where the record cannot be read after a refused renewal, it is not lost yet") {
  std::atomic<int> refused{0};
  std::atomic<bool> hidden{false};
  FakeCluster cluster;
  cluster.fate = [&](const FakeCluster::Request& request) {
    if (request.name != owner_name) return Fate::served;
    if (hidden && request.method == "PUT") ++refused;
    return hidden && request.method != "PUT" ? Fate::denied : Fate::served;
  };
  const auto place = cluster.open();
  const auto lease = must_acquire(*place, {.lease_ms = 600});
  hidden = true;
  cluster.put_foreign(owner_name, foreign_record(9));
  while (!lease->lost() && refused < 3) os::sleep_ms(5, patience);
  CHECK_FALSE(lease->lost());
  hidden = false;
  while (!lease->lost()) os::sleep_ms(5, patience);
}

}  // namespace lease_test
