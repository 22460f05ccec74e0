// SPDX-License-Identifier: Apache-2.0
// Short texts out of targets and header fields: URLs, queries, ranges, sources of copies,
// continuation tokens, dates, ARNs, sizes and times. What is read is within what was asked for.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/time.h"
#include "net/address.h"
#include "net/client/client.h"
#include "objectclient/endpoint/arn.h"
#include "objectclient/endpoint/endpoint_rules.h"
#include "s3api/wire/address.h"
#include "s3api/wire/continuation.h"
#include "s3api/wire/range.h"

namespace {

using namespace cairn;

void check_ranges(std::string_view text) {
  constexpr std::uint64_t object_bytes = 1000;
  const auto asked = s3api::parse_range(text);
  if (!asked) return;
  const auto range = s3api::resolve_range(*asked, object_bytes);
  if (range && (range->offset >= object_bytes || range->count > object_bytes - range->offset))
    std::abort();
}

void check_dates(std::string_view text) {
  if (const auto date = parse_http_date(text);
      date && parse_http_date(format_http_date(*date)) != date)
    std::abort();
  if (const auto date = parse_basic_iso8601(text);
      date && parse_basic_iso8601(format_basic_iso8601(*date)) != date)
    std::abort();
  (void)parse_iso8601(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_ranges(text);
  check_dates(text);
  (void)s3api::parse_copy_range(text);
  (void)s3api::read_copy_source(text);
  net::RequestHead head;
  head.target = text;
  (void)s3api::read_address(head, {"example.com"});
  if (const auto after = s3api::read_continuation_token(text);
      after && s3api::read_continuation_token(s3api::continuation_token(*after)) != after)
    std::abort();
  (void)net::parse_url(text);
  (void)net::parse_host_port(text);
  (void)net::parse_query(text);
  (void)objectclient::parse_arn(text);
  (void)objectclient::parse_custom_endpoint(text);
  (void)parse_time_value(text, "t");
  (void)parse_byte_size(text, "b");
  return 0;
}
