// SPDX-License-Identifier: Apache-2.0
// Every error of the object storage: code, kind, status and text, once. Rooms below the wire make
// errors here; the two faces (service and client) look statuses and kinds up.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::s3 {

struct ErrorRow {
  std::string_view code;
  int status;
  ErrorKind kind;
  std::string_view message;  // the usual one; a place that knows more gives its own
};

inline constexpr ErrorRow error_rows[] = {
    {"AccessControlListNotSupported", 400, ErrorKind::invalid_argument,
     "The bucket does not allow ACLs."},
    {"AccessDenied", 403, ErrorKind::permission_denied, "Access Denied"},
    {"AccessForbidden", 403, ErrorKind::permission_denied, "Access forbidden"},
    {"AccessGrantAlreadyExists", 409, ErrorKind::already_exists,
     "The access grant exists already."},
    {"AccessGrantsInstanceAlreadyExists", 409, ErrorKind::already_exists,
     "The access grants instance exists already."},
    {"AccessGrantsInstanceNotEmptyError", 400, ErrorKind::conflict,
     "The access grants instance has grants or locations."},
    {"AccessGrantsInstanceNotExistsError", 404, ErrorKind::not_found,
     "There is no access grants instance."},
    {"AccessGrantsLocationAlreadyExistsError", 409, ErrorKind::already_exists,
     "The access grants location exists already."},
    {"AccessGrantsLocationNotEmptyError", 400, ErrorKind::conflict,
     "The access grants location has grants."},
    {"AccessPointAlreadyOwnedByYou", 409, ErrorKind::already_exists,
     "The access point you tried to create already exists, and you own it."},
    {"AuthorizationHeaderMalformed", 400, ErrorKind::invalid_argument,
     "The authorization header is malformed; the authorization header that you provided is not "
     "valid."},
    {"AuthorizationQueryParametersError", 400, ErrorKind::invalid_argument,
     "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, "
     "X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."},
    {"BadDigest", 400, ErrorKind::invalid_argument,
     "The Content-MD5 you specified did not match what we received."},
    {"BadRequest", 400, ErrorKind::invalid_argument, "Bad Request"},
    {"BucketAlreadyExists", 409, ErrorKind::already_exists,
     "The requested bucket name is not available. The bucket namespace is shared by all users of "
     "the system. Please select a different name and try again."},
    {"BucketAlreadyOwnedByYou", 409, ErrorKind::already_exists,
     "Your previous request to create the named bucket succeeded and you already own it."},
    {"BucketHasAccessPointsAttached", 400, ErrorKind::conflict,
     "The bucket you tried to delete has access points attached. Delete your access points and try "
     "again."},
    {"BucketNotEmpty", 409, ErrorKind::conflict, "The bucket you tried to delete is not empty"},
    {"ConditionalRequestConflict", 409, ErrorKind::conflict,
     "The conditional request cannot succeed due to a conflicting operation against this "
     "resource."},
    {"EncryptionTypeMismatch", 400, ErrorKind::invalid_argument,
     "The object was created with another encryption. What is appended must be written with the "
     "same."},
    {"EntityTooLarge", 400, ErrorKind::too_large,
     "Your proposed upload exceeds the maximum allowed size"},
    {"EntityTooSmall", 400, ErrorKind::invalid_argument,
     "Your proposed upload is smaller than the minimum allowed size"},
    {"ExpiredToken", 400, ErrorKind::unauthenticated, "The provided token has expired."},
    {"IdempotencyParameterMismatch", 400, ErrorKind::invalid_argument,
     "The client token was used before, with other parameters."},
    {"IllegalLocationConstraintException", 400, ErrorKind::invalid_argument,
     "The unspecified location constraint is incompatible for the region specific endpoint this "
     "request was sent to."},
    {"IllegalVersioningConfigurationException", 400, ErrorKind::invalid_argument,
     "The Versioning element must be specified"},
    {"IncompleteBody", 400, ErrorKind::invalid_argument,
     "You did not provide the number of bytes specified by the Content-Length HTTP header"},
    {"IncorrectNumberOfFilesInPostRequest", 400, ErrorKind::invalid_argument,
     "POST requires exactly one file upload per request."},
    {"InternalError", 500, ErrorKind::internal,
     "We encountered an internal error. Please try again."},
    {"InvalidAccessKeyId", 403, ErrorKind::unauthenticated,
     "The AWS Access Key Id you provided does not exist in our records."},
    {"InvalidArgument", 400, ErrorKind::invalid_argument, "Invalid Argument"},
    {"InvalidBucketAclWithBlockPublicAccessError", 400, ErrorKind::invalid_argument,
     "Bucket cannot have public ACLs set with BlockPublicAccess enabled"},
    {"InvalidBucketAclWithObjectOwnership", 400, ErrorKind::invalid_argument,
     "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting"},
    {"InvalidBucketName", 400, ErrorKind::invalid_argument, "The specified bucket is not valid."},
    {"InvalidBucketOwnerAWSAccountID", 400, ErrorKind::invalid_argument,
     "The value of the expected bucket owner parameter must be an AWS Account ID"},
    {"InvalidBucketState", 409, ErrorKind::conflict,
     "The request is not valid for the current state of the bucket."},
    {"InvalidChunkSizeError", 400, ErrorKind::invalid_argument,
     "Only the last chunk is allowed to have a size less than 8192 bytes"},
    {"InvalidDigest", 400, ErrorKind::invalid_argument,
     "The Content-MD5 you specified was invalid."},
    {"InvalidEncryptionAlgorithmError", 400, ErrorKind::invalid_argument,
     "The Encryption request you specified is not valid. Supported value: AES256."},
    {"InvalidLocationConstraint", 400, ErrorKind::invalid_argument,
     "The specified location-constraint is not valid"},
    {"InvalidObjectState", 403, ErrorKind::conflict,
     "The operation is not valid for the object's storage class"},
    {"InvalidPart", 400, ErrorKind::invalid_argument,
     "One or more of the specified parts could not be found.  The part may not have been uploaded, "
     "or the specified entity tag may not match the part's entity tag."},
    {"InvalidPartNumber", 416, ErrorKind::invalid_argument,
     "The requested partnumber is not satisfiable"},
    {"InvalidPartOrder", 400, ErrorKind::invalid_argument,
     "The list of parts was not in ascending order. Parts must be ordered by part number."},
    {"InvalidPolicyDocument", 400, ErrorKind::invalid_argument,
     "The content of the form does not meet the conditions specified in the policy document."},
    {"InvalidRange", 416, ErrorKind::invalid_argument, "The requested range is not satisfiable"},
    {"InvalidRedirectLocation", 400, ErrorKind::invalid_argument,
     "The website redirect location must have a prefix of 'http://' or 'https://' or '/'."},
    {"InvalidRequest", 400, ErrorKind::invalid_argument, "Invalid Request"},
    {"InvalidStorageClass", 400, ErrorKind::invalid_argument,
     "The storage class you specified is not valid"},
    {"InvalidTag", 400, ErrorKind::invalid_argument, "The tag you have provided is invalid"},
    {"InvalidToken", 400, ErrorKind::unauthenticated,
     "The provided token is malformed or otherwise invalid."},
    {"InvalidURI", 400, ErrorKind::invalid_argument, "Couldn't parse the specified URI."},
    {"InvalidWriteOffset", 400, ErrorKind::invalid_argument,
     "The write offset is not the present size of the object."},
    {"KMS.DisabledException", 400, ErrorKind::invalid_argument, "The specified key is disabled."},
    {"KMS.NotFoundException", 400, ErrorKind::invalid_argument,
     "The specified key does not exist."},
    {"KeyTooLongError", 400, ErrorKind::invalid_argument, "Your key is too long"},
    {"MalformedACLError", 400, ErrorKind::invalid_argument,
     "The XML you provided was not well-formed or did not validate against our published schema"},
    {"MalformedPOSTRequest", 400, ErrorKind::invalid_argument,
     "The body of your POST request is not well-formed multipart/form-data."},
    {"MalformedPolicy", 400, ErrorKind::invalid_argument,
     "Policies must be valid JSON and the first byte must be '{'"},
    {"MalformedTrailerError", 400, ErrorKind::invalid_argument,
     "The request contained trailing data that was not well-formed or did not conform to our "
     "published schema."},
    {"MalformedXML", 400, ErrorKind::invalid_argument,
     "The XML you provided was not well-formed or did not validate against our published schema"},
    {"MaxMessageLengthExceeded", 400, ErrorKind::too_large, "Your request was too big."},
    {"MaxPostPreDataLengthExceededError", 400, ErrorKind::too_large,
     "Your POST request fields preceding the upload file were too large."},
    {"MetadataTooLarge", 400, ErrorKind::too_large,
     "Your metadata headers exceed the maximum allowed metadata size"},
    {"MetadataConfigurationNotFound", 404, ErrorKind::not_found,
     "The bucket does not have a metadata configuration"},
    {"MethodNotAllowed", 405, ErrorKind::unsupported,
     "The specified method is not allowed against this resource."},
    {"MissingContentLength", 411, ErrorKind::invalid_argument,
     "You must provide the Content-Length HTTP header."},
    {"MissingRequestBodyError", 400, ErrorKind::invalid_argument, "Request Body is empty"},
    {"MissingSecurityHeader", 400, ErrorKind::invalid_argument,
     "Your request was missing a required header"},
    {"NoSuchAccessGrantError", 404, ErrorKind::not_found, "There is no such access grant."},
    {"NoSuchAccessGrantsLocationError", 404, ErrorKind::not_found,
     "There is no such access grants location."},
    {"NoSuchAccessPoint", 404, ErrorKind::not_found, "The specified access point does not exist"},
    {"NoSuchAccessPointPolicy", 404, ErrorKind::not_found,
     "The specified access point does not have a policy"},
    {"NoSuchBucket", 404, ErrorKind::not_found, "The specified bucket does not exist"},
    {"NoSuchBucketPolicy", 404, ErrorKind::not_found, "The bucket policy does not exist"},
    {"NoSuchCORSConfiguration", 404, ErrorKind::not_found, "The CORS configuration does not exist"},
    {"NoSuchConfiguration", 404, ErrorKind::not_found,
     "The specified configuration does not exist."},
    {"NoSuchKey", 404, ErrorKind::not_found, "The specified key does not exist."},
    {"NoSuchLifecycleConfiguration", 404, ErrorKind::not_found,
     "The lifecycle configuration does not exist"},
    {"NoSuchObjectLockConfiguration", 404, ErrorKind::not_found,
     "The specified object does not have a ObjectLock configuration"},
    {"NoSuchPublicAccessBlockConfiguration", 404, ErrorKind::not_found,
     "The public access block configuration was not found"},
    {"NoSuchTagSet", 404, ErrorKind::not_found, "The TagSet does not exist"},
    {"NoSuchUpload", 404, ErrorKind::not_found,
     "The specified upload does not exist. The upload ID may be invalid, or the upload may have "
     "been aborted or completed."},
    {"NoSuchVersion", 404, ErrorKind::not_found, "The specified version does not exist."},
    {"NoSuchWebsiteConfiguration", 404, ErrorKind::not_found,
     "The specified bucket does not have a website configuration"},
    {"NotImplemented", 501, ErrorKind::unsupported,
     "A header you provided implies functionality that is not implemented"},
    {"ObjectAlreadyInActiveTierError", 403, ErrorKind::conflict,
     "This object is already in the active storage tier."},
    {"ObjectLockConfigurationNotFoundError", 404, ErrorKind::not_found,
     "Object Lock configuration does not exist for this bucket"},
    {"ObjectNotInActiveTierError", 403, ErrorKind::conflict,
     "The source object of the COPY operation is not in the active tier and is only stored in "
     "Amazon S3 Glacier."},
    {"OperationAborted", 409, ErrorKind::conflict,
     "A conflicting conditional operation is currently in progress against this resource. Please "
     "try again."},
    {"OwnershipControlsNotFoundError", 404, ErrorKind::not_found,
     "The bucket ownership controls were not found"},
    {"PermanentRedirect", 301, ErrorKind::invalid_argument,
     "The bucket you are attempting to access must be addressed using the specified endpoint. "
     "Please send all future requests to this endpoint."},
    {"PolicyTooLarge", 400, ErrorKind::too_large,
     "The policy exceeds the maximum allowed document size."},
    {"PreconditionFailed", 412, ErrorKind::precondition_failed,
     "At least one of the pre-conditions you specified did not hold"},
    {"ReplicationConfigurationNotFoundError", 404, ErrorKind::not_found,
     "The replication configuration was not found"},
    {"RequestHeaderSectionTooLarge", 400, ErrorKind::too_large,
     "Your request header section exceeds the maximum allowed size."},
    {"RequestTimeTooSkewed", 403, ErrorKind::unauthenticated,
     "The difference between the request time and the current time is too large."},
    {"RequestTimeout", 400, ErrorKind::timeout,
     "Your socket connection to the server was not read from or written to within the timeout "
     "period. Idle connections will be closed."},
    {"RestoreAlreadyInProgress", 409, ErrorKind::conflict, "Object restore is already in progress"},
    {"ServerSideEncryptionConfigurationNotFoundError", 404, ErrorKind::not_found,
     "The server side encryption configuration was not found"},
    {"ServiceUnavailable", 503, ErrorKind::unavailable,
     "Service is unable to handle request. Please try again."},
    {"SignatureDoesNotMatch", 403, ErrorKind::unauthenticated,
     "The request signature we calculated does not match the signature you provided. Check your "
     "key and signing method."},
    {"SlowDown", 503, ErrorKind::rate_limited, "Please reduce your request rate."},
    {"TemporaryRedirect", 307, ErrorKind::invalid_argument,
     "Please re-send this request to the specified temporary endpoint. Continue to use the "
     "original request endpoint for future requests."},
    {"TooManyBuckets", 400, ErrorKind::too_large,
     "You have attempted to create more buckets than allowed"},
    {"TooManyParts", 400, ErrorKind::invalid_argument,
     "The object has 10000 parts and takes no more. Copy it: the copy has one part."},
    {"UnexpectedContent", 400, ErrorKind::invalid_argument,
     "This request does not support content"},
    {"UnresolvableGrantByEmailAddress", 400, ErrorKind::invalid_argument,
     "The e-mail address you provided does not match any account on record."},
    {"XAmzContentSHA256Mismatch", 400, ErrorKind::invalid_argument,
     "The provided 'x-amz-content-sha256' header does not match what was computed."},
};

/// The row of a code, or null.
constexpr const ErrorRow* find_error(std::string_view code) {
  for (const ErrorRow& row : error_rows)
    if (row.code == code) return &row;
  return nullptr;
}

/// A code that stands in the table; one that does not is a compile error.
class ErrorCode {
 public:
  consteval ErrorCode(const char* code) : row_(find_error(code)) {  // NOLINT
    if (row_ == nullptr) unknown_error_code();
  }
  constexpr const ErrorRow& row() const { return *row_; }

 private:
  static void unknown_error_code() {}  // not constexpr on purpose
  const ErrorRow* row_;
};

/// `error("NoSuchKey")`, with the usual message or another one. Extra children of the XML body are
/// added with `.with_detail("Key", key)`.
Error error(ErrorCode code, std::string message = {});

/// The status of an error on the wire: that of its code, else that of its kind.
int status_of(const Error& error);
/// Its code on the wire: its own where the table has it, else that of its kind.
std::string_view code_of(const Error& error);
/// Its kind, for a client that received only a code and a status.
ErrorKind kind_of(std::string_view code, int status);

}  // namespace cairn::s3
