// SPDX-License-Identifier: Apache-2.0
// Bytes from a file, or from standard input.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/http/message.h"
#include "objectclient/body.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::cli {

/// Reads a descriptor that may be a pipe or a terminal; ends with the deadline. For one thread.
class DescriptorReader final : public net::BodyReader {
 public:
  DescriptorReader(int descriptor, os::Deadline deadline)
      : descriptor_(descriptor), deadline_(std::move(deadline)) {}
  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  const net::Headers& trailers() const override { return none_; }

 private:
  const int descriptor_;
  const os::Deadline deadline_;
  const net::Headers none_;
};

/// A body, and the file without a name that keeps what came from standard input.
struct InputBody {
  objectclient::Body body = {};
  std::unique_ptr<os::File> kept = {};
};

/// `path`, or all of the descriptor for "-". Errors: those of files; cancelled.
Result<InputBody> input_body(const std::string& path, int descriptor, const os::Deadline& deadline);

/// Writes all of it to a descriptor. Errors: unavailable.
Status write_to_descriptor(int descriptor, std::string_view bytes);

}  // namespace cairn::cli
