// SPDX-License-Identifier: Apache-2.0
// The side of a client: writing policies. It is part of libcairn-objects; the other one is not.
#include "s3/form_policy.h"

#include "base/encode.h"
#include "format/json.h"
#include "format/time.h"

namespace cairn::s3 {

// "," between conditions: each is followed by one, of which finish() takes the last away.
FormPolicyWriter::FormPolicyWriter(std::int64_t expires_ms)
    : text_("{\"expiration\":\"" + format_iso8601(expires_ms) + "\",\"conditions\":[") {}

void FormPolicyWriter::equal(std::string_view field, std::string_view value) {
  text_ += '{';
  append_json_string(text_, field);
  text_ += ':';
  append_json_string(text_, value);
  text_ += "},";
}

void FormPolicyWriter::begins(std::string_view field, std::string_view value) {
  text_ += "[\"starts-with\",";
  append_json_string(text_, "$" + std::string(field));
  text_ += ',';
  append_json_string(text_, value);
  text_ += "],";
}

void FormPolicyWriter::length(std::uint64_t least, std::uint64_t most) {
  text_ += "[\"content-length-range\"," + std::to_string(least) + "," + std::to_string(most) + "],";
}

std::string FormPolicyWriter::finish() {
  if (text_.back() == ',') text_.pop_back();
  text_ += "]}";
  return to_base64(text_);
}

}  // namespace cairn::s3
