// SPDX-License-Identifier: Apache-2.0
// A Target at work: takes the bytes of one call, over all its attempts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/body.h"

namespace cairn::objectclient {

/// True for what is there and no regular file: a device, a pipe. Bytes go into it as they come.
bool takes_bytes_as_they_come(const std::string& path);

class Sink {
 public:
  Sink(const Target& target, std::string& body) : target_(target), body_(body) {}
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  Status write(std::string_view bytes);
  /// False where somebody has what came already.
  bool restartable() const;
  /// Throws away what came.
  bool restart();
  /// All of it came, and was right.
  Status finish();
  std::uint64_t taken() const { return taken_; }

 private:
  Status open_file();

  const Target& target_;
  std::string& body_;
  std::string part_;  // the file's name until it is finished
  int descriptor_ = -1;
  bool as_they_come_ = false;  // it is no regular file
  std::uint64_t taken_ = 0;
};

}  // namespace cairn::objectclient
