// SPDX-License-Identifier: Apache-2.0
// For tests: forms as browsers send them, signed as SDKs sign them.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "format/time.h"
#include "s3/form_policy.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::form_rig_test {

using Fields = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view boundary = "----FormBoundaryX7";

inline std::string part_of(std::string_view name, std::string_view value,
                           std::string_view file_name = {}) {
  std::string out = "--" + std::string(boundary) + "\r\nContent-Disposition: form-data; name=\"" +
                    std::string(name) + "\"";
  if (!file_name.empty()) out += "; filename=\"" + std::string(file_name) + "\"";
  return out + "\r\n\r\n" + std::string(value) + "\r\n";
}

inline std::string end_of_form() { return "--" + std::string(boundary) + "--\r\n"; }

struct FormRig : ServiceRig {
  explicit FormRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/bkt").status == 200);
  }
  std::string expiration() const { return format_iso8601(clock.unix_ms() + 60'000); }
  // Fields, then the file, then what follows it.
  Answer send(const Fields& fields, std::string_view bytes = "bytes", std::string_view rest = {},
              std::string_view file_name = "a photo.png", Fields headers = {}) {
    std::string body;
    for (const auto& [name, value] : fields) body += part_of(name, value);
    body += part_of("file", bytes, file_name) + std::string(rest) + end_of_form();
    return send_body(std::move(body), std::move(headers));
  }
  Answer send_body(std::string body, Fields headers = {}, std::string target = "/bkt") {
    headers.emplace_back("Content-Type", "multipart/form-data; boundary=" + std::string(boundary));
    return ask({.method = "POST",
                .target = std::move(target),
                .headers = std::move(headers),
                .body = std::move(body),
                .sign = false});
  }
  // The fields with a policy that names each of them, and `more` conditions, signed.
  Fields signed_form(Fields fields, std::string_view more = {},
                     const s3::Credentials* who = nullptr, std::string_view bucket = "bkt") {
    const s3::Credentials& key = who == nullptr ? mine : *who;
    const std::string date = format_basic_iso8601(clock.unix_ms());
    const s3::Scope scope{.date = date.substr(0, 8), .region = "us-east-1"};
    fields.emplace_back("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
    fields.emplace_back("X-Amz-Credential", key.access_key_id + "/" + scope.text(s3::Dialect::aws));
    fields.emplace_back("X-Amz-Date", date);
    if (!key.session_token.empty()) fields.emplace_back("X-Amz-Security-Token", key.session_token);
    std::string policy = R"({"expiration":")" + expiration() + R"(","conditions":[{"bucket":")" +
                         std::string(bucket) + "\"}";
    for (const auto& [name, value] : fields) policy += R"(,["starts-with","$)" + name + R"(",""])";
    policy += std::string(more) + "]}";
    return with_policy(std::move(fields), to_base64(policy), key, scope);
  }
  Fields with_policy(Fields fields, const std::string& policy, const s3::Credentials& key,
                     const s3::Scope& scope) {
    fields.emplace_back("Policy", policy);
    fields.emplace_back("X-Amz-Signature", s3::sign_form(policy, key.secret_access_key, scope,
                                                         s3::Dialect::aws, keys));
    return fields;
  }
};

}  // namespace cairn::s3api::form_rig_test
