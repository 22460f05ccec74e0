// SPDX-License-Identifier: Apache-2.0
#include "net/certificates.h"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "base/held.h"
#include "base/strings.h"
#include "net/tls.h"

namespace cairn::net {
namespace {

constexpr int serial_bytes = 16;
constexpr std::int64_t clocks_differ_seconds = 3600;  // of a machine that has just made one
constexpr std::size_t domain_bytes_max = 253;
constexpr std::size_t common_name_bytes_max = 64;

using HeldCertificate = Held<X509, X509_free>;
using HeldKey = Held<EVP_PKEY, EVP_PKEY_free>;
using HeldBytes = Held<BIO, BIO_free_all>;
using HeldNames = Held<GENERAL_NAMES, GENERAL_NAMES_free>;

Error refused() {
  return {.kind = ErrorKind::internal,
          .message = "a certificate cannot be made: " + tls_error_text()};
}

Error unusable(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

HeldBytes bytes_of(std::string_view text) {
  return HeldBytes(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* bytes) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes, &data);
  return {data, static_cast<std::size_t>(size)};
}

HeldCertificate read_certificate(std::string_view pem) {
  const HeldBytes bytes = bytes_of(pem);
  // A key with a passphrase has nobody here to ask for it.
  const auto nobody = [](char*, int, int, void*) { return 0; };
  return HeldCertificate(PEM_read_bio_X509(bytes.get(), nullptr, nobody, nullptr));
}

HeldKey read_key(std::string_view pem) {
  const HeldBytes bytes = bytes_of(pem);
  const auto nobody = [](char*, int, int, void*) { return 0; };
  return HeldKey(PEM_read_bio_PrivateKey(bytes.get(), nullptr, nobody, nullptr));
}

std::int64_t unix_ms_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  return static_cast<std::int64_t>(::timegm(&parts)) * 1000;
}

std::string address_text(const ASN1_OCTET_STRING* address) {
  char text[INET6_ADDRSTRLEN] = "";
  const int size = ASN1_STRING_length(address);
  if (size != 4 && size != 16) return {};
  ::inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(address), text, sizeof text);
  return text;
}

std::vector<std::string> names_of(const X509* certificate) {
  std::vector<std::string> out;
  const HeldNames names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS)
      out.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                       static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    else if (name->type == GEN_IPADD)
      out.push_back(address_text(name->d.iPAddress));
  }
  return out;
}

bool is_numeric_address(const std::string& name) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

bool is_domain(std::string_view name) {
  if (name.starts_with("*.")) name.remove_prefix(2);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  return !name.empty() && name.size() <= domain_bytes_max && !name.starts_with('.') &&
         std::all_of(name.begin(), name.end(), allowed);
}

/// The text of the extension that says whom a certificate is for: "DNS:localhost,IP:127.0.0.1".
Result<std::string> names_text(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!is_numeric_address(name) && !is_domain(name))
      return unusable("[" + name + "] is neither a domain nor an address");
    out += (out.empty() ? "" : ",") + std::string(is_numeric_address(name) ? "IP:" : "DNS:") + name;
  }
  return out;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool set_serial(X509* certificate) {
  unsigned char bytes[serial_bytes];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);  // positive, and as long as said
  const Held<BIGNUM, BN_free> number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

/// RFC 5280 gives a common name 64 characters; whom a certificate is for is said elsewhere in it.
bool set_name(X509_NAME* name, std::string_view common_name) {
  common_name = common_name.substr(0, common_name_bytes_max);
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(common_name.data()),
                                    static_cast<int>(common_name.size()), -1, 0) == 1;
}

/// Without extensions and not signed; null where OpenSSL refuses.
HeldCertificate draft(const std::string& common_name, int days, EVP_PKEY* key) {
  HeldCertificate out(X509_new());
  const bool made =
      out && X509_set_version(out.get(), X509_VERSION_3) == 1 && set_serial(out.get()) &&
      X509_gmtime_adj(X509_getm_notBefore(out.get()), -clocks_differ_seconds) != nullptr &&
      X509_time_adj_ex(X509_getm_notAfter(out.get()), days, 0, nullptr) != nullptr &&
      X509_set_pubkey(out.get(), key) == 1 &&
      set_name(X509_get_subject_name(out.get()), common_name);
  return made ? std::move(out) : nullptr;
}

Result<CertificateWithKey> pem_of(X509* certificate, EVP_PKEY* key) {
  const HeldBytes first(BIO_new(BIO_s_mem())), second(BIO_new(BIO_s_secmem()));
  if (!first || !second || PEM_write_bio_X509(first.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(second.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return refused();
  return CertificateWithKey{.certificate = text_of(first.get()), .key = text_of(second.get())};
}

}  // namespace

Result<CertificateFacts> certificate_facts(std::string_view pem) {
  const HeldCertificate certificate = read_certificate(pem);
  if (!certificate) return unusable("there is no certificate in it: " + tls_error_text());
  CertificateFacts out;
  const HeldBytes subject(BIO_new(BIO_s_mem()));
  if (!subject) return refused();
  X509_NAME_print_ex(subject.get(), X509_get_subject_name(certificate.get()), 0, XN_FLAG_RFC2253);
  out.subject = text_of(subject.get());
  out.names = names_of(certificate.get());
  out.not_before_ms = unix_ms_of(X509_get0_notBefore(certificate.get()));
  out.not_after_ms = unix_ms_of(X509_get0_notAfter(certificate.get()));
  return out;
}

Result<CertificateWithKey> make_authority(const std::string& common_name, int days) {
  const HeldKey key(EVP_EC_gen("P-256"));
  if (!key) return refused();
  const HeldCertificate made = draft(common_name, days, key.get());
  X509* const raw = made.get();
  const bool done = made && X509_set_issuer_name(raw, X509_get_subject_name(raw)) == 1 &&
                    add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    add_extension(raw, raw, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(raw, raw, NID_subject_key_identifier, "hash") &&
                    X509_sign(raw, key.get(), EVP_sha256()) != 0;
  if (!done) return refused();
  return pem_of(raw, key.get());
}

Result<CertificateWithKey> issue_certificate(const CertificateWithKey& authority,
                                             const CertificateRequest& request) {
  const HeldCertificate issuer = read_certificate(authority.certificate);
  const HeldKey issuer_key = read_key(authority.key);
  if (!issuer || !issuer_key)
    return unusable("the authority's certificate or key cannot be read: " + tls_error_text());
  if (X509_check_private_key(issuer.get(), issuer_key.get()) != 1)
    return unusable("the authority's key is not that of its certificate");
  if (X509_check_ca(issuer.get()) == 0)
    return unusable("the authority's certificate is not one that signs others");
  CAIRN_TRY(const std::string names, names_text(request.names));
  const HeldKey key(EVP_EC_gen("P-256"));
  if (!key) return refused();
  const HeldCertificate made = draft(request.common_name, request.days, key.get());
  X509* const raw = made.get();
  const bool done =
      made && X509_set_issuer_name(raw, X509_get_subject_name(issuer.get())) == 1 &&
      add_extension(raw, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
      add_extension(raw, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
      add_extension(raw, issuer.get(), NID_ext_key_usage,
                    request.of_client ? "clientAuth" : "serverAuth") &&
      add_extension(raw, issuer.get(), NID_subject_key_identifier, "hash") &&
      add_extension(raw, issuer.get(), NID_authority_key_identifier, "keyid:always") &&
      (names.empty() || add_extension(raw, issuer.get(), NID_subject_alt_name, names)) &&
      X509_sign(raw, issuer_key.get(), EVP_sha256()) != 0;
  if (!done) return refused();
  return pem_of(raw, key.get());
}

}  // namespace cairn::net
