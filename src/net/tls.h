// SPDX-License-Identifier: Apache-2.0
// TLS settings of a listener or a client. OpenSSL stays behind this and transport.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/options.h"

typedef struct ssl_st SSL;  // NOLINT: as openssl/types.h has it
typedef struct ssl_ctx_st SSL_CTX;

namespace cairn::net {

/// Certificates and settings, shared by many connections. TLS 1.2 and later. A cheap handle.
class TlsContext {
 public:
  /// Errors: invalid_argument, naming the file that cannot be used, or about the shared secret.
  static Result<TlsContext> for_server(const TlsOptions& options);
  /// Heeds the fields tls_… of the options. Errors: as above.
  static Result<TlsContext> for_client(const ClientOptions& options);

  /// When the certificate that is shown ends, in Unix time; nothing where none is.
  std::optional<std::int64_t> certificate_ends_ms() const;

  /// A new session on `descriptor`, freed with SSL_free. Null when memory is short.
  SSL* accept_on(int descriptor) const;
  /// As a client of `host`, a name or a numeric address, which the certificate must be for; by a
  /// shared secret there is none.
  SSL* connect_on(int descriptor, const std::string& host) const;

 private:
  TlsContext(SSL_CTX* context, bool verify);
  std::shared_ptr<SSL_CTX> context_;
  bool verify_ = false;
};

/// What the last failed call of OpenSSL on this thread said, for messages.
std::string tls_error_text();

}  // namespace cairn::net
