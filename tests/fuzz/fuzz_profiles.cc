// SPDX-License-Identifier: Apache-2.0
// The configuration files of S3 tools, divided by the first byte 0: config, then credentials.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "objectclient/profiles.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using cairn::objectclient::Profiles;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t config_bytes = std::min(text.find('\0'), size);
  const auto profiles = Profiles::parse(text.substr(0, config_bytes), text.substr(config_bytes));
  if (!profiles.ok() && profiles.error().message.empty()) std::abort();
  if (!profiles.ok()) return 0;
  (void)profiles->value("default", "region");
  (void)profiles->service_value("default", "s3", "endpoint_url");
  (void)profiles->sso_value("my", "sso_region");
  return 0;
}
