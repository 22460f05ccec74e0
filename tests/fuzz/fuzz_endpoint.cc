// SPDX-License-Identifier: Apache-2.0
// Where a request goes: a bucket, a region and an endpoint, one a line. Whatever they are, the host
// is the vendor's or the endpoint's.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/client/client.h"
#include "objectclient/endpoint/endpoint.h"

namespace {

std::string next_line(std::string_view& text) {
  const std::string line(text.substr(0, text.find('\n')));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool is_below(std::string_view host, std::string_view suffix) {
  return host == suffix || (host.ends_with(suffix) && host[host.size() - suffix.size() - 1] == '.');
}

void check(cairn::objectclient::EndpointParams params) {
  const auto endpoint = cairn::objectclient::resolve_endpoint(params);
  if (!endpoint.ok()) {
    if (endpoint.error().message.empty()) std::abort();
    return;
  }
  const auto url = cairn::net::parse_url(endpoint->url);
  if (!url.ok()) std::abort();
  // Some kinds of buckets are the vendor's alone, whatever the endpoint.
  if (is_below(url->host, "cloud.example")) return;
  const auto own = cairn::net::parse_url(params.endpoint.value_or(""));
  if (!own.ok() || !is_below(url->host, own->host)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  cairn::objectclient::EndpointParams params;
  params.bucket = next_line(text);
  params.region = next_line(text);
  const std::string endpoint = next_line(text);
  // All partitions have one suffix here, so that the host's end is known.
  params.hosts.dns_suffix = "cloud.example";
  for (int options = 0; options < 8; ++options) {
    params.force_path_style = (options & 1) != 0;
    params.use_s3_express_control_endpoint = (options & 2) != 0;
    params.accelerate = (options & 4) != 0;
    params.endpoint.reset();
    check(params);
    if (endpoint.empty()) continue;
    params.endpoint = endpoint;
    check(params);
  }
  return 0;
}
