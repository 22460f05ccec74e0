// SPDX-License-Identifier: Apache-2.0
// From codes to classes.
#include "objectclient/service_errors.h"

#include <algorithm>
#include <utility>

namespace cairn::objectclient {
namespace {

template <class Exception>
[[noreturn]] void throw_as(const Error& error, const CallInfo& call) {
  throw Exception(error, call);
}

struct Row {
  std::string_view code;
  void (*raise)(const Error& error, const CallInfo& call);
};
template <class Exception>
constexpr Row service_row() {
  return {Exception::error_code, &throw_as<Exception>};
}

constexpr Row service_rows[] = {
    service_row<errors::AccessControlListNotSupported>(),
    service_row<errors::AccessDenied>(),
    service_row<errors::AccessForbidden>(),
    service_row<errors::AuthorizationHeaderMalformed>(),
    service_row<errors::AuthorizationQueryParametersError>(),
    service_row<errors::BadDigest>(),
    service_row<errors::BadRequest>(),
    service_row<errors::BucketAlreadyExists>(),
    service_row<errors::BucketAlreadyOwnedByYou>(),
    service_row<errors::BucketNotEmpty>(),
    service_row<errors::ConditionalRequestConflict>(),
    service_row<errors::EntityTooLarge>(),
    service_row<errors::EntityTooSmall>(),
    service_row<errors::ExpiredToken>(),
    service_row<errors::Forbidden>(),
    service_row<errors::IllegalLocationConstraintException>(),
    service_row<errors::IllegalVersioningConfigurationException>(),
    service_row<errors::IncompleteBody>(),
    service_row<errors::InternalError>(),
    service_row<errors::InvalidAccessKeyId>(),
    service_row<errors::InvalidArgument>(),
    service_row<errors::InvalidBucketAclWithBlockPublicAccessError>(),
    service_row<errors::InvalidBucketAclWithObjectOwnership>(),
    service_row<errors::InvalidBucketName>(),
    service_row<errors::InvalidBucketOwnerAWSAccountID>(),
    service_row<errors::InvalidBucketState>(),
    service_row<errors::InvalidChunkSizeError>(),
    service_row<errors::InvalidDigest>(),
    service_row<errors::InvalidEncryptionAlgorithmError>(),
    service_row<errors::InvalidLocationConstraint>(),
    service_row<errors::InvalidObjectState>(),
    service_row<errors::InvalidPart>(),
    service_row<errors::InvalidPartNumber>(),
    service_row<errors::InvalidPartOrder>(),
    service_row<errors::InvalidRange>(),
    service_row<errors::InvalidRequest>(),
    service_row<errors::InvalidStorageClass>(),
    service_row<errors::InvalidTag>(),
    service_row<errors::InvalidToken>(),
    service_row<errors::InvalidURI>(),
    service_row<errors::KMSDisabledException>(),
    service_row<errors::KMSNotFoundException>(),
    service_row<errors::KeyTooLongError>(),
    service_row<errors::MalformedACLError>(),
    service_row<errors::MalformedPolicy>(),
    service_row<errors::MalformedTrailerError>(),
    service_row<errors::MalformedXML>(),
    service_row<errors::MaxMessageLengthExceeded>(),
    service_row<errors::MetadataTooLarge>(),
    service_row<errors::MethodNotAllowed>(),
    service_row<errors::MissingContentLength>(),
    service_row<errors::MissingRequestBodyError>(),
    service_row<errors::MissingSecurityHeader>(),
    service_row<errors::MovedTemporarily>(),
    service_row<errors::NoSuchBucket>(),
    service_row<errors::NoSuchBucketPolicy>(),
    service_row<errors::NoSuchCORSConfiguration>(),
    service_row<errors::NoSuchConfiguration>(),
    service_row<errors::NoSuchKey>(),
    service_row<errors::NoSuchLifecycleConfiguration>(),
    service_row<errors::NoSuchObjectLockConfiguration>(),
    service_row<errors::NoSuchPublicAccessBlockConfiguration>(),
    service_row<errors::NoSuchTagSet>(),
    service_row<errors::NoSuchUpload>(),
    service_row<errors::NoSuchVersion>(),
    service_row<errors::NoSuchWebsiteConfiguration>(),
    service_row<errors::NotFound>(),
    service_row<errors::NotImplemented>(),
    service_row<errors::NotModified>(),
    service_row<errors::ObjectAlreadyInActiveTierError>(),
    service_row<errors::ObjectLockConfigurationNotFoundError>(),
    service_row<errors::ObjectNotInActiveTierError>(),
    service_row<errors::OperationAborted>(),
    service_row<errors::OwnershipControlsNotFoundError>(),
    service_row<errors::PermanentRedirect>(),
    service_row<errors::PolicyTooLarge>(),
    service_row<errors::PreconditionFailed>(),
    service_row<errors::ReplicationConfigurationNotFoundError>(),
    service_row<errors::RequestEntityTooLarge>(),
    service_row<errors::RequestHeaderSectionTooLarge>(),
    service_row<errors::RequestTimeTooSkewed>(),
    service_row<errors::RequestTimeout>(),
    service_row<errors::RestoreAlreadyInProgress>(),
    service_row<errors::ServerSideEncryptionConfigurationNotFoundError>(),
    service_row<errors::ServiceUnavailable>(),
    service_row<errors::SignatureDoesNotMatch>(),
    service_row<errors::SlowDown>(),
    service_row<errors::TemporaryRedirect>(),
    service_row<errors::TooManyBuckets>(),
    service_row<errors::UnexpectedContent>(),
    service_row<errors::UnresolvableGrantByEmailAddress>(),
    service_row<errors::XAmzContentSHA256Mismatch>(),
};

constexpr Row library_rows[] = {
    {"ArgumentError", &throw_as<ArgumentError>},
    {"MissingRegionError", &throw_as<MissingRegionError>},
    {"MissingCredentialsError", &throw_as<MissingCredentialsError>},
    {"ChecksumError", &throw_as<ChecksumError>},
    {"NetworkingError", &throw_as<NetworkingError>},
};

const Row* find_row(const Row* begin, const Row* end, std::string_view code) {
  const Row* const found =
      std::find_if(begin, end, [&](const Row& row) { return row.code == code; });
  return found == end ? nullptr : found;
}

}  // namespace

std::string_view ClientError::data(std::string_view name) const {
  for (const auto& [key, value] : error_.details)
    if (key == name) return value;
  return {};
}

bool has_error_class(std::string_view code) {
  return find_row(std::begin(service_rows), std::end(service_rows), code) != nullptr;
}

void throw_error(const Error& error, const CallInfo& call) {
  if (const Row* row = find_row(std::begin(library_rows), std::end(library_rows), error.code))
    row->raise(error, call);
  if (error.kind == ErrorKind::timeout && call.status == 0) throw DeadlineError(error, call);
  if (call.status == 0) {
    if (error.kind == ErrorKind::invalid_argument) throw ArgumentError(error, call);
    throw ClientError(error, call);
  }
  if (const Row* row = find_row(std::begin(service_rows), std::end(service_rows), error.code))
    row->raise(error, call);
  throw ServiceError(error, call);
}

}  // namespace cairn::objectclient
