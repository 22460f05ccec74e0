// SPDX-License-Identifier: Apache-2.0
// One set of options for the process, and how it fills in another one.
#include "objectclient/global_options.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"
#include "objectclient/option_table.h"

namespace cairn::objectclient {
namespace {

struct Global {
  Mutex mutex;
  ClientOptions options CAIRN_GUARDED_BY(mutex);
};

Global& global() {
  static Global* const one = new Global;  // clients may be made while the process ends
  return *one;
}

bool is_credential(std::string_view name) {
  constexpr std::string_view names[] = {"access_key_id", "secret_access_key", "session_token",
                                        "account_id", "credentials"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool has_credentials(const ClientOptions& options) {
  return options.access_key_id.given() || options.secret_access_key.given() ||
         options.session_token.given() || options.credentials.given() || options.profile.given();
}

}  // namespace

void set_global_options(ClientOptions options) {
  Global& all = global();
  MutexLock lock(all.mutex);
  all.options = std::move(options);
}

ClientOptions global_options() {
  Global& all = global();
  MutexLock lock(all.mutex);
  return all.options;
}

ClientOptions with_global_options(ClientOptions own, const ClientOptions& global) {
  const bool own_credentials = has_credentials(own);
  for (const OptionRow& row : option_rows()) {
    if (row.given(own) || !row.given(global)) continue;
    if (own_credentials && is_credential(row.name)) continue;
    row.take(own, global);
  }
  return own;
}

}  // namespace cairn::objectclient
