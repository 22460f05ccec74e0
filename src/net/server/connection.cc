// SPDX-License-Identifier: Apache-2.0
// Slots and generations.
#include "net/server/connection.h"

#include <utility>

namespace cairn::net {

bool Connection::claim_event(std::uint32_t generation) {
  for (;;) {
    const std::uint64_t seen = state_.load();
    if (static_cast<std::uint32_t>(seen >> 8) != generation) return false;  // long gone
    switch (static_cast<Phase>(seen & 0xff)) {
      case Phase::armed:
        if (move(generation, Phase::armed, Phase::busy)) return true;
        break;
      case Phase::busy:
        if (move(generation, Phase::busy, Phase::again)) return false;
        break;
      default:
        return false;
    }
  }
}

bool Connection::let_go() {
  // The connection may be gone as soon as it is armed, so its generation is asked before.
  const std::uint32_t mine = generation();
  if (move(mine, Phase::busy, Phase::armed)) return true;
  set(Phase::busy);
  return false;
}

bool Connection::move(std::uint32_t generation, Phase from, Phase to) {
  std::uint64_t expected = std::uint64_t{generation} << 8 | unsigned(from);
  return state_.compare_exchange_strong(expected, std::uint64_t{generation} << 8 | unsigned(to));
}

ConnectionTable::ConnectionTable(std::size_t max)
    : max_(max), slabs_((max + slab_size - 1) / slab_size) {}

Connection* ConnectionTable::at(std::uint32_t index) {
  const std::size_t slab = index / slab_size;
  if (slab >= slabs_.size()) return nullptr;
  Connection* const first = slabs_[slab].load(std::memory_order_acquire);
  return first == nullptr ? nullptr : first + index % slab_size;
}

Connection* ConnectionTable::open(Transport transport, std::string peer) {
  const std::lock_guard lock(mutex_);
  if (count_ >= max_) return nullptr;
  std::uint32_t index = 0;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    index = used_++;
    if (index % slab_size == 0) {
      owned_.push_back(std::make_unique<Connection[]>(slab_size));
      slabs_[index / slab_size].store(owned_.back().get(), std::memory_order_release);
    }
  }
  Connection& connection = *at(index);
  connection.transport = std::move(transport);
  connection.peer = std::move(peer);
  connection.stop = std::stop_source();
  connection.index = index;
  connection.handler_since_ns = 0;
  connection.body_since_ns = 0;
  connection.head_since_ns = 0;
  connection.scanned = 0;
  connection.wanted = 0;
  connection.counted = 0;
  connection.lingered_bytes = 0;
  connection.mode = Connection::Mode::http;
  connection.watched = 0;
  connection.hung_up = false;
  connection.reset = false;
  connection.answering = false;
  const std::uint64_t next = (connection.state_.load() >> 8) + 1;
  connection.state_.store((next & 0xffffffff) << 8 | unsigned(Phase::busy));
  ++count_;
  return &connection;
}

std::stop_source ConnectionTable::stop_of(Connection& connection, std::uint32_t generation) {
  const std::lock_guard lock(mutex_);
  const bool same = connection.generation() == generation && connection.phase() != Phase::free;
  return same ? connection.stop : std::stop_source(std::nostopstate);
}

void ConnectionTable::close(Connection& connection) {
  const std::lock_guard lock(mutex_);
  connection.transport.close();
  if (connection.parked != nullptr) {
    connection.parked->detach();
    connection.parked.reset();
  }
  connection.saved = std::string();
  connection.stop = std::stop_source(std::nostopstate);
  connection.set(Phase::free);
  free_.push_back(connection.index);
  --count_;
}

void ConnectionTable::for_each(const std::function<void(Connection&)>& call,
                               const std::function<void()>& last) {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i < used_; ++i) {
    Connection& connection = *at(i);
    if (connection.phase() != Phase::free) call(connection);
  }
  if (last) last();
}

}  // namespace cairn::net
