// SPDX-License-Identifier: Apache-2.0
// Where credentials are looked for, in which order, and what is said when there are none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "objectclient/credentials.h"
#include "objectclient/credentials/metadata_credentials.h"
#include "objectclient/environment.h"
#include "objectclient/profiles.h"

namespace cairn::objectclient {

struct ChainOptions {
  Credentials given = {};                   // of the client's own options
  std::optional<std::string> profile = {};  // of the client's own options
  std::string region = "us-east-1";         // of token services
  MetadataOptions instance = {};            // instance_profile_credentials_timeout and _retries
  MfaTokenCode mfa_token_code = {};         // of roles with mfa_serial
};

/// The profile that holds: the option, AWS_PROFILE, AWS_DEFAULT_PROFILE, "default".
std::string profile_name(const std::optional<std::string>& option, const Environment& environment);

/// The first source that has both ids: options, which are the client's own or else the global ones;
/// the profile, where it was given as an option;
/// environment; web identity; single sign-on; a role of the profile; the profile's keys; its
/// credential_process; the container; the instance. Sources that wait are asked by get(), and
/// renew what they gave. `environment.clock` outlives the provider.
/// Errors: unauthenticated, MissingCredentialsError, that names every place, or the role whose
/// mfa_serial nobody gives a code for; invalid_argument:
/// SourceProfileCircularReferenceError, CredentialSourceConflictError, a profile that does not
/// exist, container addresses that may not be used.
Result<std::shared_ptr<CredentialsProvider>> credentials_chain(const ChainOptions& options,
                                                               const Profiles& profiles,
                                                               const Environment& environment);

}  // namespace cairn::objectclient
