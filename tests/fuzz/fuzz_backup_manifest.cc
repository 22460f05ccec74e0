// SPDX-License-Identifier: Apache-2.0
// Manifests of backups and lists of extents: what is read is written again as it was.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backup/key.h"
#include "backup/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto extents = backup::decode_extents(text); extents.ok()) {
    const auto again = backup::decode_extents(backup::encode_extents(*extents));
    if (!again.ok() || again->size() != extents->size()) std::abort();
  }
  static const auto key =
      *backup::Key::parse("cairn-backup-key-1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  if (key.open(text, "a context", 1 << 20).ok()) std::abort();  // nobody sealed it
  if (const auto parsed = backup::Key::parse(text); parsed.ok() && !backup::Key::parse(parsed->text()).ok())
    std::abort();
  const auto json = parse_json(text);
  if (!json.ok()) return 0;
  const auto manifest = backup::manifest_of(*json);
  if (!manifest.ok()) return 0;
  const Json written = backup::to_json(*manifest);
  const auto again = backup::manifest_of(written);
  if (!again.ok() || backup::to_json(*again).dump() != written.dump()) std::abort();
  return 0;
}
