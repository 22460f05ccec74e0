// SPDX-License-Identifier: Apache-2.0
// What was not given is looked for: in the environment, in the profile, in the mode.
#include "objectclient/options.h"

#include <utility>

#include "base/strings.h"
#include "objectclient/credentials/credentials_chain.h"
#include "objectclient/credentials/metadata_credentials.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/faults.h"
#include "objectclient/option_table.h"

namespace cairn::objectclient {
namespace {

constexpr std::int64_t region_search_ms_max = 2'000;

/// Variables that mean the same; the first that is set counts.
std::vector<std::string_view> variables_of(const OptionRow& row) {
  if (row.name == "region") return {"AWS_REGION", "AMAZON_REGION", "AWS_DEFAULT_REGION"};
  if (row.name == "endpoint") return {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"};
  if (row.name == "profile") return {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"};
  return {row.variable};
}

std::optional<std::string> profile_value(const OptionRow& row, const std::string& profile,
                                         const Profiles& profiles) {
  if (row.key.empty()) return std::nullopt;
  if (row.name == "endpoint")
    if (auto own = profiles.service_value(profile, "s3", row.key)) return own;
  return profiles.value(profile, row.key);
}

Status look_around(ClientOptions& options, const Profiles& profiles,
                   const Environment& environment) {
  for (const OptionRow& row : option_rows()) {
    if (!row.can_be_text() || row.given(options)) continue;
    // Set already, as it stands above the endpoint in the table's order of looking.
    if (row.name == "endpoint" && *options.ignore_configured_endpoint_urls) continue;
    if (!row.variable.empty()) {
      if (const auto value = environment.first_variable(variables_of(row))) {
        CAIRN_CHECK(row.set(options, *value));
        continue;
      }
    }
    if (const auto value = profile_value(row, *options.profile, profiles); value && !value->empty())
      CAIRN_CHECK(row.set(options, *value));
  }
  return ok_status();
}

/// The region that this program runs in, where that is known.
std::optional<std::string> region_here(const ClientOptions& options,
                                       const Environment& environment) {
  if (environment.first_variable({"AWS_EXECUTION_ENV"}))
    if (auto region = environment.first_variable({"AWS_REGION", "AWS_DEFAULT_REGION"}))
      return region;
  if (*options.stub_responses || !may_ask_instance_metadata(environment)) return std::nullopt;
  const auto region = fetch_instance_region(environment, os::Deadline::in_ms(region_search_ms_max));
  return region.ok() ? std::optional(*region) : std::nullopt;
}

/// What `auto` is.
std::string mode_of(const ClientOptions& options, const Environment& environment) {
  if (*options.defaults_mode != "auto") return *options.defaults_mode;
  const auto here = region_here(options, environment);
  if (!here) return "standard";
  return *here == *options.region ? "in-region" : "cross-region";
}

void apply_mode(ClientOptions& options, const std::string& mode) {
  if (mode == "legacy") return;
  options.retry_mode.fall_back("standard");
  options.s3_us_east_1_regional_endpoint.fall_back("regional");
  options.http_open_timeout.fall_back(mode == "in-region" ? 1.1 : mode == "mobile" ? 30 : 3.1);
}

void lower(Setting<std::string>& setting) {
  if (setting.given()) setting = lower_ascii(*setting);
}

/// The switch that decides whether the others are read has to be read first.
Status look_for_switches(ClientOptions& options, const Profiles& profiles,
                         const Environment& environment) {
  for (const std::string_view name : {"profile", "ignore_configured_endpoint_urls"}) {
    const OptionRow& row = *find_option(name);
    if (row.given(options)) continue;
    if (const auto value = environment.first_variable(variables_of(row)))
      CAIRN_CHECK(row.set(options, *value));
    else if (const auto kept = profile_value(row, *options.profile, profiles))
      CAIRN_CHECK(row.set(options, *kept));
  }
  return ok_status();
}

}  // namespace

std::string region_without_fips(std::string_view region) {
  if (region.starts_with("fips-")) return std::string(region.substr(5));
  if (region.ends_with("-fips")) return std::string(region.substr(0, region.size() - 5));
  return std::string(region);
}

std::vector<std::string> option_faults(const ClientOptions& options) {
  std::vector<std::string> faults;
  for (const OptionRow& row : option_rows())
    if (std::string fault = row.fault(options); !fault.empty()) faults.push_back(std::move(fault));
  return faults;
}

Result<ClientOptions> complete_options(ClientOptions given, const Profiles& profiles,
                                       const Environment& environment) {
  ClientOptions options = std::move(given);
  if (*options.stub_responses) {
    options.region.fall_back("us-stubbed-1");
    options.access_key_id.fall_back("stubbed-akid");
    options.secret_access_key.fall_back("stubbed-secret");
  }
  CAIRN_CHECK(look_for_switches(options, profiles, environment));
  CAIRN_CHECK(look_around(options, profiles, environment));
  lower(options.request_checksum_calculation);
  lower(options.response_checksum_validation);
  if (!*options.compute_checksums)
    options.request_checksum_calculation = std::string("when_required");
  if (const auto faults = option_faults(options); !faults.empty())
    return argument_error(join(faults, "\n"));
  if (options.sigv4a_signing_region_set.given() && options.sigv4a_signing_region_set->empty())
    return argument_error("InvalidRegionSetError", "sigv4a_signing_region_set names no region");
  if (options.region->empty())
    return argument_error("MissingRegionError",
                          "no region is known. Give the option :region; looked at AWS_REGION, "
                          "AMAZON_REGION, AWS_DEFAULT_REGION and the key region of profile " +
                              *options.profile + " in the shared configuration files");
  if (const std::string plain = region_without_fips(*options.region); plain != *options.region) {
    options.region = plain;
    options.use_fips_endpoint = true;
  }
  // At an endpoint of one's own the region stands in signatures alone.
  if (options.endpoint->empty() && !is_host_label(*options.region, true))
    return argument_error("expected :region or ENV['AWS_REGION'] to be a region: `" +
                          *options.region + "` cannot be part of a host");
  apply_mode(options, mode_of(options, environment));
  return options;
}

}  // namespace cairn::objectclient
