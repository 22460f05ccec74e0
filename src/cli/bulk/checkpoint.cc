// SPDX-License-Identifier: Apache-2.0
#include "cli/bulk/checkpoint.h"

#include <algorithm>

#include "format/json.h"
#include "os/files/files.h"

namespace cairn::cli {

Status LoadCheckpoint::write(const std::string& path) const {
  const Json text = Json::object({{"version", 1},
                                  {"index", index},
                                  {"id_field", id_field},
                                  {"load", load},
                                  {"lines", lines},
                                  {"bytes", bytes},
                                  {"mark", mark},
                                  {"loaded", loaded},
                                  {"rejected", rejected},
                                  {"rejects_bytes", rejects_bytes},
                                  {"done", done}});
  return os::replace_file(path, text.dump() + "\n", 0644);
}

Result<std::optional<LoadCheckpoint>> LoadCheckpoint::read(const std::string& path) {
  const auto text = os::read_file(os::system_files(), path, 64 << 10);
  if (!text.ok() && text.error().kind == ErrorKind::not_found)
    return std::optional<LoadCheckpoint>();
  if (!text.ok()) return text.error();
  const auto parsed = parse_json(*text);
  if (!parsed.ok() || parsed->int_or("version") != 1 || parsed->string_or("load").empty())
    return Error{.kind = ErrorKind::corrupt,
                 .message = path +
                            " is no checkpoint of a load; move it away, or name another "
                            "with --checkpoint"};
  const auto count = [&](const char* name) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, parsed->int_or(name)));
  };
  return std::optional(LoadCheckpoint{.index = parsed->string_or("index"),
                                      .id_field = parsed->string_or("id_field"),
                                      .load = parsed->string_or("load"),
                                      .lines = count("lines"),
                                      .bytes = count("bytes"),
                                      .mark = parsed->string_or("mark"),
                                      .loaded = count("loaded"),
                                      .rejected = count("rejected"),
                                      .rejects_bytes = count("rejects_bytes"),
                                      .done = parsed->bool_or("done")});
}

}  // namespace cairn::cli
