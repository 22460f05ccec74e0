// SPDX-License-Identifier: Apache-2.0
#include "backup/pieces.h"

#include <algorithm>
#include <utility>

namespace cairn::backup {

Status PieceWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), piece_bytes_ - gathered_.size());
    gathered_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (gathered_.size() == piece_bytes_) CAIRN_CHECK(put());
  }
  return ok_status();
}

Status PieceWriter::put() {
  CAIRN_TRY(auto piece, repository_.put_piece(gathered_, deadline_));
  names_.push_back(std::move(piece.name));
  const std::size_t plain = gathered_.size();
  gathered_.clear();
  return on_piece_(plain, piece.added_bytes);
}

Result<std::vector<std::string>> PieceWriter::finish() {
  if (!gathered_.empty()) CAIRN_CHECK(put());
  return std::move(names_);
}

std::function<Result<std::string>()> piece_reader(Repository& repository,
                                                  const std::vector<std::string>& pieces,
                                                  const os::Deadline& deadline) {
  return [&repository, &pieces, &deadline, at = std::size_t{0}]() mutable -> Result<std::string> {
    if (at == pieces.size()) return std::string();
    return repository.get_piece(pieces[at++], deadline);
  };
}

}  // namespace cairn::backup
