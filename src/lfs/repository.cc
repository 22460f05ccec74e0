// SPDX-License-Identifier: Apache-2.0
#include "lfs/repository.h"

#include <algorithm>

#include "auth/keys/rights.h"
#include "base/strings.h"
#include "gate/identify.h"

namespace cairn::lfs {
namespace {

constexpr std::size_t name_bytes_max = 100;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > name_bytes_max || !is_letter_or_digit(text.front()))
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace

Result<Repository> Repository::parse(std::string_view owner, std::string_view name) {
  if (name.ends_with(".git")) name.remove_suffix(4);
  if (is_name(owner) && is_name(name))
    return Repository{.owner = std::string(owner), .name = std::string(name)};
  return Error{.kind = ErrorKind::not_found,
               .message = "[" + std::string(owner) + "/" + std::string(name) +
                          "] cannot be a repository: owner and name are up to 100 letters, digits "
                          "and . _ - and begin with a letter or digit"};
}

Status Repository::admit(const gate::Caller& caller, std::string_view privilege) const {
  if (caller.anonymous()) return gate::missing_credentials("/" + path());
  const std::string in_rights = resource();
  if (caller.may_index(privilege, in_rights)) return ok_status();
  const bool known = caller.may_index("read", in_rights) || caller.may_index("write", in_rights);
  if (!known)
    return Error{.kind = ErrorKind::permission_denied,
                 .code = "security_exception",
                 .message = "repository [" + path() + "] does not exist for this API key"}
        .with_detail("_status", "404");
  return Error{.kind = ErrorKind::permission_denied,
               .code = "security_exception",
               .message = "this API key may not " + std::string(privilege) + " repository [" +
                          path() + "]; that is granted by the index privileges [" +
                          join(auth::index_grants(privilege), ",") + "] on [" + in_rights + "]"};
}

bool Repository::is_one_of(const std::vector<std::string>& patterns) const {
  const std::string own = path();
  return std::any_of(patterns.begin(), patterns.end(),
                     [&own](const std::string& each) { return wildcard_match(each, own); });
}

bool is_oid(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace cairn::lfs
