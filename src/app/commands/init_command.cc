// SPDX-License-Identifier: Apache-2.0
#include "app/commands/init_command.h"

#include <cstdio>
#include <optional>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "net/certificates.h"
#include "os/files/beneath.h"
#include "os/files/files.h"
#include "os/files/secret_file.h"
#include "os/host.h"

namespace cairn::app {
namespace {

constexpr std::string_view init_usage =
    "usage: cairn init tls [FOLDER] [--name NAME]... [--client NAME]... [--days N] [--renew]\n"
    "Makes an authority in FOLDER (tls) and a certificate of it for the server, where they are\n"
    "not there yet. --name: a domain or an address of the server (localhost, 127.0.0.1, ::1 and\n"
    "the name of this machine). --client: a certificate for a client of that name too. --days:\n"
    "how long they hold (365). --renew: a certificate that is there is replaced, the authority\n"
    "is not; a running server reads it by itself.\n"
    "Exit status: 0 done, 64 wrong usage, 65 the authority that is there cannot be used, 73 a\n"
    "file cannot be written.\n";

constexpr int authority_days = 3650;
constexpr int most_days = 3650;
constexpr int usual_days = 365;
constexpr std::size_t pem_bytes_max = 64 << 10;
constexpr unsigned open_to_all = 0644, folder_open_to_all = 0755;

/// What is made, and where.
struct TlsFilesOptions {
  std::string folder;
  std::vector<std::string> names, clients;
  int days = usual_days;
  bool renew = false;
  std::string file(std::string_view name) const { return folder + "/" + std::string(name); }
};

bool is_there(const std::string& file) { return os::system_files().info(file).ok(); }

void tell(const std::string& file, const std::string& what) {
  std::printf("%-28s %s\n", file.c_str(), what.c_str());
}

Result<net::CertificateWithKey> open_authority(const TlsFilesOptions& options) {
  const std::string file = options.file("ca.pem"), key_file = options.file("ca-key.pem");
  net::CertificateWithKey out;
  if (is_there(file) || is_there(key_file)) {
    CAIRN_TRY(out.certificate, os::read_file(os::system_files(), file, pem_bytes_max));
    CAIRN_TRY(out.key, os::read_file(os::system_files(), key_file, pem_bytes_max));
    return out;
  }
  CAIRN_TRY(out, net::make_authority("Cairn authority of " + os::host_name(), authority_days));
  CAIRN_CHECK(os::write_secret_file(key_file, out.key));
  CAIRN_CHECK(os::replace_file(file, out.certificate, open_to_all));
  tell(file, "the authority: clients trust it");
  tell(key_file, "its key: nobody needs it but this command; keep it elsewhere");
  return out;
}

/// "localhost, 127.0.0.1; until 2027-01-01".
Result<std::string> summary_of(const std::string& certificate) {
  CAIRN_TRY(const auto facts, net::certificate_facts(certificate));
  return (facts.names.empty() ? facts.subject : join(facts.names, ", ")) + "; until " +
         format_iso8601(facts.not_after_ms).substr(0, 10);
}

Status make_for_server(const TlsFilesOptions& options, const net::CertificateWithKey& authority) {
  const std::string file = options.file("cert.pem"), key_file = options.file("key.pem");
  if (is_there(file) && !options.renew) {
    CAIRN_TRY(const auto text, os::read_file(os::system_files(), file, pem_bytes_max));
    CAIRN_TRY(const auto summary, summary_of(text));
    tell(file, "is there: " + summary + " (--renew makes it anew)");
    return ok_status();
  }
  CAIRN_TRY(const auto made,
            net::issue_certificate(authority, {.common_name = options.names.front(),
                                               .names = options.names,
                                               .days = options.days}));
  CAIRN_TRY(const auto summary, summary_of(made.certificate));
  CAIRN_CHECK(os::write_secret_file(key_file, made.key));
  CAIRN_CHECK(os::replace_file(file, made.certificate, open_to_all));
  tell(file, "of the server: " + summary);
  tell(key_file, "its key");
  return ok_status();
}

Status make_for_client(const TlsFilesOptions& options, const std::string& name,
                       const net::CertificateWithKey& authority) {
  const std::string file = options.file("client-" + name + ".pem");
  if (is_there(file) && !options.renew) {
    tell(file, "is there (--renew makes it anew)");
    return ok_status();
  }
  CAIRN_TRY(const auto made,
            net::issue_certificate(authority,
                                   {.common_name = name, .of_client = true, .days = options.days}));
  CAIRN_TRY(const auto summary, summary_of(made.certificate));
  CAIRN_CHECK(os::write_secret_file(file, made.certificate + made.key));
  tell(file, "of a client, with its key: " + summary);
  return ok_status();
}

Status make_all(const TlsFilesOptions& options) {
  CAIRN_CHECK(os::make_directories_durably(os::system_files(), options.folder, folder_open_to_all));
  CAIRN_TRY(const auto authority, open_authority(options));
  CAIRN_CHECK(make_for_server(options, authority));
  for (const std::string& name : options.clients)
    CAIRN_CHECK(make_for_client(options, name, authority));
  CAIRN_TRY(const std::string place, os::real_path(options.folder));
  std::printf("\nThe server's settings:\n  tls.certificate: %s/cert.pem\n  tls.key: %s/key.pem\n",
              place.c_str(), place.c_str());
  if (!options.clients.empty())
    std::printf("  tls.api_client_authority: %s/ca.pem\n", place.c_str());
  std::printf("A client's:\n  export CAIRN_SERVER=https://%s:9200 CAIRN_CA_FILE=%s/ca.pem\n",
              options.names.front().c_str(), place.c_str());
  return ok_status();
}

/// A name becomes one of a file.
bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= 64 && !name.starts_with('.') &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "._@-") == std::string::npos;
}

Result<TlsFilesOptions> read_tls_options(const cli::Arguments& arguments) {
  const auto wrong = [](std::string message) {
    return Error{.kind = ErrorKind::invalid_argument, .message = std::move(message)};
  };
  TlsFilesOptions out;
  out.folder = arguments.words().empty() ? "tls" : arguments.words()[0];
  out.names = arguments.options("--name");
  if (out.names.empty()) {
    out.names = {"localhost", "127.0.0.1", "::1"};
    if (os::host_name() != "localhost") out.names.push_back(os::host_name());
  }
  out.clients = arguments.options("--client");
  for (const std::string& name : out.clients)
    if (!is_plain(name))
      return wrong("a client's name has at most 64 letters, digits and . _ @ -: [" + name + "]");
  out.renew = arguments.flag("--renew");
  if (const auto days = arguments.option("--days")) {
    const auto number = parse_number<int>(*days);
    if (!number || *number < 1 || *number > most_days)
      return wrong("--days takes a number from 1 to " + std::to_string(most_days));
    out.days = *number;
  }
  return out;
}

int init_tls(const std::vector<std::string>& words) {
  const auto arguments = cli::Arguments::parse(
      words, {.options = {"--name", "--client", "--days"}, .flags = {"--renew"}, .words_max = 1});
  if (!arguments.ok()) return cli::misused(arguments.error().message, init_usage);
  const auto options = read_tls_options(*arguments);
  if (!options.ok()) return cli::misused(options.error().message, init_usage);
  const Status made = make_all(*options);
  if (made.ok()) return cli::success;
  std::fprintf(stderr, "cairn: %s\n", made.error().message.c_str());
  return made.error().kind == ErrorKind::invalid_argument
             ? cli::data_error
             : cli::exit_code_of(made.error(), cli::cannot_create);
}

}  // namespace

std::string_view init_help() { return init_usage; }

int init_command(const std::vector<std::string>& words) {
  if (words.empty() || cli::asks_for_help(words)) {
    std::fputs(std::string(init_usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? cli::usage_error : cli::success;
  }
  if (words[0] != "tls") return cli::misused("unknown command: cairn init " + words[0], init_usage);
  return init_tls({words.begin() + 1, words.end()});
}

}  // namespace cairn::app
