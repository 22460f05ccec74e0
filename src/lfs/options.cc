// SPDX-License-Identifier: Apache-2.0
#include "lfs/options.h"

#include <algorithm>

#include "net/client/client.h"
#include "s3/model.h"
#include "s3/signing/signing.h"

namespace cairn::lfs {
namespace {

Error fault(std::string what) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(what)};
}

Status check_url(const std::string& setting, const std::string& url) {
  if (url.empty()) return ok_status();
  const auto parsed = net::parse_url(url);
  if (!parsed.ok()) return fault(setting + ": " + parsed.error().message);
  if (url.find_first_of("?#") != std::string::npos)
    return fault(setting + " must be a URL without a query, as https://cairn.example.com");
  return ok_status();
}

}  // namespace

Status Options::validate() const {
  CAIRN_CHECK(check_url("lfs.public_url", public_url));
  CAIRN_CHECK(check_url("objects.public_url", objects_public_url));
  for (const std::string& pattern : public_repositories)
    if (std::count(pattern.begin(), pattern.end(), '/') != 1)
      return fault("lfs.public must name repositories, as acme/models or acme/*; it names [" +
                   pattern + "]");
  if (batch_objects_max < 1 || batch_objects_max > 10'000)
    return fault("lfs.batch_objects must be from 1 to 10000");
  if (url_lifetime_ms < 60'000 || url_lifetime_ms > s3::presigned_seconds_max * 1000)
    return fault("lfs.url_lifetime must be from 1m to 7d");
  if (object_bytes_max < 1 || object_bytes_max > s3::put_bytes_max)
    return fault("lfs.object_max must be from 1b to 5gb: an object is sent in one piece");
  return ok_status();
}

}  // namespace cairn::lfs
