// SPDX-License-Identifier: Apache-2.0
// The writes of the kill test, made from (seed, writer, number) alone, so that the process that is
// killed and the one that looks afterwards mean the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "objectstore/engine.h"
#include "objectstore/core/multipart.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::fault {

struct Op {
  enum class Kind { put, upload, remove, copy } kind = Kind::put;
  std::string key;
  std::string from;  // of a copy
  std::string body;
};

inline constexpr std::string_view crash_bucket = "bucket";

/// The same through the engine.
struct ObjectOp {
  enum class Kind { put, multipart, copy, append, remove, remove_many, abort } kind = Kind::put;
  std::string key;
  std::string from;  // of a copy, or the second key of many
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

/// What requests of the object service do, in turns that leave the collector much to collect:
/// completions of uploads over what stands, copies of what goes next, removals of several keys,
/// uploads that are given up.
inline ObjectOp object_op_of(std::uint64_t seed, int writer, std::uint64_t number) {
  const Op plain = op_of(seed, writer, number);
  const auto random = os::seeded_random(seed * 2'000'003 + number * 64 + writer);
  ObjectOp op{.key = plain.key, .from = key_of(writer, random->below(8)), .body = plain.body};
  const std::uint64_t kind = random->below(14);
  if (kind < 3)
    op.kind = ObjectOp::Kind::put;
  else if (kind < 6)
    op.kind = ObjectOp::Kind::multipart;
  else if (kind < 8)
    op.kind = ObjectOp::Kind::copy;
  else if (kind < 10)
    op.kind = ObjectOp::Kind::remove;
  else if (kind < 12)
    op.kind = kind == 10 ? ObjectOp::Kind::remove_many : ObjectOp::Kind::abort;
  else
    op.kind = ObjectOp::Kind::append;
  return op;
}

/// Parts of a third of the body each; the last one is never listed.
inline Status upload_parts(objectstore::Engine& engine, const objectstore::ObjectName& name,
                           const std::string& upload_id, const std::string& body) {
  const auto never = os::Deadline::never();
  const std::string_view all = body;
  const std::size_t third = all.size() / 3;
  for (int number = 1; number <= 4; ++number) {
    CAIRN_TRY(const auto part,
              engine.uploads().begin_part(name, upload_id, number, std::nullopt, never));
    const std::size_t at = third * static_cast<std::size_t>(number - 1);
    const std::size_t bytes = number < 3 ? third : std::string::npos;
    CAIRN_CHECK(part->write(number == 4 ? all : all.substr(at, bytes)));
    CAIRN_CHECK(part->finish({}, never));
  }
  return ok_status();
}

inline Status run_upload(objectstore::Engine& engine, const objectstore::ObjectName& name,
                         const ObjectOp& op) {
  const auto never = os::Deadline::never();
  auto& uploads = engine.uploads();
  CAIRN_TRY(const auto upload, uploads.create(name, {}, never));
  CAIRN_CHECK(upload_parts(engine, name, upload.upload_id, op.body));
  if (op.kind == ObjectOp::Kind::abort) return uploads.abort(name, upload.upload_id, never);
  const auto judge = [](const std::vector<s3::Part>&) -> Result<objectstore::Completed> {
    return objectstore::Completed{.etag = "0-3"};
  };
  CAIRN_CHECK(
      uploads.complete(name, upload.upload_id, {.numbers = {1, 2, 3}, .judge = judge}, never));
  return ok_status();
}

/// Behind what is there; an empty body is none.
inline Status run_append(objectstore::Engine& engine, const objectstore::ObjectName& name,
                         const std::string& body) {
  const auto never = os::Deadline::never();
  if (body.empty()) return ok_status();
  CAIRN_TRY(const auto there, engine.look(name, never));
  CAIRN_TRY(const auto writer,
            engine.begin_append(name, {.offset = there ? there->size_bytes : 0}, never));
  CAIRN_CHECK(writer->write(body));
  CAIRN_CHECK(writer->finish({}, never));
  return ok_status();
}

inline Status run(objectstore::Engine& engine, const ObjectOp& op) {
  const auto never = os::Deadline::never();
  const objectstore::ObjectName name{crash_bucket, op.key};
  switch (op.kind) {
    case ObjectOp::Kind::put: {
      // With a checksum, so that copies move no bytes.
      CAIRN_CHECK(
          engine.put(name, op.body, {.checksum = s3::Checksum{.value = "AAAAAAAAAAA="}}, never));
      return ok_status();
    }
    case ObjectOp::Kind::multipart:
    case ObjectOp::Kind::abort:
      return run_upload(engine, name, op);
    case ObjectOp::Kind::append:
      return run_append(engine, name, op.body);
    case ObjectOp::Kind::copy: {
      const auto copied = engine.copy({crash_bucket, op.from}, name, {}, never);
      if (!copied.ok() && copied.error().kind != ErrorKind::not_found) return copied.error();
      return ok_status();
    }
    case ObjectOp::Kind::remove: {
      CAIRN_CHECK(engine.remove(name, never));
      return ok_status();
    }
    case ObjectOp::Kind::remove_many: {
      CAIRN_CHECK(engine.remove_batch(crash_bucket, {op.key, op.from}, never));
      return ok_status();
    }
  }
  return ok_status();
}

inline void apply(std::map<std::string, std::string>& objects, const ObjectOp& op) {
  switch (op.kind) {
    case ObjectOp::Kind::put:
    case ObjectOp::Kind::multipart:
      objects[op.key] = op.body;
      break;
    case ObjectOp::Kind::append:
      if (!op.body.empty()) objects[op.key] += op.body;
      break;
    case ObjectOp::Kind::copy:
      if (const auto from = objects.find(op.from); from != objects.end()) {
        const std::string body = from->second;
        objects[op.key] = body;
      }
      break;
    case ObjectOp::Kind::remove_many:
      objects.erase(op.from);
      objects.erase(op.key);
      break;
    case ObjectOp::Kind::remove:
      objects.erase(op.key);
      break;
    case ObjectOp::Kind::abort:
      break;
  }
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
