// SPDX-License-Identifier: Apache-2.0
// One request on its way through the service, in its stages: parsed, its sender known, admitted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "gate/request_scope.h"
#include "net/http/message.h"
#include "objectstore/bucket_state.h"
#include "objectstore/core/access_points.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "os/files/direct_buffers.h"
#include "os/random.h"
#include "s3/operations/operation.h"
#include "s3/signing/signing.h"
#include "s3/wire/dialect.h"
#include "s3/wire/wire.h"
#include "s3/wire/xml_body.h"
#include "s3api/access/access.h"
#include "s3api/forms/upload_form.h"
#include "s3api/identity.h"
#include "s3api/options.h"
#include "s3api/table_copy.h"
#include "s3api/wire/address.h"
#include "s3api/wire/keep_alive.h"

namespace cairn::s3api {

class DirectorySessions;
class GrantTokens;
struct GrantBook;
class KeyNames;
class RenameTokens;
struct AccountBook;

/// What outlives every request.
struct Context {
  objectstore::Engine& engine;
  const Options& options;
  const os::Clock& clock;
  s3::SigningKeys& signing_keys;
  KeyNames* key_names = nullptr;  // null: no key service
  KeepAliveTimer& keep_alive_timer;
  const AccountBook& accounts;
  os::DirectBuffers& large_buffers;  // pump.h
  const DirectorySessions* sessions;  // null: nothing seals them
  const GrantTokens* grant_tokens;    // likewise
  const GrantBook& grants;
  RenameTokens& rename_tokens;
  os::Random& random;
  const FindTableCopy& table_copy;  // empty: tables are not searched
};

/// What is known of a request before anybody's right to ask, and what its reply will have. Errors
/// of every stage are told from here.
struct ParsedCall {
  net::Exchange& exchange;
  const Context& context;
  Address address = {};
  /// That the address names; its bucket stands in `address` then.
  objectstore::AccessPointView access_point = {};
  bool by_alias = false;   // and names by its alias
  std::string outpost_id = {};  // that the control API is asked about
  bool directory = false;  // it is about a directory bucket, or about all of them
  net::QueryParameters query = {};
  s3::Dialect dialect = s3::Dialect::aws;
  bool dialect_shown = true;  // else the answer has its fields in both
  const s3::Operation* operation = nullptr;
  std::unique_ptr<UploadForm> form = {};  // of a browser; null: the request is none
  std::string named_key = {};     // the key that the request names, verified or not: for the log
  net::Headers extra = {};        // go out with the reply or the error
  gate::RequestScope scope = {};  // until the reply is written
  int refused_status = 0;         // of a request over its limits
  std::function<void(int status)> before_success = {};  // called with what is about to be sent
  bool answered = false;          // the reply was sent
  bool kept_alive = false;        // 200 and white space are out; result or error follow

  objectstore::Engine& engine() const { return context.engine; }
  /// Whether it is signed for outposts: it comes through an access point of one, or asks the control
  /// API about one.
  bool of_outpost() const {
    return !outpost_id.empty() || (access_point != nullptr && access_point->point.is_of_outpost());
  }
  /// What a session is for: the directory bucket, or its access point that the host names.
  const std::string& session_name() const {
    return access_point != nullptr ? access_point->point.name : address.bucket;
  }
  const os::Deadline& deadline() const { return exchange.deadline; }
  /// Where the bytes of an object are read.
  net::BodyReader& bytes() const { return form != nullptr ? *form->file : exchange.body; }
};

/// The bucket of a request and what it names there, once it is admitted (admission.h).
struct Admission {
  objectstore::BucketView bucket = {};  // of the address
  BucketRules rules = {};               // of that bucket
  std::string version = {};  // the version id that the request names; empty: the current one
  std::optional<std::string_view> named_version() const {
    return version.empty() ? std::nullopt : std::optional<std::string_view>(version);
  }
};

/// A request whose sender is known: what handlers and readers of bodies take.
struct Call : ParsedCall, Admission {
  Call(ParsedCall&& parsed, Identity&& verified)
      : ParsedCall(std::move(parsed)), identity(std::move(verified)) {}

  Identity identity;
  std::string document = {};                          // the body, where it is no object's
  int status = 0;                                     // of success; 0: the operation's own
  std::optional<s3::PreparedElements> prepared = {};  // of the result, see there

  /// With the fields of a form or of a presigned query.
  const net::RequestHead& head() const {
    if (form != nullptr) return form->head;
    return identity.presigned() ? *identity.presigned() : exchange.head;
  }
  const net::Headers& headers() const { return head().headers; }
  /// A header field by its name in dialect aws.
  std::optional<std::string_view> header(std::string_view aws_name) const;
  objectstore::ObjectName object() const { return {address.bucket, address.key, version}; }
  s3::RequestView view() const { return {address.bucket, address.key, query, headers(), document}; }
};

/// Finds the bucket of the address. Errors: NoSuchBucket; AccessDenied (another expected owner);
/// InvalidBucketOwnerAWSAccountID; redirects to the region of the bucket.
Status open_bucket(Call& call);
/// The same for another bucket, the source of a copy.
/// `through`: it is asked through an access point, without which nobody reaches a bucket of an outpost.
Result<objectstore::BucketView> find_bucket(const Call& call, std::string_view name,
                                            const std::optional<std::string>& expected_owner,
                                            bool through);

/// What the call is, for decisions. Refers to the call.
AccessContext access_of(const Call& call);
/// What it is about: its bucket, its key and version, and `object` where that is known.
AccessSubject subject_of(const Call& call, const s3::Object* object = nullptr);
/// Whether the caller may do the operation of the call. Errors: AccessDenied.
Status allow(const Call& call, const s3::Object* object = nullptr);

/// Who makes a change, as the journal of a bucket keeps it. Refers to the call.
objectstore::ChangeOrigin origin_of(const Call& call);

/// The version id as results of the bucket show it: nothing where versioning was never on.
std::optional<std::string> shown_version(const objectstore::BucketState& bucket,
                                         const s3::Object& object);
/// True for details of errors that go out as header fields.
bool is_header_detail(std::string_view name);
/// A fault of the engine about an object as the caller may hear it, with what clients expect
/// beside.
Error object_fault(const Call& call, Error error, std::string_view key);

inline constexpr std::string_view global_region = "us-east-1";
/// Where a bucket is: its location constraint, else the region of this service.
std::string region_of(const s3::Bucket& bucket, const Options& options);

/// Errors: KeyTooLongError.
Status check_key(std::string_view key);

/// InvalidArgument with ArgumentName and ArgumentValue.
Error bad_argument(std::string_view name, std::string_view value, std::string message);

/// A page size of a request: at most 1,000, 1,000 where it says nothing.
/// Errors: InvalidArgument.
Result<std::int64_t> page_limit(std::string_view name, const std::optional<std::int64_t>& asked);

/// "\"etag\"", as the wire has it.
std::string quoted(std::string_view etag);

}  // namespace cairn::s3api
