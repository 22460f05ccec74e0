// SPDX-License-Identifier: Apache-2.0
// Files to pieces and back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backup/repository.h"
#include "base/result.h"
#include "os/deadline.h"

namespace cairn::backup {

/// Takes bytes and puts a piece whenever there are enough. For one thread.
class PieceWriter {
 public:
  /// Called for each piece that was put; its error ends the work.
  using OnPiece = std::function<Status(std::size_t plain_bytes, std::uint64_t added_bytes)>;
  PieceWriter(Repository& repository, std::size_t piece_bytes, OnPiece on_piece,
              const os::Deadline& deadline)
      : repository_(repository),
        piece_bytes_(piece_bytes),
        on_piece_(std::move(on_piece)),
        deadline_(deadline) {}
  Status write(std::string_view bytes);
  /// The names of all pieces in order.
  Result<std::vector<std::string>> finish();

 private:
  Status put();
  Repository& repository_;
  const std::size_t piece_bytes_;
  const OnPiece on_piece_;
  const os::Deadline& deadline_;
  std::string gathered_;
  std::vector<std::string> names_;
};

/// The bytes of `pieces`, one piece a call; empty at the end. What is given outlives it.
std::function<Result<std::string>()> piece_reader(Repository& repository,
                                                  const std::vector<std::string>& pieces,
                                                  const os::Deadline& deadline);

}  // namespace cairn::backup
