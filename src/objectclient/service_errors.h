// SPDX-License-Identifier: Apache-2.0
// Exceptions: one class for each code of the service, all derived from ServiceError; what happens
// before or without a reply is a ClientError. Only the client's public functions throw.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/response.h"

namespace cairn::objectclient {

/// The base of all: what failed, and in which call.
class ClientError : public std::exception {
 public:
  ClientError(const Error& error, const CallInfo& call);
  ~ClientError() override;
  ClientError(const ClientError&) = default;
  ClientError& operator=(const ClientError&) = default;
  const char* what() const noexcept override { return error_.message.c_str(); }
  /// The service's ("NoSuchKey"), or the library's ("ArgumentError", "MissingCredentialsError").
  const std::string& code() const { return error_.code; }
  /// What a caller can do about it.
  ErrorKind kind() const { return error_.kind; }
  const Error& error() const { return error_; }
  const CallInfo& call() const { return call_; }
  /// Another element of the service's error: `data("BucketName")`. Empty where there is none.
  std::string_view data(std::string_view name) const;

 private:
  Error error_;
  CallInfo call_;
};

/// An option or a parameter is wrong; nothing was sent.
class ArgumentError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// No region is known.
class MissingRegionError : public ArgumentError {
 public:
  using ArgumentError::ArgumentError;
};
/// No credentials were found, or they could not be fetched.
class MissingCredentialsError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// No reply came, or not all of it.
class NetworkingError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// The deadline passed.
class DeadlineError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// The bytes that came are not those that the checksum beside them is of.
class ChecksumError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// What was waited for did not come (waiters.h).
class TooManyAttemptsError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// The service answered with an error. Codes without a class of their own are this.
class ServiceError : public ClientError {
 public:
  using ClientError::ClientError;
  int status() const { return call().status; }
  const std::string& request_id() const { return call().request_id; }
};

/// A reply that does not answer what was asked: other bytes of an object than the range, another
/// object than the one that was begun, a listing that says it goes on without saying where, a part
/// without an ETag.
class UnexpectedReplyError : public ServiceError {
 public:
  using ServiceError::ServiceError;
};

/// Every code that has a class, and its name: a dot of a code is left out.
// clang-format off
#define CAIRN_SERVICE_ERRORS(each) \
  each(AccessControlListNotSupported, "AccessControlListNotSupported") \
  each(AccessDenied, "AccessDenied") \
  each(AccessForbidden, "AccessForbidden") \
  each(AccessGrantAlreadyExists, "AccessGrantAlreadyExists") \
  each(AccessGrantsInstanceAlreadyExists, "AccessGrantsInstanceAlreadyExists") \
  each(AccessGrantsInstanceNotEmptyError, "AccessGrantsInstanceNotEmptyError") \
  each(AccessGrantsInstanceNotExistsError, "AccessGrantsInstanceNotExistsError") \
  each(AccessGrantsLocationAlreadyExistsError, "AccessGrantsLocationAlreadyExistsError") \
  each(AccessGrantsLocationNotEmptyError, "AccessGrantsLocationNotEmptyError") \
  each(AccessPointAlreadyOwnedByYou, "AccessPointAlreadyOwnedByYou") \
  each(AuthorizationHeaderMalformed, "AuthorizationHeaderMalformed") \
  each(AuthorizationQueryParametersError, "AuthorizationQueryParametersError") \
  each(BadDigest, "BadDigest") \
  each(BadRequest, "BadRequest") \
  each(BucketAlreadyExists, "BucketAlreadyExists") \
  each(BucketAlreadyOwnedByYou, "BucketAlreadyOwnedByYou") \
  each(BucketHasAccessPointsAttached, "BucketHasAccessPointsAttached") \
  each(BucketNotEmpty, "BucketNotEmpty") \
  each(ConditionalRequestConflict, "ConditionalRequestConflict") \
  each(EncryptionTypeMismatch, "EncryptionTypeMismatch") \
  each(EntityTooLarge, "EntityTooLarge") \
  each(EntityTooSmall, "EntityTooSmall") \
  each(ExpiredToken, "ExpiredToken") \
  each(Forbidden, "Forbidden") \
  each(IdempotencyParameterMismatch, "IdempotencyParameterMismatch") \
  each(IllegalLocationConstraintException, "IllegalLocationConstraintException") \
  each(IllegalVersioningConfigurationException, "IllegalVersioningConfigurationException") \
  each(IncompleteBody, "IncompleteBody") \
  each(IncorrectNumberOfFilesInPostRequest, "IncorrectNumberOfFilesInPostRequest") \
  each(InternalError, "InternalError") \
  each(InvalidAccessKeyId, "InvalidAccessKeyId") \
  each(InvalidArgument, "InvalidArgument") \
  each(InvalidBucketAclWithBlockPublicAccessError, "InvalidBucketAclWithBlockPublicAccessError") \
  each(InvalidBucketAclWithObjectOwnership, "InvalidBucketAclWithObjectOwnership") \
  each(InvalidBucketName, "InvalidBucketName") \
  each(InvalidBucketOwnerAWSAccountID, "InvalidBucketOwnerAWSAccountID") \
  each(InvalidBucketState, "InvalidBucketState") \
  each(InvalidChunkSizeError, "InvalidChunkSizeError") \
  each(InvalidDigest, "InvalidDigest") \
  each(InvalidEncryptionAlgorithmError, "InvalidEncryptionAlgorithmError") \
  each(InvalidLocationConstraint, "InvalidLocationConstraint") \
  each(InvalidObjectState, "InvalidObjectState") \
  each(InvalidPart, "InvalidPart") \
  each(InvalidPartNumber, "InvalidPartNumber") \
  each(InvalidPartOrder, "InvalidPartOrder") \
  each(InvalidPolicyDocument, "InvalidPolicyDocument") \
  each(InvalidRange, "InvalidRange") \
  each(InvalidRedirectLocation, "InvalidRedirectLocation") \
  each(InvalidRequest, "InvalidRequest") \
  each(InvalidStorageClass, "InvalidStorageClass") \
  each(InvalidTag, "InvalidTag") \
  each(InvalidToken, "InvalidToken") \
  each(InvalidURI, "InvalidURI") \
  each(InvalidWriteOffset, "InvalidWriteOffset") \
  each(KMSDisabledException, "KMS.DisabledException") \
  each(KMSNotFoundException, "KMS.NotFoundException") \
  each(KeyTooLongError, "KeyTooLongError") \
  each(MalformedACLError, "MalformedACLError") \
  each(MalformedPOSTRequest, "MalformedPOSTRequest") \
  each(MalformedPolicy, "MalformedPolicy") \
  each(MalformedTrailerError, "MalformedTrailerError") \
  each(MalformedXML, "MalformedXML") \
  each(MaxMessageLengthExceeded, "MaxMessageLengthExceeded") \
  each(MaxPostPreDataLengthExceededError, "MaxPostPreDataLengthExceededError") \
  each(MetadataTooLarge, "MetadataTooLarge") \
  each(MetadataConfigurationNotFound, "MetadataConfigurationNotFound") \
  each(MethodNotAllowed, "MethodNotAllowed") \
  each(MissingContentLength, "MissingContentLength") \
  each(MissingRequestBodyError, "MissingRequestBodyError") \
  each(MissingSecurityHeader, "MissingSecurityHeader") \
  each(MovedTemporarily, "MovedTemporarily") \
  each(NoSuchAccessGrantError, "NoSuchAccessGrantError") \
  each(NoSuchAccessGrantsLocationError, "NoSuchAccessGrantsLocationError") \
  each(NoSuchAccessPoint, "NoSuchAccessPoint") \
  each(NoSuchAccessPointPolicy, "NoSuchAccessPointPolicy") \
  each(NoSuchBucket, "NoSuchBucket") \
  each(NoSuchBucketPolicy, "NoSuchBucketPolicy") \
  each(NoSuchCORSConfiguration, "NoSuchCORSConfiguration") \
  each(NoSuchConfiguration, "NoSuchConfiguration") \
  each(NoSuchKey, "NoSuchKey") \
  each(NoSuchLifecycleConfiguration, "NoSuchLifecycleConfiguration") \
  each(NoSuchObjectLockConfiguration, "NoSuchObjectLockConfiguration") \
  each(NoSuchPublicAccessBlockConfiguration, "NoSuchPublicAccessBlockConfiguration") \
  each(NoSuchTagSet, "NoSuchTagSet") \
  each(NoSuchUpload, "NoSuchUpload") \
  each(NoSuchVersion, "NoSuchVersion") \
  each(NoSuchWebsiteConfiguration, "NoSuchWebsiteConfiguration") \
  each(NotFound, "NotFound") \
  each(NotImplemented, "NotImplemented") \
  each(NotModified, "NotModified") \
  each(ObjectAlreadyInActiveTierError, "ObjectAlreadyInActiveTierError") \
  each(ObjectLockConfigurationNotFoundError, "ObjectLockConfigurationNotFoundError") \
  each(ObjectNotInActiveTierError, "ObjectNotInActiveTierError") \
  each(OperationAborted, "OperationAborted") \
  each(OwnershipControlsNotFoundError, "OwnershipControlsNotFoundError") \
  each(PermanentRedirect, "PermanentRedirect") \
  each(PolicyTooLarge, "PolicyTooLarge") \
  each(PreconditionFailed, "PreconditionFailed") \
  each(ReplicationConfigurationNotFoundError, "ReplicationConfigurationNotFoundError") \
  each(RequestEntityTooLarge, "RequestEntityTooLarge") \
  each(RequestHeaderSectionTooLarge, "RequestHeaderSectionTooLarge") \
  each(RequestTimeTooSkewed, "RequestTimeTooSkewed") \
  each(RequestTimeout, "RequestTimeout") \
  each(RestoreAlreadyInProgress, "RestoreAlreadyInProgress") \
  each(ServerSideEncryptionConfigurationNotFoundError, "ServerSideEncryptionConfigurationNotFoundError") \
  each(ServiceUnavailable, "ServiceUnavailable") \
  each(SignatureDoesNotMatch, "SignatureDoesNotMatch") \
  each(SlowDown, "SlowDown") \
  each(TemporaryRedirect, "TemporaryRedirect") \
  each(TooManyBuckets, "TooManyBuckets") \
  each(TooManyParts, "TooManyParts") \
  each(UnexpectedContent, "UnexpectedContent") \
  each(UnresolvableGrantByEmailAddress, "UnresolvableGrantByEmailAddress") \
  each(XAmzContentSHA256Mismatch, "XAmzContentSHA256Mismatch")
// clang-format on

/// `catch (const errors::NoSuchKey& missing)`.
namespace errors {
#define CAIRN_SERVICE_ERROR_CLASS(Name, code_)            \
  class Name final : public ServiceError {                \
   public:                                                \
    using ServiceError::ServiceError;                     \
    Name(const Name&) = default;                          \
    Name& operator=(const Name&) = default;               \
    ~Name() override;                                     \
    static constexpr std::string_view error_code = code_; \
  };
CAIRN_SERVICE_ERRORS(CAIRN_SERVICE_ERROR_CLASS)
#undef CAIRN_SERVICE_ERROR_CLASS
}  // namespace errors

/// The codes above. For tests.
bool has_error_class(std::string_view code);

}  // namespace cairn::objectclient
