// SPDX-License-Identifier: Apache-2.0
// TLS between those who share a secret: no certificates.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

typedef struct ssl_ctx_st SSL_CTX;  // NOLINT: as openssl/types.h has it

namespace cairn::net {

/// Errors: invalid_argument, for a secret of another length than 32 bytes.
Status check_shared_secret(std::string_view secret);

/// Makes a new context of a server one that speaks TLS 1.3 alone, with those who know `secret`
/// alone. It is the external pre-shared key of RFC 8446, with a Diffie-Hellman exchange in each
/// handshake: who learns the secret later reads nothing of what went before. The context keeps a
/// copy of it until it is freed. Errors: as check_shared_secret; internal where OpenSSL lacks what
/// it takes.
Status serve_by_secret(SSL_CTX* context, const std::string& secret);

/// The same for a context of a client: a server that does not know the secret is refused, whatever
/// certificate it shows.
Status call_by_secret(SSL_CTX* context, const std::string& secret);

}  // namespace cairn::net
