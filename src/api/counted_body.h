// SPDX-License-Identifier: Apache-2.0
// A body whose bytes are counted while somebody reads them.
#pragma once

#include <cstdint>

#include "net/http/message.h"

namespace cairn::api {

/// As the one that it reads, which outlives it.
class CountedBody final : public net::BodyReader {
 public:
  explicit CountedBody(net::BodyReader& from) : from_(from) {}
  Result<std::size_t> read(std::span<char> into) override {
    auto count = from_.read(into);
    if (count.ok()) bytes_ += *count;
    return count;
  }
  std::optional<std::uint64_t> length() const override { return from_.length(); }
  const net::Headers& trailers() const override { return from_.trailers(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  net::BodyReader& from_;
  std::uint64_t bytes_ = 0;
};

}  // namespace cairn::api
