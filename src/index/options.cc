// SPDX-License-Identifier: Apache-2.0
#include "index/options.h"

#include "index/errors.h"

namespace cairn::index {

Status Options::validate() const {
  const auto wrong = [](const char* name, const char* why) {
    return illegal_argument(std::string("[index.") + name + "] " + why);
  };
  if (builder_bytes < 4096) return wrong("builder_bytes", "must be at least 4096");
  if (flush_bytes < builder_bytes) return wrong("flush_bytes", "must be at least builder_bytes");
  if (flush_log_objects == 0) return wrong("flush_log_objects", "must be at least 1");
  if (log_object_bytes == 0) return wrong("log_object_bytes", "must be at least 1");
  if (merge_factor < 2) return wrong("merge_factor", "must be at least 2");
  if (segment_bytes_max < segment_bytes_floor)
    return wrong("segment_bytes_max", "must be at least segment_bytes_floor");
  if (max_clauses == 0) return wrong("max_clauses", "must be at least 1");
  return ok_status();
}

}  // namespace cairn::index
