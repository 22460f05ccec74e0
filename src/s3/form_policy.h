// SPDX-License-Identifier: Apache-2.0
// Policies of forms: what may be uploaded from a page by whoever has the form. Written by clients,
// signed as text, read and judged by the service. Pure.
// Source: the API reference of the service that this protocol comes from, "POST policy".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::s3 {

/// The fields of a form before its file, in their order, names in lower case.
using FormFields = std::vector<std::pair<std::string, std::string>>;

/// The value of a field, or null.
const std::string* find_field(const FormFields& fields, std::string_view name);

/// One thing that a field must be.
struct FormCondition {
  enum class Match { equal, beginning };
  Match match = Match::equal;
  std::string field = {};  // without "$"
  std::string value = {};
  /// `["eq", "$key", "value"]`, as errors show it.
  std::string text() const;
};

struct FormPolicy {
  std::int64_t expires_ms = 0;
  std::vector<FormCondition> conditions = {};
  /// Of the file, both ends included.
  std::uint64_t bytes_min = 0;
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
};

/// Reads a policy as the form has it: JSON in base64. Names of fields become lower case; of several
/// ranges of lengths the narrowest holds. Errors: InvalidPolicyDocument.
Result<FormPolicy> parse_form_policy(std::string_view base64);

/// Writes a policy as a form has it, condition by condition. Names of fields stay as they are.
class FormPolicyWriter {
 public:
  explicit FormPolicyWriter(std::int64_t expires_ms);
  void equal(std::string_view field, std::string_view value);
  void begins(std::string_view field, std::string_view value);
  /// Of the file in bytes, both ends included.
  void length(std::uint64_t least, std::uint64_t most);
  /// In base64. Nothing may be added after that.
  std::string finish();

 private:
  std::string text_;
};
/// The same of a policy as it is.
std::string write_form_policy(const FormPolicy& policy);

/// Whether the policy is good for an upload to `bucket` with these fields: it has not expired,
/// every condition holds, and every field is named by one, but for those of the signature, `file`,
/// `policy` and `x-ignore-*`. The length of the file is not judged. Errors: AccessDenied, which
/// says what does not hold.
Status check_form_policy(const FormPolicy& policy, const FormFields& fields,
                         std::string_view bucket, std::int64_t now_ms);

}  // namespace cairn::s3
