// SPDX-License-Identifier: Apache-2.0
// Certificates: what one says, and making those of a small authority of one's own. Source: RFC
// 5280.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::net {

/// What the first certificate of a PEM text says.
struct CertificateFacts {
  std::string subject;                               // "CN=search.example.org,O=Example"
  std::vector<std::string> names;                    // "localhost", "127.0.0.1": whom it is for
  std::int64_t not_before_ms = 0, not_after_ms = 0;  // Unix time
};
/// Errors: invalid_argument where there is none in it.
Result<CertificateFacts> certificate_facts(std::string_view pem);

/// PEM texts of a certificate and its private key.
struct CertificateWithKey {
  std::string certificate, key;
};

/// An authority that signs others, with a key on P-256. Errors: internal (OpenSSL refuses).
Result<CertificateWithKey> make_authority(const std::string& common_name, int days);

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> names = {};  // domains or addresses; none for a client
  bool of_client = false;               // it shows who a client is, not a server
  int days = 365;
};
/// A certificate that `authority` signs. Errors: invalid_argument where the authority is none, its
/// key is another's, or a name is neither a domain nor an address.
Result<CertificateWithKey> issue_certificate(const CertificateWithKey& authority,
                                             const CertificateRequest& request);

}  // namespace cairn::net
