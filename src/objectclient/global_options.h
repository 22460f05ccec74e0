// SPDX-License-Identifier: Apache-2.0
// What all clients of a process have in common.
#pragma once

#include "objectclient/options.h"

namespace cairn::objectclient {

/// Options of every client that is made from now on, where its own options say nothing; they come
/// before the environment and the shared files. Replaces what was set before; clients that are
/// there keep what they have. Safe from any thread.
///
///   set_global_options({.region = "eu-west-1", .credentials = my_provider});
///   Client client({});
///
/// Credentials are taken together or not at all: a client that has an access_key_id, a
/// secret_access_key, a session_token, a provider or a profile of its own gets none of the global
/// ones. Source: the credential order of the vendor's SDK for Ruby (Aws.config).
void set_global_options(ClientOptions options);
ClientOptions global_options();

/// `own`, with what it does not say from `global`.
ClientOptions with_global_options(ClientOptions own, const ClientOptions& global);

}  // namespace cairn::objectclient
