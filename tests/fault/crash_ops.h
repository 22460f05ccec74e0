// SPDX-License-Identifier: Apache-2.0
// The writes of the kill test, made from (seed, writer, number) alone, so that the process that is
// killed and the one that looks afterwards mean the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "os/random.h"
#include "store/store.h"

namespace cairn::fault {

struct Op {
  enum class Kind { put, upload, remove, copy } kind = Kind::put;
  std::string key;
  std::string from;  // of a copy
  std::string body;
};

inline std::string key_of(int writer, std::uint64_t number) {
  return "w" + std::to_string(writer) + "/key" + std::to_string(number);
}

/// The key set of a writer is its own, so what its keys must hold follows from its calls alone.
inline Op op_of(std::uint64_t seed, int writer, std::uint64_t number) {
  const auto random = os::seeded_random(seed * 1'000'003 + number * 64 + writer);
  constexpr std::uint64_t keys = 8;
  Op op;
  op.key = key_of(writer, random->below(keys));
  const std::uint64_t kind = random->below(10);
  std::size_t bytes = random->below(6000);
  if (kind < 5)
    op.kind = Op::Kind::put;
  else if (kind < 7)
    op.kind = Op::Kind::upload;
  else
    op.kind = kind == 7 ? Op::Kind::remove : Op::Kind::copy;
  if (op.kind == Op::Kind::copy) op.from = key_of(writer, random->below(keys));
  if (random->below(4) == 0) bytes = 60'000 + random->below(300'000);
  // One random kilobyte, repeated with its place: cheap to make, and pieces cannot be swapped.
  const std::string piece = random->bytes(1000);
  while (op.body.size() < bytes) op.body += std::to_string(op.body.size()) + piece;
  return op;
}

inline Status run(store::Store& store, const Op& op) {
  const auto never = os::Deadline::never();
  switch (op.kind) {
    case Op::Kind::put: {
      CAIRN_CHECK(store.put(op.key, op.body, never));
      return ok_status();
    }
    case Op::Kind::upload: {
      CAIRN_TRY(const auto upload, store.begin_upload(op.key, never));
      for (std::size_t at = 0; at < op.body.size(); at += 10'000)
        CAIRN_CHECK(upload->write(std::string_view(op.body).substr(at, 10'000)));
      CAIRN_CHECK(upload->finish());
      return ok_status();
    }
    case Op::Kind::remove: {
      CAIRN_CHECK(store.remove(op.key, never));
      return ok_status();
    }
    case Op::Kind::copy: {
      const auto copied = store.copy(op.from, op.key, never);
      if (!copied.ok() && copied.error().kind != ErrorKind::not_found) return copied.error();
      return ok_status();
    }
  }
  return ok_status();
}

/// The same on a map.
inline void apply(std::map<std::string, std::string>& objects, const Op& op) {
  if (op.kind == Op::Kind::remove) {
    objects.erase(op.key);
  } else if (op.kind != Op::Kind::copy) {
    objects[op.key] = op.body;
  } else if (const auto from = objects.find(op.from); from != objects.end()) {
    const std::string body = from->second;
    objects[op.key] = body;
  }
}

}  // namespace cairn::fault
