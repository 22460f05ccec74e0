// SPDX-License-Identifier: Apache-2.0
// Finding a running server and a key, and asking it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/arguments.h"
#include "format/json.h"
#include "net/client/client.h"

namespace cairn::cli {

/// Environment variables by name; a test gives its own.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Where a server of one user keeps its data: "cairn/data" in XDG_DATA_HOME or ~/.local/share;
/// empty where the environment names neither.
std::string user_data_folder(const Environment& environment);
/// And its configuration, in XDG_CONFIG_HOME or ~/.config.
std::string user_settings_folder(const Environment& environment);

/// A server's answer. Failures to get one are errors.
struct Answer {
  int status = 0;
  Json body;
};

/// Server: --server, CAIRN_SERVER, http://127.0.0.1:9200. Key: the file named by --key-file or
/// CAIRN_KEY_FILE, or /var/lib/cairn/keys/admin.key where that can be read, or the one of a server
/// that `cairn add --serve` started (user_data_folder). With https, --ca-file or CAIRN_CA_FILE: the
/// authorities that are trusted instead of the system's; --certificate-file or
/// CAIRN_CERTIFICATE_FILE: what is shown to a server that asks who comes, with its key.
class Connection {
 public:
  /// Errors: invalid_argument (address), not_found or permission_denied (key file).
  static Result<Connection> open(const Arguments& arguments, const Environment& environment);
  /// The server at an address, with the key of a file; of `tls`, whom to trust and what to show.
  /// Errors: as those of open.
  static Result<Connection> open_at(const std::string& server, const std::string& key_file,
                                    net::ClientOptions tls = {});
  /// Errors: unavailable with the address, timeout, corrupt (no JSON).
  Result<Answer> ask(std::string method, const std::string& path, const Json* body = nullptr);
  /// The same with a body of any kind, and as long to wait as is said. An empty `type`: no body.
  Result<Answer> send(std::string method, const std::string& path, std::string_view body,
                      std::string_view type, std::int64_t wait_ms);
  /// The same, whatever the answer's body is.
  Result<net::ClientReply> fetch(std::string method, const std::string& path, std::string_view body,
                                 std::string_view type, std::int64_t wait_ms);
  /// The body of such an answer. Errors: corrupt (no JSON).
  Result<Answer> read(const net::ClientReply& reply) const;

  struct Option {
    std::string_view name;      // "--server"
    std::string_view variable;  // of the environment, where the option is not given
  };
  static constexpr Option options[] = {{"--server", "CAIRN_SERVER"},
                                       {"--key-file", "CAIRN_KEY_FILE"},
                                       {"--ca-file", "CAIRN_CA_FILE"},
                                       {"--certificate-file", "CAIRN_CERTIFICATE_FILE"}};
  static constexpr std::string_view default_server = "http://127.0.0.1:9200";
  /// What every command that connects takes.
  static void add_options(Syntax& syntax);
  /// What one of them says, or its variable.
  static std::optional<std::string> value_of(std::string_view name, const Arguments& arguments,
                                             const Environment& environment);

 private:
  Connection(net::Url url, std::string key, net::ClientOptions client);
  net::Url url_;
  std::string key_;
  std::unique_ptr<net::Client> client_;
};

/// Why a server said no: "type: reason".
std::string reason_of(const Answer& answer);
/// The exit code for a failed answer, after printing `code: reason` to standard error.
int explain(const Answer& answer);
/// The same for an error of the connection or of the arguments.
int explain(const Error& error);

}  // namespace cairn::cli
