// SPDX-License-Identifier: Apache-2.0
// Roles: credentials that a token service gives in exchange for others, or for a web identity, and
// those that single sign-on gives.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "objectclient/credentials.h"
#include "objectclient/environment.h"

namespace cairn::objectclient {

/// Where the token service of a region answers: AWS_ENDPOINT_URL_STS, else AWS_ENDPOINT_URL, else
/// the vendor's. Errors: invalid_argument: a region that is no label of a host.
Result<std::string> token_service_url(std::string_view region, const Environment& environment);

struct AssumeRole {
  std::string role_arn;
  std::string role_session_name = {};  // empty: made from the time
  std::string external_id = {};
  std::int64_t duration_seconds = 3'600;
  std::string region = "us-east-1";
  std::string mfa_serial = {};  // of a device; then with the code that it shows
  std::string mfa_token_code = {};
};
/// Signed with `source`. Errors: unavailable with the service's code and message.
Result<Credentials> assume_role(const AssumeRole& params, const Credentials& source,
                                const Environment& environment, const os::Deadline& deadline);
/// With the token that the file holds; not signed.
Result<Credentials> assume_role_with_web_identity(const AssumeRole& params,
                                                  const std::string& token_file,
                                                  const Environment& environment,
                                                  const os::Deadline& deadline);

/// The account of the credentials. Errors: unavailable with the service's code and message.
Result<std::string> caller_account(const Credentials& credentials, std::string_view region,
                                   const Environment& environment, const os::Deadline& deadline);

struct SingleSignOn {
  std::string cache_name;  // the session's name, or the start URL where there is none
  std::string region;
  std::string account_id;
  std::string role_name;
};
/// The file that holds the token of a sign-in.
std::string sso_cache_file(std::string_view cache_name, std::string_view home);
/// With the token in that file. Errors: unauthenticated where there is none or it has
/// expired, with the command that gets one; unavailable.
Result<Credentials> single_sign_on(const SingleSignOn& params, const Environment& environment,
                                   const os::Deadline& deadline);

}  // namespace cairn::objectclient
