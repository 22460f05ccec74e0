// SPDX-License-Identifier: Apache-2.0
// Exports of an audit log that strangers hand over: whatever they are, nothing but what was sealed
// passes without a fault.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "gate/trail/audit_segment.h"

namespace {

using namespace cairn;

const auth::SigningKey& signing() {
  static const auth::SigningKey key = auth::SigningKey::of_seed(std::string(32, 's')).value();
  return key;
}

/// Two segments that follow each other, as the file of the corpus has them.
std::string genuine_export() {
  std::string out;
  gate::ChainLink link;
  for (const int lines : {3, 2}) {
    gate::AuditSeal seal{.from = link.number + 1, .follows = link.mac};
    std::string text;
    for (int i = 0; i < lines; ++i)
      text += gate::chain_line(R"({"@timestamp":"2026-01-31T08:05:09.123Z","type":"audit"})",
                               link.number == 0, std::string(32, 'k'), link);
    seal.to = seal.newest = link.number;
    seal.lines = static_cast<std::uint64_t>(lines);
    seal.mac = link.mac;
    seal.sha256 = to_hex(sha256(text));
    seal.sealed_at = "2026-01-31T08:05:10.000Z";
    seal.key = signing().id();
    out += text + seal.encode(signing());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string genuine = genuine_export();
  static const auth::VerifyingKey key =
      auth::VerifyingKey::parse(signing().public_pem()).value();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  (void)auth::VerifyingKey::parse(input);
  gate::SegmentVerifier verifier(key, [](std::uint64_t, const std::string&) {});
  if (input.ends_with('\n')) input.remove_suffix(1);
  for (const auto line : split(input, '\n')) verifier.take(line);
  verifier.end_input();
  if (verifier.count().faults > 0) return 0;
  // The first segment, the second, or both.
  const std::size_t first = genuine.find('\n', genuine.find("audit.seal"));
  const std::string_view whole = std::string_view(genuine).substr(0, genuine.size() - 1);
  if (input != whole && input != whole.substr(0, first) && input != whole.substr(first + 1))
    std::abort();
  return 0;
}
