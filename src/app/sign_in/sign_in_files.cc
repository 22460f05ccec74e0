// SPDX-License-Identifier: Apache-2.0
#include "app/sign_in/sign_in_files.h"

#include <utility>

#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::size_t sign_in_bytes_max = 4 << 20;

template <class Value>
Result<Value> parsed(const char* setting, const std::string& file,
                     Result<Value> (*parse)(std::string_view)) {
  const std::string where = std::string(setting) + ": " + file;
  auto text = os::read_file(os::system_files(), file, sign_in_bytes_max);
  if (!text.ok()) return with_context(std::move(text).error(), where);
  auto value = parse(*text);
  if (value.ok()) return value;
  return Error{.kind = ErrorKind::invalid_argument,
               .message = where + ": " + value.error().message};
}

}  // namespace

Status read_sign_in(const Settings& settings, auth::SignIn& sign_in) {
  if (!sign_in.enabled()) return ok_status();
  CAIRN_TRY(auto keys, parsed("oidc.keys_file", settings.oidc_keys_file, auth::PublicKeys::parse));
  CAIRN_TRY(auto roles,
            parsed("oidc.roles_file", settings.oidc_roles_file, auth::parse_group_roles));
  sign_in.set(std::move(keys), std::move(roles));
  return ok_status();
}

}  // namespace cairn::app
