// SPDX-License-Identifier: Apache-2.0
// One request on its way through the service, after it was understood and before it is answered.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/message.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "s3/dialect.h"
#include "s3/operation.h"
#include "s3/signing.h"
#include "s3/wire.h"
#include "s3api/address.h"
#include "s3api/options.h"

namespace cairn::s3api {

/// What outlives every request.
struct Surroundings {
  objectstore::Engine& engine;
  const Options& options;
  const os::Clock& clock;
  s3::SigningKeys& signing_keys;
};

struct Call {
  net::Exchange& exchange;
  const Surroundings& around;
  Address address = {};
  net::QueryParameters query = {};
  s3::Dialect dialect = s3::Dialect::aws;
  const s3::Operation* operation = nullptr;
  s3::Claim claim = {};
  std::string secret = {};  // of the claim's key
  s3::Owner caller = {};
  std::string user = {};
  std::string document = {};  // the XML body, where the operation has one
  net::Headers extra = {};    // go out with the reply or the error
  bool answered = false;      // the handler has sent the reply itself
  bool kept_alive = false;    // 200 and white space are out; result or error follow

  objectstore::Engine& engine() const { return around.engine; }
  const os::Deadline& deadline() const { return exchange.deadline; }
  const net::Headers& headers() const { return exchange.head.headers; }
  /// A header field by its name in dialect aws.
  std::optional<std::string_view> header(std::string_view aws_name) const;
  objectstore::ObjectName object() const { return {address.bucket, address.key}; }
  s3::RequestView view() const { return {address.bucket, address.key, query, headers(), document}; }
};

/// The bucket of the call, which the caller owns. Errors: NoSuchBucket, AccessDenied,
/// InvalidBucketOwnerAWSAccountID.
Result<s3::Bucket> own_bucket(const Call& call, const std::optional<std::string>& expected_owner);
/// The same for another bucket, the source of a copy.
Result<s3::Bucket> own_bucket(const Call& call, std::string_view name,
                              const std::optional<std::string>& expected_owner);

/// Errors: KeyTooLongError.
Status check_key(std::string_view key);

/// InvalidArgument with ArgumentName and ArgumentValue.
Error bad_argument(std::string_view name, std::string_view value, std::string message);

/// A page size of a request: at most 1,000, 1,000 where it says nothing.
/// Errors: InvalidArgument.
Result<std::int64_t> page_limit(std::string_view name, const std::optional<std::int64_t>& asked);

/// Objects of buckets without versions have the version `null` and no other.
/// Errors: InvalidArgument.
Status check_version_id(const std::optional<std::string>& version_id);

/// "\"etag\"", as the wire has it.
std::string quoted(std::string_view etag);

}  // namespace cairn::s3api
