// SPDX-License-Identifier: Apache-2.0
// Addresses of people: "s3://bucket/key", a path, or "-".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::cli {

struct Address {
  enum class Kind { object, path, stream };
  Kind kind = Kind::path;
  std::string bucket = {};  // of objects: a name, or the ARN of an access point
  std::string key = {};     // of objects: key or prefix, may be empty
  std::string path = {};    // of paths

  bool is_object() const { return kind == Kind::object; }
  bool is_stream() const { return kind == Kind::stream; }
  /// As people write it.
  std::string text() const;
};

/// Keys are taken as they are: nothing is decoded. Errors: invalid_argument: no bucket, an ARN that
/// is none of an access point.
Result<Address> parse_address(std::string_view text);

/// The same where only "s3://bucket[/key]" will do; also without "s3://".
Result<Address> parse_object_address(std::string_view text);

/// "s3://bucket/key".
std::string object_text(std::string_view bucket, std::string_view key);

/// The part behind the last '/'.
std::string last_name(std::string_view path);

/// The same with '/' at its end, unless it is empty.
std::string as_folder(std::string path);

}  // namespace cairn::cli
