// SPDX-License-Identifier: Apache-2.0
// The side of the service: reading policies, and judging forms by them.
#include "s3/form_policy.h"

#include <algorithm>

#include "base/encode.h"
#include "base/strings.h"
#include "format/json.h"
#include "format/time.h"
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

constexpr std::string_view length_range = "content-length-range";
constexpr std::size_t depth_max = 8;

Error bad_policy(std::string what) {
  return error("InvalidPolicyDocument", "Invalid Policy: " + std::move(what));
}

Error not_allowed(std::string what) {
  return error("AccessDenied", "Invalid according to Policy: " + std::move(what));
}

// Policies have two escapes that JSON has not: "\$" for what would begin a variable, and "\v". A
// backslash stands in strings only.
std::string without_own_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    if (text[i] == '$') {
      out += '$';
    } else if (text[i] == 'v') {
      out += "\\u000b";
    } else {
      out.append("\\").append(1, text[i]);
    }
  }
  return out;
}

Result<std::uint64_t> read_length(const Json& value) {
  if (value.is_count()) return value.as_unsigned();
  if (value.is_string())
    if (const auto number = parse_number<std::uint64_t>(value.as_string())) return *number;
  return bad_policy("Invalid content-length-range: the lengths must be numbers of bytes.");
}

Status read_range(const Json::Array& row, FormPolicy& policy) {
  if (row.size() != 3)
    return bad_policy("Invalid content-length-range: it takes a minimum and a maximum.");
  CAIRN_TRY(const std::uint64_t least, read_length(row[1]));
  CAIRN_TRY(const std::uint64_t most, read_length(row[2]));
  if (least > most)
    return bad_policy("Invalid content-length-range: the minimum is above the maximum.");
  policy.bytes_min = std::max(policy.bytes_min, least);
  policy.bytes_max = std::min(policy.bytes_max, most);
  return ok_status();
}

Status read_row(const Json::Array& row, FormPolicy& policy) {
  if (row.empty() || !row[0].is_string())
    return bad_policy("Invalid Condition: the operation must be a string.");
  const std::string operation = lower_ascii(row[0].as_string());
  if (operation == length_range) return read_range(row, policy);
  FormCondition condition;
  if (operation == "starts-with") condition.match = FormCondition::Match::beginning;
  if (operation != "starts-with" && operation != "eq")
    return bad_policy("Invalid Condition: unknown operation '" + row[0].as_string() + "'.");
  if (row.size() != 3 || !row[1].is_string() || !row[2].is_string())
    return bad_policy("Invalid Condition: '" + operation +
                      "' takes a field and a value, both strings.");
  if (!row[1].as_string().starts_with('$') || row[1].as_string().size() == 1)
    return bad_policy("Invalid Condition: the field '" + row[1].as_string() +
                      "' must begin with '$'.");
  condition.field = lower_ascii(row[1].as_string().substr(1));
  condition.value = row[2].as_string();
  policy.conditions.push_back(std::move(condition));
  return ok_status();
}

Status read_condition(const Json& condition, FormPolicy& policy) {
  if (condition.is_array()) return read_row(condition.as_array(), policy);
  if (!condition.is_object())
    return bad_policy("Invalid Condition: it must be a list or an object.");
  if (condition.as_object().size() != 1)
    return bad_policy(
        "Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.");
  const auto& [name, value] = condition.as_object().front();
  if (!value.is_string()) return bad_policy("Invalid Simple-Condition: value must be a string.");
  if (name.empty()) return bad_policy("Invalid Simple-Condition: it names no field.");
  policy.conditions.push_back({.field = lower_ascii(name), .value = value.as_string()});
  return ok_status();
}

// What need not be named by a condition.
bool is_free(std::string_view name) {
  constexpr std::string_view free[] = {"awsaccesskeyid",  "file",           "policy", "signature",
                                       "x-amz-signature", "x-svc-signature"};
  return name.starts_with("x-ignore-") ||
         std::find(std::begin(free), std::end(free), name) != std::end(free);
}

// A field may list types; then each of them must begin so.
bool each_begins(std::string_view list, std::string_view beginning) {
  const auto pieces = split(list, ',');
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](std::string_view piece) { return trim(piece).starts_with(beginning); });
}

bool holds(const FormCondition& condition, const std::string* value) {
  if (value == nullptr) return false;
  if (condition.match == FormCondition::Match::equal) return *value == condition.value;
  if (condition.field == "content-type" && condition.value.find(',') == std::string::npos)
    return each_begins(*value, condition.value);
  return value->starts_with(condition.value);
}

}  // namespace

const std::string* find_field(const FormFields& fields, std::string_view name) {
  for (const auto& [field, value] : fields)
    if (field == name) return &value;
  return nullptr;
}

std::string FormCondition::text() const {
  std::string out = match == Match::equal ? "[\"eq\", " : "[\"starts-with\", ";
  append_json_string(out, "$" + field);
  out += ", ";
  append_json_string(out, value);
  return out + "]";
}

Result<FormPolicy> parse_form_policy(std::string_view base64) {
  const auto text = from_base64(trim(base64));
  if (!text) return bad_policy("Invalid base64.");
  const auto json =
      parse_json(without_own_escapes(*text), {.depth = depth_max, .unique_names = true});
  if (!json.ok()) return bad_policy("Invalid JSON: " + json.error().message);
  if (!json->is_object()) return bad_policy("Invalid JSON: it must be an object.");
  for (const auto& [name, value] : json->as_object())
    if (name != "expiration" && name != "conditions")
      return bad_policy("Unexpected: '" + name + "'.");
  const Json* expiration = json->find("expiration");
  if (expiration == nullptr) return bad_policy("Policy document missing expiration.");
  const Json* conditions = json->find("conditions");
  if (conditions == nullptr) return bad_policy("Policy document missing conditions.");
  FormPolicy policy;
  const auto expires_ms =
      expiration->is_string() ? parse_iso8601(expiration->as_string()) : std::nullopt;
  if (!expires_ms)
    return bad_policy("Invalid 'expiration' value: it must be a time as 2030-12-01T12:00:00.000Z.");
  policy.expires_ms = *expires_ms;
  if (!conditions->is_array()) return bad_policy("Invalid 'conditions' value: must be a List.");
  for (const Json& condition : conditions->as_array())
    CAIRN_CHECK(read_condition(condition, policy));
  return policy;
}

std::string write_form_policy(const FormPolicy& policy) {
  FormPolicyWriter out(policy.expires_ms);
  for (const FormCondition& condition : policy.conditions)
    if (condition.match == FormCondition::Match::equal)
      out.equal(condition.field, condition.value);
    else
      out.begins(condition.field, condition.value);
  const FormPolicy open;
  if (policy.bytes_min != open.bytes_min || policy.bytes_max != open.bytes_max)
    out.length(policy.bytes_min, policy.bytes_max);
  return out.finish();
}

Status check_form_policy(const FormPolicy& policy, const FormFields& fields,
                         std::string_view bucket, std::int64_t now_ms) {
  if (now_ms >= policy.expires_ms) return not_allowed("Policy expired.");
  // The bucket is a field that the address says.
  const std::string* said = find_field(fields, "bucket");
  const std::string of_address(bucket);
  for (const FormCondition& condition : policy.conditions) {
    const bool of_bucket = condition.field == "bucket";
    const bool good =
        of_bucket ? holds(condition, &of_address) && (said == nullptr || holds(condition, said))
                  : holds(condition, find_field(fields, condition.field));
    if (!good) return not_allowed("Policy Condition failed: " + condition.text());
  }
  const auto is_named = [&](std::string_view name) {
    return std::any_of(policy.conditions.begin(), policy.conditions.end(),
                       [&](const FormCondition& condition) { return condition.field == name; });
  };
  std::vector<std::string> extra;
  for (const auto& [name, value] : fields)
    if (!is_free(name) && !is_named(name)) extra.push_back(name);
  if (said == nullptr && !is_named("bucket")) extra.emplace_back("bucket");
  if (!extra.empty()) return not_allowed("Extra input fields: " + join(extra, ", "));
  return ok_status();
}

}  // namespace cairn::s3
