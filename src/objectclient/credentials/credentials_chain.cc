// SPDX-License-Identifier: Apache-2.0
// One function for each source; the chain is the order in which they are called.
#include "objectclient/credentials/credentials_chain.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "objectclient/credentials/credential_json.h"
#include "objectclient/credentials/token_service.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

using Provider = std::shared_ptr<CredentialsProvider>;

/// What every source looks at. A provider that asks later takes a copy.
struct Search {
  const ChainOptions& options;
  const Profiles& profiles;
  const Environment& environment;

  std::string of(std::string_view profile, std::string_view key) const {
    return profiles.value(profile, key).value_or("");
  }
  Provider renewed(FetchCredentials fetch) const {
    return refreshing_credentials(std::move(fetch), *environment.clock);
  }
};

Provider from_environment(const Search& search) {
  const Environment& environment = search.environment;
  Credentials found{
      .access_key_id =
          environment
              .first_variable({"AWS_ACCESS_KEY_ID", "AMAZON_ACCESS_KEY_ID", "AWS_ACCESS_KEY"})
              .value_or(""),
      .secret_access_key = environment
                               .first_variable({"AWS_SECRET_ACCESS_KEY", "AMAZON_SECRET_ACCESS_KEY",
                                                "AWS_SECRET_KEY"})
                               .value_or(""),
      .session_token =
          environment.first_variable({"AWS_SESSION_TOKEN", "AMAZON_SESSION_TOKEN"}).value_or(""),
      .account_id = environment.variable_or("AWS_ACCOUNT_ID", "")};
  return found.complete() ? static_credentials(std::move(found)) : nullptr;
}

Provider from_keys(const Search& search, std::string_view profile) {
  Credentials found{.access_key_id = search.of(profile, "aws_access_key_id"),
                    .secret_access_key = search.of(profile, "aws_secret_access_key"),
                    .session_token = search.of(profile, "aws_session_token"),
                    .account_id = search.of(profile, "aws_account_id")};
  return found.complete() ? static_credentials(std::move(found)) : nullptr;
}

Provider from_process(const Search& search, std::string_view profile) {
  const std::string command = search.of(profile, "credential_process");
  if (command.empty()) return nullptr;
  const auto run = search.environment.run;
  return search.renewed([run, command](const os::Deadline& deadline) -> Result<Credentials> {
    CAIRN_TRY(const std::string text, run(command, deadline));
    return credentials_of_json(text, "credential_process");
  });
}

Provider from_web_identity(const Search& search, const AssumeRole& params, std::string file) {
  if (params.role_arn.empty() || file.empty()) return nullptr;
  return search.renewed([params, file = std::move(file),
                         environment = search.environment](const os::Deadline& deadline) {
    return assume_role_with_web_identity(params, file, environment, deadline);
  });
}

Provider web_identity_of_environment(const Search& search) {
  const Environment& environment = search.environment;
  return from_web_identity(
      search,
      {.role_arn = environment.variable_or("AWS_ROLE_ARN", ""),
       .role_session_name = environment.variable_or("AWS_ROLE_SESSION_NAME", ""),
       .region = search.options.region},
      environment.variable_or("AWS_WEB_IDENTITY_TOKEN_FILE", ""));
}

Provider web_identity_of_profile(const Search& search, std::string_view profile) {
  return from_web_identity(search,
                           {.role_arn = search.of(profile, "role_arn"),
                            .role_session_name = search.of(profile, "role_session_name"),
                            .region = search.options.region},
                           search.of(profile, "web_identity_token_file"));
}

Provider from_single_sign_on(const Search& search, std::string_view profile) {
  SingleSignOn params{.cache_name = search.of(profile, "sso_session"),
                      .region = search.of(profile, "sso_region"),
                      .account_id = search.of(profile, "sso_account_id"),
                      .role_name = search.of(profile, "sso_role_name")};
  if (!params.cache_name.empty())
    params.region = search.profiles.sso_value(params.cache_name, "sso_region").value_or("");
  else
    params.cache_name = search.of(profile, "sso_start_url");
  if (params.cache_name.empty() || params.region.empty() || params.account_id.empty() ||
      params.role_name.empty())
    return nullptr;
  return search.renewed([params, environment = search.environment](const os::Deadline& deadline) {
    return single_sign_on(params, environment, deadline);
  });
}

Result<Provider> from_container(const Search& search) {
  CAIRN_TRY(const auto url, container_credentials_url(search.environment));
  if (!url) return Provider();
  return search.renewed(
      [url = *url, environment = search.environment](const os::Deadline& deadline) {
        return fetch_container_credentials(url, environment, deadline);
      });
}

Provider from_instance(const Search& search) {
  if (!may_ask_instance_metadata(search.environment)) return nullptr;
  return search.renewed([options = search.options.instance,
                         environment = search.environment](const os::Deadline& deadline) {
    return fetch_instance_credentials(options, environment, deadline);
  });
}

Result<Provider> from_role(const Search& search, std::string_view profile,
                           std::vector<std::string> seen);

/// The credentials that a role is asked for with.
Result<Provider> source_of_role(const Search& search, std::string_view profile,
                                std::vector<std::string> seen) {
  const std::string source_profile = search.of(profile, "source_profile");
  const std::string source = search.of(profile, "credential_source");
  const std::string name(profile);
  if (!source_profile.empty() && !source.empty())
    return argument_error("CredentialSourceConflictError",
                          "profile " + name +
                              " has a source_profile and a credential_source; it may have "
                              "one of them");
  if (source == "Environment") return from_environment(search);
  if (source == "EcsContainer") return from_container(search);
  if (source == "Ec2InstanceMetadata") return from_instance(search);
  if (!source.empty())
    return argument_error({}, "profile " + name + " has the credential_source " + source +
                                  "; it may be Environment, EcsContainer or Ec2InstanceMetadata");
  if (source_profile.empty()) return Provider();
  if (!search.profiles.has(source_profile))
    return argument_error("NoSourceProfileError", "profile " + name + " has the source_profile " +
                                                      source_profile + ", which does not exist");
  // A profile may be its own source, for the keys beside its role.
  if (source_profile == profile) return from_keys(search, profile);
  if (std::find(seen.begin(), seen.end(), source_profile) != seen.end())
    return argument_error(
        "SourceProfileCircularReferenceError",
        "the source_profile of profile " + name + " leads back to " + source_profile);
  seen.push_back(source_profile);
  CAIRN_TRY(Provider role, from_role(search, source_profile, seen));
  if (role != nullptr) return role;
  for (const auto& source_of :
       {from_keys, from_single_sign_on, web_identity_of_profile, from_process})
    if (Provider found = source_of(search, source_profile)) return found;
  return Provider();
}

Result<Provider> from_role(const Search& search, std::string_view profile,
                           std::vector<std::string> seen) {
  AssumeRole params{.role_arn = search.of(profile, "role_arn"),
                    .role_session_name = search.of(profile, "role_session_name"),
                    .external_id = search.of(profile, "external_id"),
                    .region = search.options.region};
  if (params.role_arn.empty() || !search.of(profile, "web_identity_token_file").empty())
    return Provider();
  const std::string duration = search.of(profile, "duration_seconds");
  std::from_chars(duration.data(), duration.data() + duration.size(), params.duration_seconds);
  CAIRN_TRY(Provider source, source_of_role(search, profile, std::move(seen)));
  if (source == nullptr) return Provider();
  params.mfa_serial = search.of(profile, "mfa_serial");
  const MfaTokenCode token_code = search.options.mfa_token_code;
  if (!params.mfa_serial.empty() && !token_code)
    return Error{ErrorKind::unauthenticated, "MissingCredentialsError",
                 "the role " + params.role_arn + " of profile " + std::string(profile) +
                     " asks for a code of the device " + params.mfa_serial +
                     " (mfa_serial): give the option mfa_token_code, or credentials that the role "
                     "was assumed with already"};
  return search.renewed(
      [params, token_code, source = std::move(source),
       environment = search.environment](const os::Deadline& deadline) -> Result<Credentials> {
        AssumeRole asked = params;
        if (!asked.mfa_serial.empty()) {
          CAIRN_TRY(asked.mfa_token_code, token_code(asked.mfa_serial, deadline));
        }
        CAIRN_TRY(const auto signer, source->get(deadline));
        return assume_role(asked, *signer, environment, deadline);
      });
}

/// Everything that a profile can say, in its order.
Result<Provider> from_profile(const Search& search, const std::string& profile) {
  if (Provider found = web_identity_of_profile(search, profile)) return found;
  if (Provider found = from_single_sign_on(search, profile)) return found;
  CAIRN_TRY(Provider role, from_role(search, profile, {profile}));
  if (role != nullptr) return role;
  if (Provider found = from_keys(search, profile)) return found;
  return from_process(search, profile);
}

}  // namespace

std::string profile_name(const std::optional<std::string>& option, const Environment& environment) {
  if (option && !option->empty()) return *option;
  return environment.first_variable({"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}).value_or("default");
}

Result<std::shared_ptr<CredentialsProvider>> credentials_chain(const ChainOptions& options,
                                                               const Profiles& profiles,
                                                               const Environment& environment) {
  if (options.given.complete()) return static_credentials(options.given);
  const Search search{options, profiles, environment};
  const std::string profile = profile_name(options.profile, environment);
  if (options.profile) {
    if (!profiles.has(profile))
      return argument_error("NoSuchProfileError", "profile " + profile + " does not exist");
    CAIRN_TRY(Provider found, from_profile(search, profile));
    if (found != nullptr) return found;
  }
  if (Provider found = from_environment(search)) return found;
  if (Provider found = web_identity_of_environment(search)) return found;
  CAIRN_TRY(Provider found, from_profile(search, profile));
  if (found != nullptr) return found;
  CAIRN_TRY(Provider container, from_container(search));
  if (container != nullptr) return container;
  if (Provider instance = from_instance(search)) return instance;
  return Error{
      ErrorKind::unauthenticated, "MissingCredentialsError",
      "no credentials were found. Looked at: the client's options; the global options; "
      "AWS_ACCESS_KEY_ID and "
      "AWS_SECRET_ACCESS_KEY; AWS_WEB_IDENTITY_TOKEN_FILE; profile " +
          profile +
          " of the shared configuration files; the container's credentials; instance metadata "
          "(switched off by AWS_EC2_METADATA_DISABLED)"};
}

}  // namespace cairn::objectclient
