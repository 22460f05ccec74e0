// SPDX-License-Identifier: Apache-2.0
// Claims of signatures: a first line with the target, then header fields, one a line. Nothing that
// is not signed with the secret may verify.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "s3/signing/signing.h"
#include "s3/wire/vendor_fields.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  net::RequestHead head;
  head.method = "GET";
  bool first = true;
  for (const std::string_view line :
       split(std::string_view(reinterpret_cast<const char*>(data), size), '\n')) {
    if (first) {
      head.target = line;
      first = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    head.headers.add(line.substr(0, colon), line.substr(colon + 1));
  }
  (void)s3::dialect_of(head);
  const auto claim = s3::read_claim(head);
  if (!claim.ok() || !claim->has_value()) return 0;
  static s3::SigningKeys keys;
  const s3::VerifyParams params{.secret = "a secret that no input knows",
                                .now_ms = (*claim)->time_ms};
  if (s3::verify_claim(**claim, head, params, keys).ok()) std::abort();
  return 0;
}
