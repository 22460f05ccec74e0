// SPDX-License-Identifier: Apache-2.0
// OpenSSL contexts.
#include "net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include "net/shared_secret_tls.h"

namespace cairn::net {
namespace {

Error bad(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::move(message) + ": " + tls_error_text()};
}

/// OpenSSL's own words for a file that is not there do not say so.
Status check_readable(std::string_view what, const std::string& path) {
  if (::access(path.c_str(), R_OK) == 0) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "the " + std::string(what) + " file " + path +
                          " cannot be read: " + std::strerror(errno)};
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

SSL_CTX* new_context(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  if (context == nullptr) return nullptr;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // One call takes what there is, instead of one for each record's head and one for its rest.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_options(
      context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  return context;
}

// HTTP/1.1 is all that is spoken here: a client that offers more learns so in the handshake.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_length,
                    const unsigned char* in, unsigned int in_length, void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, ours, sizeof ours - 1, in, in_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Status use_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  CAIRN_CHECK(check_readable("certificate", certificate));
  CAIRN_CHECK(check_readable("key", key));
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1)
    return bad("the certificate file " + certificate + " cannot be used");
  // OpenSSL compares the key with the certificate as it takes it.
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1) return ok_status();
  const unsigned long code = ERR_peek_last_error();
  if (ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH)
    return bad("the key in " + key + " does not belong to the certificate in " + certificate);
  return bad("the key file " + key + " cannot be used");
}

/// A handshake without a certificate that one of the file's authorities signed fails.
Status demand_certificate(SSL_CTX* context, const std::string& authorities) {
  CAIRN_CHECK(check_readable("client authority", authorities));
  STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(authorities.c_str());
  if (names == nullptr ||
      SSL_CTX_load_verify_locations(context, authorities.c_str(), nullptr) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return bad("the client authority file " + authorities + " cannot be used");
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Without it no session of a client with a certificate can be resumed.
  static constexpr unsigned char resumed_by[] = "cairn";
  SSL_CTX_set_session_id_context(context, resumed_by, sizeof resumed_by - 1);
  return ok_status();
}

Error wrong_options(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

Status check_secret_alone(const std::string& secret, bool has_files) {
  if (has_files) {
    return wrong_options(
        "a shared secret of TLS stands instead of certificates: give one or the other");
  }
  return check_shared_secret(secret);
}

/// How a server and its clients prove who they are.
Status prove_server(SSL_CTX* context, const TlsOptions& options) {
  if (!options.shared_secret.empty()) return serve_by_secret(context, options.shared_secret);
  CAIRN_CHECK(use_certificate(context, options.certificate_file, options.key_file));
  if (options.client_authority_file.empty()) return ok_status();
  return demand_certificate(context, options.client_authority_file);
}

}  // namespace

Status TlsOptions::validate() const {
  if (!shared_secret.empty()) {
    return check_secret_alone(shared_secret, !certificate_file.empty() || !key_file.empty() ||
                                                 !client_authority_file.empty());
  }
  if (certificate_file.empty() != key_file.empty())
    return wrong_options("TLS needs both a certificate file and a key file");
  if (certificate_file.empty() && !client_authority_file.empty())
    return wrong_options("certificates of clients need one of the server");
  return ok_status();
}

std::string tls_error_text() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown reason";
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

TlsContext::TlsContext(SSL_CTX* context, bool verify)
    : context_(context, SSL_CTX_free), verify_(verify) {}

Result<TlsContext> TlsContext::for_server(const TlsOptions& options) {
  CAIRN_CHECK(options.validate());
  ERR_clear_error();
  SSL_CTX* const raw = new_context(TLS_server_method());
  if (raw == nullptr) return bad("TLS cannot start");
  TlsContext tls(raw, false);
  CAIRN_CHECK(prove_server(raw, options));
  SSL_CTX_set_options(raw, SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);  // tickets resume without memory here
  return tls;
}

Result<TlsContext> TlsContext::for_client(const ClientOptions& options) {
  const bool by_secret = !options.tls_shared_secret.empty();
  const bool verify = options.tls_verify && !by_secret;
  const std::string& ca_file = options.tls_ca_file;
  if (by_secret) {
    CAIRN_CHECK(check_secret_alone(options.tls_shared_secret,
                                   !ca_file.empty() || !options.tls_certificate_file.empty() ||
                                       !options.tls_key_file.empty()));
  }
  ERR_clear_error();
  SSL_CTX* const raw = new_context(TLS_client_method());
  if (raw == nullptr) return bad("TLS cannot start");
  TlsContext tls(raw, verify);
  if (by_secret) {
    CAIRN_CHECK(call_by_secret(raw, options.tls_shared_secret));
    return tls;
  }
  SSL_CTX_set_verify(raw, verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (!ca_file.empty()) {
    if (SSL_CTX_load_verify_locations(raw, ca_file.c_str(), nullptr) != 1) {
      return bad("the file of trusted certificates " + ca_file + " cannot be used");
    }
  } else if (verify) {
    SSL_CTX_set_default_verify_paths(raw);
  }
  if (const std::string& certificate = options.tls_certificate_file; !certificate.empty()) {
    const std::string& key = options.tls_key_file;
    CAIRN_CHECK(use_certificate(raw, certificate, key.empty() ? certificate : key));
  }
  return tls;
}

SSL* TlsContext::accept_on(int descriptor) const {
  SSL* const session = SSL_new(context_.get());
  if (session == nullptr) return nullptr;
  SSL_set_fd(session, descriptor);
  SSL_set_accept_state(session);
  return session;
}

SSL* TlsContext::connect_on(int descriptor, const std::string& host) const {
  SSL* const session = SSL_new(context_.get());
  if (session == nullptr) return nullptr;
  SSL_set_fd(session, descriptor);
  SSL_set_connect_state(session);
  bool fine = true;
  if (is_address(host)) {
    if (verify_) fine = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1;
  } else {
    fine = SSL_set_tlsext_host_name(session, host.c_str()) == 1;
    if (verify_) {
      SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      fine = fine && SSL_set1_host(session, host.c_str()) == 1;
    }
  }
  if (fine) return session;
  SSL_free(session);
  return nullptr;
}

std::optional<std::int64_t> TlsContext::certificate_ends_ms() const {
  X509* const certificate = SSL_CTX_get0_certificate(context_.get());
  std::tm ends{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &ends) != 1)
    return std::nullopt;
  return std::int64_t{timegm(&ends)} * 1000;
}

}  // namespace cairn::net
