// SPDX-License-Identifier: Apache-2.0
// Text out of files that strangers made, read in processes that a hostile one cannot leave.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/extract/file.h"
#include "os/deadline.h"

namespace cairn::connectors {

/// Safe from any thread.
class Extractor {
 public:
  virtual ~Extractor() = default;
  /// Title and text of a file. `name` tells its kind.
  /// Errors: unsupported: of a kind that is not read, without text, or encrypted; invalid_argument:
  /// damaged, or its reader crashed; too_large: it took more time, memory or text than is allowed;
  /// timeout, cancelled: by the deadline; unavailable: no process can be started.
  virtual Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                        const ExtractWishes& wishes,
                                        const os::Deadline& deadline) = 0;
};

struct ExtractorOptions {
  std::string program = "/proc/self/exe";  // this very program, also after it was replaced
  std::vector<std::string> words = {"extract-child"};  // before the bound of memory in MiB
  std::size_t children = 2;                            // at a time; further callers wait
  std::size_t memory_bytes = 512u << 20;               // of one child, above its program
  std::uint32_t cpu_ms = 30'000;                       // of computing for one file
  std::int64_t wall_ms = 60'000;                       // for one file
  std::size_t files_each = 5'000;  // that a child reads before another one follows
  std::size_t unpacked_bytes_max = 128u << 20;
  std::size_t text_bytes_max = 32u << 20;
  std::string pdftotext = {};  // its path; empty: PDFs are not read
};

/// Reads in child processes, which are kept, and replaced after a fault. PDFs are read by poppler's
/// program in a process of its own each.
std::unique_ptr<Extractor> child_extractor(ExtractorOptions options);

/// Where the system has poppler's `pdftotext`; empty where it has not.
std::string installed_pdftotext();

}  // namespace cairn::connectors
