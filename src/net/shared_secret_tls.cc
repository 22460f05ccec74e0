// SPDX-License-Identifier: Apache-2.0
#include "net/shared_secret_tls.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <memory>

#include "base/held.h"
#include "net/tls.h"

namespace cairn::net {
namespace {

constexpr std::size_t secret_bytes = 32;
constexpr std::string_view identity = "cairn-node";  // names the secret; itself none
// The hash of the secret's suite is the one that both ends must know it for, so there is one suite.
constexpr const char* suite_name = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char suite_number[] = {0x13, 0x01};

using HeldSession = Held<SSL_SESSION, SSL_SESSION_free>;

void forget_secret(void*, void* kept, CRYPTO_EX_DATA*, int, long, void*) {
  const std::unique_ptr<std::string> secret(static_cast<std::string*>(kept));
  if (secret != nullptr) OPENSSL_cleanse(secret->data(), secret->size());
}

/// Where a context keeps its secret.
int secret_place() {
  static const int place = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, forget_secret);
  return place;
}

bool keep_secret(SSL_CTX* context, const std::string& secret) {
  auto kept = std::make_unique<std::string>(secret);
  if (SSL_CTX_set_ex_data(context, secret_place(), kept.get()) != 1) return false;
  static_cast<void>(kept.release());
  return true;
}

/// What a handshake begins from. A new one each time: a handshake writes into it. Null when memory
/// is short.
HeldSession session_of_secret(SSL* connection) {
  const auto* const secret = static_cast<const std::string*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), secret_place()));
  const SSL_CIPHER* const suite = SSL_CIPHER_find(connection, suite_number);
  HeldSession session(SSL_SESSION_new());
  if (secret == nullptr || suite == nullptr || session == nullptr) return nullptr;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(secret->data());
  const bool fine = SSL_SESSION_set1_master_key(session.get(), bytes, secret->size()) == 1 &&
                    SSL_SESSION_set_cipher(session.get(), suite) == 1 &&
                    SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
  return fine ? std::move(session) : nullptr;
}

// Whoever names no secret, or another, would need a certificate, and none is here.
int find_secret(SSL* connection, const unsigned char* name, std::size_t length,
                SSL_SESSION** found) {
  *found = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(name), length) != identity) return 1;
  *found = session_of_secret(connection).release();
  return *found != nullptr ? 1 : 0;
}

int offer_secret(SSL* connection, const EVP_MD*, const unsigned char** name, std::size_t* length,
                 SSL_SESSION** offered) {
  *name = reinterpret_cast<const unsigned char*>(identity.data());
  *length = identity.size();
  *offered = session_of_secret(connection).release();
  return *offered != nullptr ? 1 : 0;
}

// Asked only where the server did not take the secret.
int refuse_certificate(X509_STORE_CTX* shown, void*) {
  X509_STORE_CTX_set_error(shown, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

Status speak_by_secret(SSL_CTX* context, const std::string& secret) {
  CAIRN_CHECK(check_shared_secret(secret));
  // Stated even where it is the default: the system's openssl.cnf may say otherwise.
  SSL_CTX_clear_options(context, SSL_OP_ALLOW_NO_DHE_KEX | SSL_OP_NO_TLSv1_3);
  if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 &&
      SSL_CTX_set_ciphersuites(context, suite_name) == 1 && keep_secret(context, secret))
    return ok_status();
  return Error{.kind = ErrorKind::internal,
               .message = "TLS by a shared secret cannot start: " + tls_error_text()};
}

}  // namespace

Status check_shared_secret(std::string_view secret) {
  if (secret.size() == secret_bytes) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "a shared secret of TLS has " + std::to_string(secret_bytes) +
                          " bytes, this one has " + std::to_string(secret.size())};
}

Status serve_by_secret(SSL_CTX* context, const std::string& secret) {
  CAIRN_CHECK(speak_by_secret(context, secret));
  SSL_CTX_set_num_tickets(context, 0);  // a later handshake proves the secret again
  SSL_CTX_set_psk_find_session_callback(context, find_secret);
  return ok_status();
}

Status call_by_secret(SSL_CTX* context, const std::string& secret) {
  CAIRN_CHECK(speak_by_secret(context, secret));
  SSL_CTX_set_psk_use_session_callback(context, offer_secret);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, refuse_certificate, nullptr);
  return ok_status();
}

}  // namespace cairn::net
