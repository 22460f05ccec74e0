// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/service.h"

#include <utility>

#include "objectclient/client.h"
#include "objectclient/call/params.h"
#include "objectclient/service_errors.h"
#include "objectclient/transfer.h"
#include "objectclient/call/value_json.h"

namespace cairn::cli {
namespace {

using objectclient::CallInfo;

/// The error with what is known of its call, for those who print it as JSON.
Error failure_of_call(Error error, const CallInfo& info) {
  error.details.emplace_back("operation", info.operation);
  if (!info.bucket.empty()) error.details.emplace_back("bucket", info.bucket);
  if (!info.key.empty()) error.details.emplace_back("key", info.key);
  if (info.status != 0) error.details.emplace_back("status", std::to_string(info.status));
  if (!info.request_id.empty()) error.details.emplace_back("request_id", info.request_id);
  error.details.emplace_back("attempts", std::to_string(info.attempts));
  return error;
}

template <class Output>
Error failure_of(const objectclient::Response<Output>& response) {
  return failure_of_call(response.error(), response.call());
}

/// The parameters that `In` has, as its structure.
template <class In>
Result<In> typed_params(const Params& params) {
  const s3::Shape& shape = s3::shape_of<In>();
  Json known = Json::object();
  for (const auto& [name, value] : params)
    if (shape.find(name) != nullptr) known.set(name, objectclient::json_of(value));
  In in{};
  CAIRN_CHECK(objectclient::read_params(shape, known, {}, &in));
  return in;
}

objectclient::UploadOptions upload_options(const PartSettings& parts,
                                           const objectclient::Progress& progress,
                                           const os::Deadline& deadline) {
  return {.multipart_threshold_bytes = parts.threshold_bytes,
          .part_bytes = parts.part_bytes,
          .threads = parts.threads,
          .resume_path = parts.resume_path,
          .progress = progress,
          .deadline = deadline};
}

Result<Uploaded> uploaded_of(const objectclient::Response<objectclient::UploadResult>& response) {
  if (!response.ok()) return failure_of(response);
  return Uploaded{.etag = response->etag, .parts_reused = response->parts_reused};
}

}  // namespace

Service::Service(objectclient::Client client, os::Deadline deadline)
    : client_(std::make_shared<objectclient::Client>(client.without_exceptions())),
      deadline_(std::move(deadline)) {}

Result<Value> Service::call(std::string_view operation, const Params& params,
                            const objectclient::Body& body, const objectclient::Target& target,
                            const objectclient::Progress& progress) const {
  const auto response =
      client_->call(operation, params, body, target, {.deadline = deadline_, .progress = progress});
  if (!response.ok()) return failure_of(response);
  return response.data();
}

Result<Uploaded> Service::upload_file(const Params& params, const std::string& path,
                                      const PartSettings& parts,
                                      const objectclient::Progress& progress) const {
  CAIRN_TRY(const auto in, typed_params<s3::PutObjectInput>(params));
  return uploaded_of(
      objectclient::upload_file(*client_, in, path, upload_options(parts, progress, deadline_)));
}

Result<Uploaded> Service::upload_stream(const Params& params, net::BodyReader& reader,
                                        const PartSettings& parts,
                                        const objectclient::Progress& progress) const {
  CAIRN_TRY(const auto in, typed_params<s3::PutObjectInput>(params));
  return uploaded_of(objectclient::upload_stream(*client_, in, reader,
                                                 upload_options(parts, progress, deadline_)));
}

Result<Value> Service::download(const Params& params, const std::string& path,
                                const PartSettings& parts,
                                const objectclient::Progress& progress) const {
  CAIRN_TRY(const auto in, typed_params<s3::GetObjectInput>(params));
  const auto response = objectclient::download(*client_, in, path,
                                               {.part_bytes = parts.part_bytes,
                                                .threads = parts.threads,
                                                .progress = progress,
                                                .deadline = deadline_});
  if (!response.ok()) return failure_of(response);
  return objectclient::value_of(
      objectclient::params_json(s3::shape_of<s3::GetObjectOutput>(), &response.data()));
}

Result<objectclient::PresignedRequest> Service::presign(std::string_view operation,
                                                        const Params& params,
                                                        std::int64_t expires_in_s) const {
  // There is no response that could hold the error: this one always throws.
  try {
    return client_->presign(operation, params, {.expires_in_s = expires_in_s},
                            {.deadline = deadline_});
  } catch (const objectclient::ClientError& error) {
    return error.error();
  }
}

Result<objectclient::PresignedPost> Service::presign_post(
    const std::string& bucket, const std::string& key,
    const objectclient::PresignedPostOptions& options) const {
  try {
    return client_->presign_post(bucket, key, options, {.deadline = deadline_});
  } catch (const objectclient::ClientError& error) {
    return error.error();
  }
}

Service Service::until(os::Deadline deadline) const { return {client_, std::move(deadline)}; }
std::string Service::endpoint() const { return *client_->options().endpoint; }
std::string Service::region() const { return *client_->options().region; }

}  // namespace cairn::cli
