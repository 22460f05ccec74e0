// SPDX-License-Identifier: Apache-2.0
#include "remotestore/wire.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/encode.h"
#include "base/strings.h"
#include "objectclient/client.h"
#include "objectclient/token_watch.h"
#include "remotestore/names.h"

namespace cairn::remotestore {
namespace {

using objectclient::CallInfo;
using objectclient::CallOptions;
using objectclient::Client;
using objectclient::ClientOptions;
using objectclient::Response;

constexpr const char* mark_field = "cairn-put";
constexpr const char* key_field = "cairn-key";
constexpr int abort_rounds_max = 5;
constexpr double abort_pause_s = 0.2;

std::string unquoted(std::string etag) {
  std::erase(etag, '"');
  return etag;
}

std::string quoted(const std::string& etag) { return "\"" + etag + "\""; }

/// Kinds that a store may give; the service's code is in the message.
Error plain_error(Error error) {
  switch (error.kind) {
    case ErrorKind::internal:
    case ErrorKind::rate_limited:
    case ErrorKind::conflict:
    case ErrorKind::precondition_failed:
    case ErrorKind::already_exists:
    case ErrorKind::not_found:
      error.kind = ErrorKind::unavailable;
      break;
    case ErrorKind::unauthenticated:
      error.kind = ErrorKind::permission_denied;
      break;
    default:
      break;
  }
  for (const char* const full : {"InsufficientStorage", "QuotaExceeded", "XMinioStorageFull"})
    if (error.code == full) error.kind = ErrorKind::storage_full;
  error.code.clear();
  error.details.clear();
  return error;
}

bool is_missing_bucket(const Error& error) { return error.code == "NoSuchBucket"; }

/// RequestTimeTooSkewed: the client has learnt the service's time by then.
bool is_throttled(const Error& error, int status) {
  return status == 429 || error.code == "RequestTimeTooSkewed" || error.code == "SlowDown" ||
         error.code == "ConditionalRequestConflict" || error.code == "OperationAborted" ||
         error.code.find("Expired") != std::string::npos;
}

template <class Output>
Outcome outcome_of(const Response<Output>& response) {
  if (response.ok()) return Outcome::done;
  const Error& error = response.error();
  const int status = response.call().status;
  if (response.call().attempts == 0) return Outcome::failed;
  // Nothing was sent: no connection may be made to that address.
  if (status == 0 && error.kind == ErrorKind::permission_denied) return Outcome::failed;
  // A no to a repeated call may come of the first one's success.
  const bool repeated = response.call().retries > 0;
  if (status == 412) return repeated ? Outcome::unclear : Outcome::refused;
  if (is_throttled(error, status)) return repeated ? Outcome::unclear : Outcome::again;
  if (status == 404 && !is_missing_bucket(error))
    return repeated ? Outcome::unclear : Outcome::absent;
  const bool full = plain_error(error).kind == ErrorKind::storage_full;
  if (status == 501 || (status >= 300 && status < 500) || full) return Outcome::failed;
  return Outcome::unclear;
}

template <class Output>
Answer answer_of(const Response<Output>& response) {
  Answer answer{.outcome = outcome_of(response)};
  if (!response.ok()) answer.error = plain_error(response.error());
  if constexpr (requires(const Output& output) { output.etag; })
    if (response.ok()) answer.etag = unquoted(response->etag.value_or(""));
  return answer;
}

/// For calls that have no condition: an error, or nothing.
template <class Output>
Status status_of(const Response<Output>& response) {
  if (response.ok()) return ok_status();
  return plain_error(response.error());
}

s3::Metadata metadata_of(const PutMetadata& metadata) {
  s3::Metadata out;
  out[mark_field] = metadata.mark;
  if (!metadata.key.empty()) out[key_field] = to_base64url(metadata.key);
  return out;
}

RemoteInfo info_of(const std::string& name, const s3::GetObjectOutput& output) {
  RemoteInfo info{.name = name};
  info.size_bytes =
      static_cast<std::uint64_t>(std::max<std::int64_t>(output.content_length.value_or(0), 0));
  info.etag = unquoted(output.etag.value_or(""));
  if (output.last_modified) info.modified_ms = output.last_modified->unix_ms;
  for (const auto& [field, value] : output.metadata) {
    if (equals_ignore_case(field, mark_field)) info.mark = value;
    if (equals_ignore_case(field, key_field)) info.key = from_base64url(value).value_or("");
  }
  return info;
}

/// "bytes 3-7/10" says that there are 10.
std::optional<std::uint64_t> total_of(const std::optional<std::string>& content_range) {
  if (!content_range) return std::nullopt;
  const auto slash = content_range->rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  return parse_number<std::uint64_t>(std::string_view(*content_range).substr(slash + 1));
}

std::string range_text(store::Range range) {
  std::string text = "bytes=" + std::to_string(range.offset) + "-";
  // Nothing at all cannot be asked for: one byte is.
  const std::uint64_t count = std::max<std::uint64_t>(range.count, 1);
  if (count < UINT64_MAX - range.offset) text += std::to_string(range.offset + count - 1);
  return text;
}

bool region_is_known() {
  for (const char* const name : {"AWS_REGION", "AMAZON_REGION", "AWS_DEFAULT_REGION"})
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
      return true;
  return false;
}

ClientOptions client_options(const Place& place, const Access& access) {
  ClientOptions options;
  if (!place.endpoint.empty()) options.endpoint = place.endpoint;
  if (!place.region.empty()) {
    options.region = place.region;
  } else if (!place.endpoint.empty() && !region_is_known()) {
    options.region = "us-east-1";
  }
  options.force_path_style = place.path_style.value_or(!place.endpoint.empty());
  if (!access.access_key.empty()) {
    options.access_key_id = access.access_key;
    options.secret_access_key = access.secret_key;
    if (!access.session_token.empty()) options.session_token = access.session_token;
  }
  // Keys and objects are for the endpoint that was named, not for a host that it names.
  options.follow_redirects = place.endpoint.empty();
  options.raise_response_errors = false;
  options.retry_mode = "standard";
  options.max_attempts = access.max_attempts;
  options.http_read_timeout = static_cast<double>(access.read_timeout_ms) / 1000;
  options.http_open_timeout = std::min(*options.http_read_timeout, 10.0);
  options.http_continue_timeout = 0.0;  // bodies are small: waiting for leave costs a round trip
  options.user_agent_suffix = "cairn-remotestore";
  return options;
}

}  // namespace

struct RemoteUpload::Parts {
  std::vector<s3::CompletedPart> all;
};

RemoteUpload::RemoteUpload() : parts(std::make_unique<Parts>()) {}
RemoteUpload::~RemoteUpload() = default;
RemoteUpload::RemoteUpload(RemoteUpload&&) noexcept = default;
RemoteUpload& RemoteUpload::operator=(RemoteUpload&&) noexcept = default;

struct Wire::Impl {
  Place place;
  Client client;
  ObjectSettings settings;
  std::uint64_t object_bytes_max = UINT64_MAX;
  std::atomic<bool> bare_etags{false};

  const std::string& bucket() const { return place.bucket; }
  std::string spelt(const std::string& etag) const { return bare_etags ? etag : quoted(etag); }
  /// Of a new object, in one piece or in parts.
  template <class Input>
  Input new_object(const std::string& name, const PutMetadata& metadata) const {
    const auto given = [](const std::string& value) {
      return value.empty() ? std::nullopt : std::optional(value);
    };
    Input input{.bucket = bucket(), .key = name};
    input.metadata = metadata_of(metadata);
    input.storage_class = given(settings.storage_class);
    input.acl = given(settings.acl);
    input.server_side_encryption = given(settings.server_side_encryption);
    return input;
  }
  template <class Input>
  void set_condition(Input& input, const store::Condition& condition) const {
    if (condition.if_none_match) input.if_none_match = "*";
    if (condition.if_match) input.if_match = spelt(*condition.if_match);
  }
};

Wire::Wire(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Wire::~Wire() = default;

Result<std::unique_ptr<Wire>> Wire::open(const Place& place, const Access& access,
                                         ObjectSettings settings) {
  CAIRN_CHECK(place.validate());
  objectclient::Environment environment = objectclient::system_environment();
  environment.check_address = access.check_address;
  auto client = Client::open(client_options(place, access), std::move(environment));
  if (!client.ok()) {
    Error error = std::move(client).error();
    error.code.clear();
    error.message = place.shown() + ": " + error.message;
    return error;
  }
  return std::unique_ptr<Wire>(
      new Wire(std::unique_ptr<Impl>(new Impl{.place = place,
                                              .client = std::move(*client),
                                              .settings = std::move(settings),
                                              .object_bytes_max = access.object_bytes_max})));
}

const Place& Wire::place() const { return impl_->place; }

void Wire::spell_etags_bare() { impl_->bare_etags = true; }

Status Wire::check_bucket(const os::Deadline& deadline) {
  const auto found = impl_->client.head_bucket({.bucket = impl_->bucket()}, {.deadline = deadline});
  if (found.ok()) return ok_status();
  if (found.call().status == 404)
    return Error{.kind = ErrorKind::not_found,
                 .message = "bucket [" + impl_->bucket() + "] does not exist; create it first"};
  return plain_error(found.error());
}

Result<RemoteObject> Wire::get(const std::string& name, std::optional<store::Range> range,
                               const os::Deadline& deadline) {
  s3::GetObjectInput input{.bucket = impl_->bucket(), .key = name};
  if (range) input.range = range_text(*range);
  auto got = impl_->client.get_object(input, objectclient::Target::memory(impl_->object_bytes_max),
                                      {.deadline = deadline});
  if (got.ok()) {
    RemoteObject object{.info = info_of(name, *got), .bytes = got.body()};
    if (const auto total = total_of(got->content_range)) {
      object.info.size_bytes = *total;
    } else if (range) {  // all of it came
      object.bytes.erase(0, std::min<std::size_t>(range->offset, object.bytes.size()));
      if (object.bytes.size() > range->count) object.bytes.resize(range->count);
    }
    return object;
  }
  Error error = plain_error(got.error());
  if (got.call().status == 404 && !is_missing_bucket(got.error()))
    error.kind = ErrorKind::not_found;
  if (got.call().status == 416) error.kind = ErrorKind::invalid_argument;
  return error;
}

Result<std::optional<RemoteInfo>> Wire::head(const std::string& name,
                                             const os::Deadline& deadline) {
  const auto found =
      impl_->client.head_object({.bucket = impl_->bucket(), .key = name}, {.deadline = deadline});
  if (found.ok()) return std::optional(info_of(name, *found));
  if (found.call().status == 404) return std::optional<RemoteInfo>();
  return plain_error(found.error());
}

Answer Wire::put(const std::string& name, std::string_view bytes, const PutMetadata& metadata,
                 const store::Condition& condition, bool retries, const os::Deadline& deadline) {
  auto input = impl_->new_object<s3::PutObjectInput>(name, metadata);
  impl_->set_condition(input, condition);
  return answer_of(
      impl_->client.put_object(input, bytes, {.deadline = deadline, .retries = retries}));
}

Answer Wire::remove(const std::string& name, const std::optional<std::string>& if_match,
                    bool retries, const os::Deadline& deadline) {
  s3::DeleteObjectInput input{.bucket = impl_->bucket(), .key = name};
  if (if_match) input.if_match = impl_->spelt(*if_match);
  return answer_of(impl_->client.delete_object(input, {.deadline = deadline, .retries = retries}));
}

Status Wire::remove_many(const std::vector<std::string>& names, const os::Deadline& deadline) {
  s3::DeleteObjectsInput input{.bucket = impl_->bucket()};
  for (const std::string& name : names) input.delete_.objects.push_back({.key = name});
  input.delete_.quiet = true;
  const auto gone = impl_->client.delete_objects(input, {.deadline = deadline});
  CAIRN_CHECK(status_of(gone));
  if (gone->errors.empty()) return ok_status();
  const auto& first = gone->errors.front();
  return Error{.kind = ErrorKind::unavailable,
               .message = std::to_string(gone->errors.size()) + " of " +
                          std::to_string(names.size()) + " objects were not deleted; of " +
                          first.key.value_or("?") + " the cluster says: " +
                          first.code.value_or("") + " " + first.message.value_or("")};
}

Result<RemotePage> Wire::list(const store::ListParams& params, const std::string& token,
                              const os::Deadline& deadline) {
  s3::ListObjectsV2Input input{.bucket = impl_->bucket()};
  input.max_keys = static_cast<std::int64_t>(std::min<std::size_t>(params.limit, 1000));
  if (!params.prefix.empty()) input.prefix = params.prefix;
  if (!params.delimiter.empty()) input.delimiter = params.delimiter;
  if (!token.empty()) {
    input.continuation_token = token;
  } else if (!params.start_after.empty()) {
    input.start_after = params.start_after;
  }
  const auto listed = impl_->client.list_objects_v2(input, {.deadline = deadline});
  CAIRN_CHECK(status_of(listed));
  RemotePage page;
  for (const auto& each : listed->contents) {
    RemoteInfo info{.name = each.key};
    info.size_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(each.size.value_or(0), 0));
    info.etag = unquoted(each.etag.value_or(""));
    if (each.last_modified) info.modified_ms = each.last_modified->unix_ms;
    page.objects.push_back(std::move(info));
  }
  for (const auto& each : listed->common_prefixes) page.prefixes.push_back(each.prefix);
  if (listed->is_truncated.value_or(false))
    page.next_token = listed->next_continuation_token.value_or("");
  return page;
}

Result<RemoteUpload> Wire::begin(const std::string& name, const PutMetadata& metadata,
                                 const os::Deadline& deadline) {
  auto input = impl_->new_object<s3::CreateMultipartUploadInput>(name, metadata);
  input.checksum_algorithm = "CRC32";
  const auto begun = impl_->client.create_multipart_upload(input, {.deadline = deadline});
  CAIRN_CHECK(status_of(begun));
  RemoteUpload upload;
  upload.name = name;
  upload.id = begun->upload_id.value_or("");
  return upload;
}

Status Wire::send_part(RemoteUpload& upload, std::string_view bytes, const os::Deadline& deadline) {
  s3::UploadPartInput input{.bucket = impl_->bucket(), .key = upload.name};
  input.upload_id = upload.id;
  input.part_number = static_cast<std::int64_t>(upload.parts->all.size()) + 1;
  input.checksum_algorithm = "CRC32";
  const auto sent = impl_->client.upload_part(input, bytes, {.deadline = deadline});
  CAIRN_CHECK(status_of(sent));
  s3::CompletedPart part{.etag = sent->etag.value_or("")};
  part.checksum_crc32 = sent->checksum_crc32;
  part.part_number = input.part_number;
  upload.parts->all.push_back(std::move(part));
  return ok_status();
}

Status Wire::copy_part(RemoteUpload& upload, const RemoteInfo& from, store::Range range,
                       const os::Deadline& deadline) {
  s3::UploadPartCopyInput input{.bucket = impl_->bucket(), .key = upload.name};
  input.upload_id = upload.id;
  input.part_number = static_cast<std::int64_t>(upload.parts->all.size()) + 1;
  input.copy_source = impl_->bucket() + "/" + percent_encode(from.name, "/");
  input.copy_source_if_match = quoted(from.etag);
  input.copy_source_range = range_text(range);
  const auto copied = impl_->client.upload_part_copy(input, {.deadline = deadline});
  if (!copied.ok()) {
    Error error = plain_error(copied.error());
    if (copied.call().status == 404) error.kind = ErrorKind::not_found;
    if (copied.call().status == 412) error.kind = ErrorKind::precondition_failed;
    return error;
  }
  s3::CompletedPart part;
  part.part_number = input.part_number;
  if (copied->copy_part_result) {
    part.etag = copied->copy_part_result->etag.value_or("");
    part.checksum_crc32 = copied->copy_part_result->checksum_crc32;
  }
  upload.parts->all.push_back(std::move(part));
  return ok_status();
}

Answer Wire::complete(const RemoteUpload& upload, const store::Condition& condition,
                      const os::Deadline& deadline) {
  s3::CompleteMultipartUploadInput input{.bucket = impl_->bucket(), .key = upload.name};
  input.upload_id = upload.id;
  input.multipart_upload.emplace().parts = upload.parts->all;
  impl_->set_condition(input, condition);
  return answer_of(
      impl_->client.complete_multipart_upload(input, {.deadline = deadline, .retries = false}));
}

Status Wire::abort(const RemoteUpload& upload, const os::Deadline& deadline) {
  const CallOptions call{.deadline = deadline};
  // A part that was on its way may arrive after an abort.
  for (int round = 1; round <= abort_rounds_max; ++round) {
    const auto aborted = impl_->client.abort_multipart_upload(
        {.bucket = impl_->bucket(), .key = upload.name, .upload_id = upload.id}, call);
    if (!aborted.ok() && aborted.call().status == 404) return ok_status();
    const auto left = impl_->client.list_parts(
        {.bucket = impl_->bucket(), .key = upload.name, .upload_id = upload.id}, call);
    if (!left.ok() && left.call().status == 404) return ok_status();
    CAIRN_CHECK(impl_->client.sleep(abort_pause_s, deadline));
  }
  return Error{.kind = ErrorKind::unavailable,
               .message = "upload " + upload.id + " of " + upload.name + " could not be aborted"};
}

Result<std::vector<RemoteUpload>> Wire::open_uploads(const std::string& prefix,
                                                     const os::Deadline& deadline) {
  std::vector<RemoteUpload> out;
  s3::ListMultipartUploadsInput input{.bucket = impl_->bucket()};
  if (!prefix.empty()) input.prefix = prefix;
  objectclient::TokenWatch watch;
  for (;;) {
    const auto listed = impl_->client.list_multipart_uploads(input, {.deadline = deadline});
    CAIRN_CHECK(status_of(listed));
    for (const auto& each : listed->uploads) {
      RemoteUpload upload;
      upload.name = each.key;
      upload.id = each.upload_id;
      // What a cluster lists beyond what was asked for is not ours.
      if (upload.name.starts_with(prefix) && !upload.id.empty()) out.push_back(std::move(upload));
    }
    if (!listed->is_truncated.value_or(false)) return out;
    input.key_marker = listed->next_key_marker;
    input.upload_id_marker = listed->next_upload_id_marker;
    CAIRN_CHECK(
        watch.see(input.key_marker.value_or("") + '\0' + input.upload_id_marker.value_or("")));
  }
}

}  // namespace cairn::remotestore
