// SPDX-License-Identifier: Apache-2.0
// The bytes of objects: where those of a request come from, and where those of a reply go.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::objectclient {

/// Opens the bytes from their beginning. Called again for each attempt.
using OpenBody = std::function<Result<std::unique_ptr<net::BodyReader>>()>;

/// The bytes of a request. Copies are cheap and mean the same bytes.
class Body {
 public:
  Body() = default;  // none
  /// Bytes that somebody else keeps until the call has ended.
  Body(std::string_view bytes) : bytes_(bytes) {}    // NOLINT(google-explicit-constructor)
  Body(const char* bytes) : bytes_(bytes) {}         // NOLINT(google-explicit-constructor)
  Body(const std::string& bytes) : bytes_(bytes) {}  // NOLINT(google-explicit-constructor)
  /// A file, or a part of it. It must not change during the call.
  static Body file(std::string path, std::uint64_t offset = 0,
                   std::optional<std::uint64_t> length = {});
  /// Bytes that can be read once: a failed attempt is final. The reader must know its length, and
  /// outlives the call.
  static Body reader(net::BodyReader& reader);
  /// Bytes that `open` gives as often as it is asked; `length` of them.
  static Body source(OpenBody open, std::uint64_t length);

  /// A part of a body in memory or in a file.
  Body slice(std::uint64_t offset, std::uint64_t length) const;

  /// Nothing for a file that cannot be looked at; open() says why.
  std::optional<std::uint64_t> length() const;
  bool rewindable() const { return once_ == nullptr; }
  /// The bytes, where they lie in memory.
  std::optional<std::string_view> in_memory() const;
  /// A reader at the first byte. Errors: those of the file; invalid_argument for a body that can
  /// be read once and was.
  Result<std::unique_ptr<net::BodyReader>> open() const;

 private:
  struct Once;
  std::string_view bytes_ = {};
  std::string path_ = {};
  std::uint64_t offset_ = 0;
  std::optional<std::uint64_t> length_ = {};
  OpenBody open_ = {};
  std::shared_ptr<Once> once_ = {};
};

/// Takes a piece of an object. An error ends the call with it.
using TakeBytes = std::function<Status(std::string_view bytes)>;

/// Where the bytes of a reply go.
class Target {
 public:
  Target() = default;  // the response's `body`
  /// That too; more than `bytes_max` ends the call with too_large, which no retry mends.
  static Target memory(std::uint64_t bytes_max);
  /// A file that appears when all of it is there and right. An old one stays until then. Devices
  /// and pipes get the bytes as they come, and a failure after the first byte is not tried again
  /// from the start.
  static Target file(std::string path);
  /// A function, piece by piece. What it has taken it keeps, so that a failure after the first
  /// byte is not tried again from the start: where only the connection broke, the rest is asked
  /// for with a range.
  static Target function(TakeBytes take);

 private:
  friend class Sink;
  std::string path_ = {};
  TakeBytes take_ = {};
  std::uint64_t memory_max_ = UINT64_MAX;
};

/// Called with the bytes so far, and all there will be where that is known. From the calling
/// thread; with a retry the count begins again.
using Progress = std::function<void(std::uint64_t bytes, std::optional<std::uint64_t> total)>;

}  // namespace cairn::objectclient
