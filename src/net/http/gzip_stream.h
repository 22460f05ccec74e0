// SPDX-License-Identifier: Apache-2.0
// Compressing a reply as it is written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cairn::net {

class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  /// Appends what is ready to `out`.
  void write(std::string_view bytes, std::string& out);
  /// Appends everything written so far, so that the reader can see it.
  void flush(std::string& out);
  void end(std::string& out);

 private:
  struct Impl;
  void run(std::string_view bytes, int mode, std::string& out);
  std::unique_ptr<Impl> impl_;
};

/// True where Accept-Encoding takes gzip.
bool accepts_gzip(std::string_view accept_encoding);
/// True for types that shrink: text, JSON, XML and their relatives; not event streams.
bool is_compressible(std::string_view content_type);

}  // namespace cairn::net
