// SPDX-License-Identifier: Apache-2.0
// Whatever a repository makes git write: read, or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "connectors/sources/git/git_output.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::connectors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  NulFields fields;
  fields.add(text.substr(0, size / 2));
  fields.add(text.substr(size / 2));
  std::vector<std::string> some;
  while (auto field = fields.next()) {
    static_cast<void>(read_tree_entry(*field).ok());
    static_cast<void>(read_diff_entry(*field, "path").ok());
    static_cast<void>(read_blob_head(*field).ok());
    some.push_back(*std::move(field));
    if (some.size() == 5) {
      static_cast<void>(read_commit(some).ok());
      some.clear();
    }
  }
  static_cast<void>(read_reference(text).ok());
  static_cast<void>(packed_reference(text, "refs/heads/main"));
  return 0;
}
