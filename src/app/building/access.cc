// SPDX-License-Identifier: Apache-2.0
// Who may ask, how often, and what is written down of it.
#include "app/rooms.h"

#include "app/index_facts.h"
#include "app/keys/key_files.h"
#include "app/limiter.h"
#include "app/objects/object_rights.h"
#include "app/settings/master_key_command.h"
#include "app/settings/sign_in_settings.h"
#include "app/sign_in/oidc_client.h"
#include "app/sign_in/sign_in_files.h"
#include "auth/first_keys.h"
#include "auth/secrets/signing_key.h"

namespace cairn::app {
Status App::Rooms::build_keys(const os::Deadline& deadline) {
  const std::string keys_folder = this->keys_folder();
  CAIRN_TRY(keys, auth::Keys::open(*auth_store, clock, random, settings.auth, deadline));
  if (!place->is_remote()) CAIRN_CHECK(check_master_key(keys_folder, *auth_store, deadline));
  CAIRN_TRY(auto seal, auth::Seal::open(keys_folder + "/master.key", random,
                                        file_seal_of(settings.master_key)));
  master_seal = seal;
  auto opened_keys = auth::ObjectKeys::open(*auth_store, seal, clock, random, deadline);
  if (!opened_keys.ok() && place->is_remote() && opened_keys.error().kind == ErrorKind::corrupt)
    return with_context(opened_keys.error(),
                        "the store at store.url was begun with another data folder, whose keys/ "
                        "must be copied to " +
                            keys_folder);
  if (!opened_keys.ok() && opened_keys.error().kind == ErrorKind::corrupt)
    return with_context(opened_keys.error(),
                        "[" + keys_folder + "/master.key], or what is sealed with it, is damaged");
  CAIRN_TRY(object_keys, std::move(opened_keys));
  CAIRN_TRY(encryption_keys, auth::EncryptionKeys::open({.store = *auth_store,
                                                         .seal = seal,
                                                         .region = settings.objects.region,
                                                         .clock = clock,
                                                         .random = random},
                                                        deadline));
  key_service.attach(*encryption_keys);
  CAIRN_TRY(const auto first_keys, auth::make_first_keys(keys_folder, *auth_store, *keys,
                                                         *object_keys, clock, random, deadline));
  if (first_keys.admin_key_made) first_key_id = first_keys.admin_key_id;
  const auto faults =
      check_first_key_files(keys_folder, *auth_store, *keys, *object_keys, deadline);
  if (!faults.ok())
    os::log(os::LogLevel::error, "app", "key_files_not_read", {{"reason", faults.error().message}});
  for (const KeyFileFault& fault : faults.ok() ? *faults : std::vector<KeyFileFault>())
    os::log(os::LogLevel::error, "app", "damaged_key_file",
            {{"file", fault.file}, {"reason", fault.reason}});
  CAIRN_TRY(accounts, auth::Accounts::open(*auth_store, *object_keys, clock, random, deadline));
  CAIRN_TRY(principals, auth::Principals::open(*keys, *object_keys, *accounts, clock, deadline));
  CAIRN_TRY(key_uses, auth::KeyUses::open(*auth_store, *keys, *object_keys, clock, deadline));
  CAIRN_TRY(access_grants, auth::AccessGrants::open(*auth_store, clock, random, deadline));
  application_grants = std::make_unique<auth::ApplicationGrants>(*auth_store, *keys, clock);
  return ok_status();
}

Status App::Rooms::build_audit() {
  gate::AuditOptions audit_options = settings.audit_log;
  if (settings.audit) {
    audit_options.folder = settings.data_dir + "/audit";
    audit_options.head_file = keys_folder() + "/audit.head";
    CAIRN_TRY(audit_options.key, gate::audit_key(keys_folder() + "/audit.key", &random));
  }
  CAIRN_TRY(audit, gate::AuditLog::open(data.files(), clock, audit_options));
  CAIRN_TRY(auto signing, auth::SigningKey::open(keys_folder() + "/audit-signing.key", random));
  audit_trail = std::make_unique<gate::AuditTrail>(data.files(), clock, *audit, audit_options.key,
                                                   std::move(signing));
  return ok_status();
}

Status App::Rooms::build_limits(const os::Deadline& deadline) {
  CAIRN_TRY(limiter, named("ratelimit", open_limiter(settings.limits, clock, random)));
  CAIRN_TRY(counters, SavedCounters::open(*limiter, *limits_store, deadline));
  return ok_status();
}

Status App::Rooms::build_gate(const os::Deadline& deadline) {
  sign_in = std::make_unique<auth::SignIn>(settings.oidc, clock);
  CAIRN_CHECK(read_sign_in(settings, *sign_in));
  CAIRN_TRY(sessions, auth::Sessions::open({.store = *auth_store,
                                            .keys = *keys,
                                            .sign_in = sign_in->enabled() ? sign_in.get() : nullptr,
                                            .clock = clock,
                                            .random = random},
                                           settings.sessions, deadline));
  code_flow = std::make_unique<auth::CodeFlow>(code_flow_of(settings), *sign_in,
                                               token_asker(settings), clock, random);
  session_services.emplace(api::SessionServices{.keys = *keys,
                                                .sessions = *sessions,
                                                .codes = sign_in_codes,
                                                .flow = *code_flow,
                                                .public_url = settings.console_public_url,
                                                .base_path = settings.api.base_path});
  gate = std::make_unique<gate::Gate>(
      *keys, *audit,
      gate::GateParams{
          .limiter = limiter.get(),
          .sign_in = sign_in.get(),
          .sessions = sessions.get(),
          .search_page_key = settings.search_page_key,
          .secure_cookies = settings.console_public_url.starts_with("https:"),
          .index_facts = index_facts([this] { return indices.get(); }),
          .object_rights = object_rights(*principals, *engine, settings.objects.region, clock),
          .clock = clock});
  return ok_status();
}

}  // namespace cairn::app
