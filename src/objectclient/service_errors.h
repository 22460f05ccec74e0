// SPDX-License-Identifier: Apache-2.0
// Exceptions: one class for each code of the service, all derived from ServiceError; what happens
// before or without a reply is a ClientError. Only the client's public functions throw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "objectclient/response.h"

namespace cairn::objectclient {

/// The base of all: what failed, and in which call.
class ClientError : public std::exception {
 public:
  ClientError(Error error, CallInfo call) : error_(std::move(error)), call_(std::move(call)) {}
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
/// The service answered with an error. Codes without a class of their own are this.
class ServiceError : public ClientError {
 public:
  using ClientError::ClientError;
  int status() const { return call().status; }
  const std::string& request_id() const { return call().request_id; }
};

/// A code as a parameter of a template.
template <std::size_t size>
struct CodeName {
  char text[size] = {};
  consteval CodeName(const char (&code)[size]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(code, size, text);
  }
  constexpr std::string_view view() const { return {text, size - 1}; }
};

template <CodeName name>
class ServiceErrorOf final : public ServiceError {
 public:
  using ServiceError::ServiceError;
  static constexpr std::string_view error_code = name.view();
};

/// `catch (const errors::NoSuchKey& missing)`. A dot of a code is left out.
namespace errors {
using AccessControlListNotSupported = ServiceErrorOf<"AccessControlListNotSupported">;
using AccessDenied = ServiceErrorOf<"AccessDenied">;
using AccessForbidden = ServiceErrorOf<"AccessForbidden">;
using AuthorizationHeaderMalformed = ServiceErrorOf<"AuthorizationHeaderMalformed">;
using AuthorizationQueryParametersError = ServiceErrorOf<"AuthorizationQueryParametersError">;
using BadDigest = ServiceErrorOf<"BadDigest">;
using BadRequest = ServiceErrorOf<"BadRequest">;
using BucketAlreadyExists = ServiceErrorOf<"BucketAlreadyExists">;
using BucketAlreadyOwnedByYou = ServiceErrorOf<"BucketAlreadyOwnedByYou">;
using BucketNotEmpty = ServiceErrorOf<"BucketNotEmpty">;
using ConditionalRequestConflict = ServiceErrorOf<"ConditionalRequestConflict">;
using EntityTooLarge = ServiceErrorOf<"EntityTooLarge">;
using EntityTooSmall = ServiceErrorOf<"EntityTooSmall">;
using ExpiredToken = ServiceErrorOf<"ExpiredToken">;
using Forbidden = ServiceErrorOf<"Forbidden">;
using IllegalLocationConstraintException = ServiceErrorOf<"IllegalLocationConstraintException">;
using IllegalVersioningConfigurationException =
    ServiceErrorOf<"IllegalVersioningConfigurationException">;
using IncompleteBody = ServiceErrorOf<"IncompleteBody">;
using InternalError = ServiceErrorOf<"InternalError">;
using InvalidAccessKeyId = ServiceErrorOf<"InvalidAccessKeyId">;
using InvalidArgument = ServiceErrorOf<"InvalidArgument">;
using InvalidBucketAclWithBlockPublicAccessError =
    ServiceErrorOf<"InvalidBucketAclWithBlockPublicAccessError">;
using InvalidBucketAclWithObjectOwnership = ServiceErrorOf<"InvalidBucketAclWithObjectOwnership">;
using InvalidBucketName = ServiceErrorOf<"InvalidBucketName">;
using InvalidBucketOwnerAWSAccountID = ServiceErrorOf<"InvalidBucketOwnerAWSAccountID">;
using InvalidBucketState = ServiceErrorOf<"InvalidBucketState">;
using InvalidChunkSizeError = ServiceErrorOf<"InvalidChunkSizeError">;
using InvalidDigest = ServiceErrorOf<"InvalidDigest">;
using InvalidEncryptionAlgorithmError = ServiceErrorOf<"InvalidEncryptionAlgorithmError">;
using InvalidLocationConstraint = ServiceErrorOf<"InvalidLocationConstraint">;
using InvalidObjectState = ServiceErrorOf<"InvalidObjectState">;
using InvalidPart = ServiceErrorOf<"InvalidPart">;
using InvalidPartNumber = ServiceErrorOf<"InvalidPartNumber">;
using InvalidPartOrder = ServiceErrorOf<"InvalidPartOrder">;
using InvalidRange = ServiceErrorOf<"InvalidRange">;
using InvalidRequest = ServiceErrorOf<"InvalidRequest">;
using InvalidStorageClass = ServiceErrorOf<"InvalidStorageClass">;
using InvalidTag = ServiceErrorOf<"InvalidTag">;
using InvalidToken = ServiceErrorOf<"InvalidToken">;
using InvalidURI = ServiceErrorOf<"InvalidURI">;
using KMSDisabledException = ServiceErrorOf<"KMS.DisabledException">;
using KMSNotFoundException = ServiceErrorOf<"KMS.NotFoundException">;
using KeyTooLongError = ServiceErrorOf<"KeyTooLongError">;
using MalformedACLError = ServiceErrorOf<"MalformedACLError">;
using MalformedPolicy = ServiceErrorOf<"MalformedPolicy">;
using MalformedTrailerError = ServiceErrorOf<"MalformedTrailerError">;
using MalformedXML = ServiceErrorOf<"MalformedXML">;
using MaxMessageLengthExceeded = ServiceErrorOf<"MaxMessageLengthExceeded">;
using MetadataTooLarge = ServiceErrorOf<"MetadataTooLarge">;
using MethodNotAllowed = ServiceErrorOf<"MethodNotAllowed">;
using MissingContentLength = ServiceErrorOf<"MissingContentLength">;
using MissingRequestBodyError = ServiceErrorOf<"MissingRequestBodyError">;
using MissingSecurityHeader = ServiceErrorOf<"MissingSecurityHeader">;
using MovedTemporarily = ServiceErrorOf<"MovedTemporarily">;
using NoSuchBucket = ServiceErrorOf<"NoSuchBucket">;
using NoSuchBucketPolicy = ServiceErrorOf<"NoSuchBucketPolicy">;
using NoSuchCORSConfiguration = ServiceErrorOf<"NoSuchCORSConfiguration">;
using NoSuchConfiguration = ServiceErrorOf<"NoSuchConfiguration">;
using NoSuchKey = ServiceErrorOf<"NoSuchKey">;
using NoSuchLifecycleConfiguration = ServiceErrorOf<"NoSuchLifecycleConfiguration">;
using NoSuchObjectLockConfiguration = ServiceErrorOf<"NoSuchObjectLockConfiguration">;
using NoSuchPublicAccessBlockConfiguration = ServiceErrorOf<"NoSuchPublicAccessBlockConfiguration">;
using NoSuchTagSet = ServiceErrorOf<"NoSuchTagSet">;
using NoSuchUpload = ServiceErrorOf<"NoSuchUpload">;
using NoSuchVersion = ServiceErrorOf<"NoSuchVersion">;
using NoSuchWebsiteConfiguration = ServiceErrorOf<"NoSuchWebsiteConfiguration">;
using NotFound = ServiceErrorOf<"NotFound">;
using NotImplemented = ServiceErrorOf<"NotImplemented">;
using NotModified = ServiceErrorOf<"NotModified">;
using ObjectAlreadyInActiveTierError = ServiceErrorOf<"ObjectAlreadyInActiveTierError">;
using ObjectLockConfigurationNotFoundError = ServiceErrorOf<"ObjectLockConfigurationNotFoundError">;
using ObjectNotInActiveTierError = ServiceErrorOf<"ObjectNotInActiveTierError">;
using OperationAborted = ServiceErrorOf<"OperationAborted">;
using OwnershipControlsNotFoundError = ServiceErrorOf<"OwnershipControlsNotFoundError">;
using PermanentRedirect = ServiceErrorOf<"PermanentRedirect">;
using PolicyTooLarge = ServiceErrorOf<"PolicyTooLarge">;
using PreconditionFailed = ServiceErrorOf<"PreconditionFailed">;
using ReplicationConfigurationNotFoundError =
    ServiceErrorOf<"ReplicationConfigurationNotFoundError">;
using RequestEntityTooLarge = ServiceErrorOf<"RequestEntityTooLarge">;
using RequestHeaderSectionTooLarge = ServiceErrorOf<"RequestHeaderSectionTooLarge">;
using RequestTimeTooSkewed = ServiceErrorOf<"RequestTimeTooSkewed">;
using RequestTimeout = ServiceErrorOf<"RequestTimeout">;
using RestoreAlreadyInProgress = ServiceErrorOf<"RestoreAlreadyInProgress">;
using ServerSideEncryptionConfigurationNotFoundError =
    ServiceErrorOf<"ServerSideEncryptionConfigurationNotFoundError">;
using ServiceUnavailable = ServiceErrorOf<"ServiceUnavailable">;
using SignatureDoesNotMatch = ServiceErrorOf<"SignatureDoesNotMatch">;
using SlowDown = ServiceErrorOf<"SlowDown">;
using TemporaryRedirect = ServiceErrorOf<"TemporaryRedirect">;
using TooManyBuckets = ServiceErrorOf<"TooManyBuckets">;
using UnexpectedContent = ServiceErrorOf<"UnexpectedContent">;
using UnresolvableGrantByEmailAddress = ServiceErrorOf<"UnresolvableGrantByEmailAddress">;
using XAmzContentSHA256Mismatch = ServiceErrorOf<"XAmzContentSHA256Mismatch">;
}  // namespace errors

/// The codes above. For tests.
bool has_error_class(std::string_view code);

}  // namespace cairn::objectclient
