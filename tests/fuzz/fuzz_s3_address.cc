// SPDX-License-Identifier: Apache-2.0
// Which bucket, key or access point a request means: host, target and copy source, one a line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "s3/access_points.h"
#include "s3api/wire/address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const auto lines = split(std::string_view(reinterpret_cast<const char*>(data), size), '\n');
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : std::string_view(); };
  const std::vector<std::string> domains = {"objects.example.com", "o"};
  net::RequestHead head;
  head.method = "GET";
  head.headers.add("Host", line(0));
  head.target = line(1);
  const auto address = s3api::read_address(head, domains);
  if (address.ok() && address->access_point) {
    const s3::AccessPointName& name = *address->access_point;
    if (!s3::is_account_id(name.account_id)) std::abort();
    if (name.name + "-" + name.account_id != address->host_label) std::abort();
  }
  const auto source = s3api::read_copy_source(line(2), domains);
  if (source.ok() && source->key.empty()) std::abort();
  const auto arn = s3::parse_access_point_arn(line(2));
  if (arn && (arn->point.name.empty() || !s3::is_account_id(arn->point.account_id))) std::abort();
  return 0;
}
