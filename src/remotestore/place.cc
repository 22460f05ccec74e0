// SPDX-License-Identifier: Apache-2.0
#include "remotestore/place.h"

#include <vector>

#include "base/encode.h"
#include "base/strings.h"
#include "remotestore/names.h"

namespace cairn::remotestore {
namespace {

constexpr std::size_t prefix_bytes_max = 512;
constexpr std::string_view example = "s3://bucket/prefix?endpoint=http://127.0.0.1:9000";

Error bad_place(std::string why) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(why)};
}

bool names_a_secret(std::string_view name) {
  const std::string lower = lower_ascii(name);
  for (const std::string_view part : {"access_key", "secret", "token", "password", "credential"})
    if (lower.find(part) != std::string::npos) return true;
  return false;
}

Error secret_in_url(std::string_view what) {
  return bad_place("credentials do not belong in the URL, which is logged and shown (" +
                   std::string(what) +
                   "): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or a "
                   "profile with AWS_PROFILE");
}

Status set_parameter(Place& place, std::string_view name, const std::string& value) {
  if (names_a_secret(name)) return secret_in_url("parameter " + std::string(name));
  if (name == "endpoint") {
    if (!value.starts_with("http://") && !value.starts_with("https://"))
      return bad_place("endpoint must be an http or https URL, and is \"" + value + "\"");
    if (value.find('@') != std::string::npos) return secret_in_url("a user in endpoint");
    place.endpoint = value;
    while (place.endpoint.ends_with('/')) place.endpoint.pop_back();
    return ok_status();
  }
  if (name == "region") {
    place.region = value;
    return ok_status();
  }
  if (name == "path_style") {
    if (value != "true" && value != "false")
      return bad_place("path_style must be true or false, and is \"" + value + "\"");
    place.path_style = value == "true";
    return ok_status();
  }
  std::string message = "unknown parameter " + std::string(name);
  if (const auto near = nearest(name, {"endpoint", "region", "path_style"}))
    message += "; did you mean " + *near + "?";
  return bad_place(message + " Known are endpoint, region and path_style");
}

Result<std::string> decoded(std::string_view text) {
  if (auto out = percent_decode(text)) return std::move(*out);
  return bad_place("\"" + std::string(text) + "\" has a % without two hexadecimal digits");
}

}  // namespace

std::string Place::shown() const { return "s3://" + bucket + "/" + prefix; }

Status Place::validate() const {
  if (bucket.empty())
    return bad_place(std::string("no bucket is named, as in ") + std::string(example));
  if (bucket.find_first_of("/?#% ") != std::string::npos)
    return bad_place("\"" + bucket + "\" is no name of a bucket");
  if (prefix.size() > prefix_bytes_max)
    return bad_place("the prefix has " + std::to_string(prefix.size()) + " bytes; at most " +
                     std::to_string(prefix_bytes_max) + " are allowed");
  if (!prefix.empty() && !is_plain_prefix(prefix))
    return bad_place("the prefix \"" + prefix + "\" has bytes that not every cluster keeps");
  return ok_status();
}

std::string normal_prefix(std::string_view prefix) {
  std::string out;
  for (const std::string_view piece : split(prefix, '/'))
    if (!piece.empty()) out += std::string(piece) + "/";
  return out;
}

Result<Place> parse_place(std::string_view url) {
  constexpr std::string_view scheme = "s3://";
  if (!url.starts_with(scheme)) return bad_place("a store is named as in " + std::string(example));
  url.remove_prefix(scheme.size());
  const std::string_view path = url.substr(0, url.find('?'));
  const std::string_view query = path.size() == url.size() ? "" : url.substr(path.size() + 1);
  if (path.substr(0, path.find('/')).find('@') != std::string_view::npos)
    return secret_in_url("a user before the bucket");
  Place place;
  CAIRN_TRY(place.bucket, decoded(path.substr(0, path.find('/'))));
  if (const auto slash = path.find('/'); slash != std::string_view::npos) {
    CAIRN_TRY(const std::string prefix, decoded(path.substr(slash)));
    place.prefix = normal_prefix(prefix);
  }
  for (const std::string_view pair : split(query, '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos)
      return bad_place("parameter " + std::string(pair) + " has no value");
    CAIRN_TRY(const std::string value, decoded(pair.substr(equals + 1)));
    CAIRN_CHECK(set_parameter(place, pair.substr(0, equals), value));
  }
  CAIRN_CHECK(place.validate());
  return place;
}

}  // namespace cairn::remotestore
