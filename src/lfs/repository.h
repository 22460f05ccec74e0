// SPDX-License-Identifier: Apache-2.0
// A repository as the path of a request names it, and its place among objects and privileges.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "gate/route.h"

namespace cairn::lfs {

/// The bucket of the object service that holds all large files.
inline constexpr std::string_view bucket = "lfs";

struct Repository {
  std::string owner;
  std::string name;  // without ".git"

  /// Names are 1 to 100 letters, digits and ._- of ASCII, and begin with none of the three.
  /// Errors: not_found, with the path.
  static Result<Repository> parse(std::string_view owner, std::string_view name);

  /// "acme/models"
  std::string path() const { return owner + "/" + name; }
  /// Where the object lies in the bucket: "acme/models/<oid>".
  std::string key(std::string_view oid) const { return path() + "/" + std::string(oid); }
  /// What rights name it by, among indices: "lfs/acme/models". No index can have a slash.
  std::string resource() const { return std::string(bucket) + "/" + path(); }

  /// Index privilege `read` or `write` on resource(). Errors: permission_denied; with the status
  /// 404 where the caller has neither, and so need not know that the repository exists.
  /// Errors for callers without credentials: unauthenticated, so that clients ask for some.
  Status admit(const gate::Caller& caller, std::string_view privilege) const;
  /// Whether one of the patterns "acme/models", "acme/*" fits it.
  bool is_one_of(const std::vector<std::string>& patterns) const;
};

/// True for 64 lower-case hexadecimal digits: the SHA-256 that names an object.
bool is_oid(std::string_view text);

}  // namespace cairn::lfs
