// SPDX-License-Identifier: Apache-2.0
// For tests of options: what each changes, one function an option, and the services that show it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "net/server/certificate_for_tests.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"

namespace cairn::objectclient {

using namespace std::string_literals;  // NOLINT: tests only

struct Effect {
  std::string name;
  std::function<void()> check;
};

inline ClientOptions somewhere() {
  return {.region = "us-west-2", .access_key_id = "AKID", .secret_access_key = "SECRET"};
}

/// Where a request for the bucket would go: scheme, host and path.
inline std::string place_of(ClientOptions options, const std::string& bucket = "bucket") {
  MadeUp environment;
  try {
    const std::string url =
        environment.client(std::move(options)).presigned_url("head_bucket", {{"bucket", bucket}});
    return url.substr(0, url.find('?'));
  } catch (const ClientError& fault) {
    return fault.what();
  }
}

/// What a service sees of a PutObject by a client with these options.
inline Seen put_with(const std::function<void(ClientOptions&)>& change,
                     const std::string& body = "body",
                     const s3::PutObjectInput& input = {.bucket = "b", .key = "k"}) {
  ScriptedService service({{}});
  MadeUp environment;
  ClientOptions options = quiet(at(service));
  change(options);
  static_cast<void>(environment.client(options).put_object(input, body));
  return service.last();
}

/// A service with a certificate that nobody but its own file vouches for.
struct SecureService {
  net::TestCertificate certificate{"IP:127.0.0.1"};
  ScriptedService service;
  SecureService() : service({Answer{}}, options()) {}
  net::ServerOptions options() const {
    net::ServerOptions out;
    out.tls = {.certificate_file = certificate.certificate_file(),
               .key_file = certificate.key_file()};
    return out;
  }
  ClientOptions trusted() const {
    ClientOptions out = quiet(at(service, "https"));
    out.ssl_ca_bundle = certificate.certificate_file();
    return out;
  }
};

/// The lines that a logger hears of one call.
std::vector<std::pair<LogLevel, std::string>> lines_with(
    const std::function<void(ClientOptions&)>& change);

void add_places(std::vector<Effect>& out);
void add_discovery(std::vector<Effect>& out);
void add_identity(std::vector<Effect>& out);
void add_messages(std::vector<Effect>& out);
void add_connections(std::vector<Effect>& out);

}  // namespace cairn::objectclient
