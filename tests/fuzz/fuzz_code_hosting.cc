// SPDX-License-Identifier: Apache-2.0
// Whatever a service answers: items with paths of their own, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "connectors/sources/code_hosting/code_hosting_answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::connectors;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  SourcePage page;
  std::string latest;
  if (read_hosted_items(static_cast<HostedKind>(data[0] % 5), "o/r", text, {}, page, latest).ok())
    for (const SourceItem& item : page.items)
      if (!item.path.starts_with("o/r/")) std::abort();
  static_cast<void>(read_hosted_file(text).ok());
  const std::string link = next_link(text);
  if (!link.empty() && text.find(link) == std::string_view::npos) std::abort();
  return 0;
}
