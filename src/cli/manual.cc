// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include "base/strings.h"
#include "cli/exit_codes.h"

namespace cairn::cli {
namespace {

struct ManualRow {
  std::string name, text;
};

const ManualRow exit_rows[] = {
    {std::to_string(success), "done"},
    {std::to_string(failed), "the server said no"},
    {std::to_string(partly_failed), "done but for some items, which are named"},
    {std::to_string(nothing_found), "a search found nothing"},
    {std::to_string(usage_error), "wrong usage"},
    {std::to_string(data_error), "damaged data, or data of a newer version"},
    {std::to_string(no_input), "no such file, folder or index"},
    {std::to_string(unavailable), "no server answers, or the port is taken"},
    {std::to_string(internal_error), "a fault of Cairn"},
    {std::to_string(cannot_create), "it is there already, or the disk is full"},
    {std::to_string(io_error), "a disk or a network failed"},
    {std::to_string(temporary), "over a limit, or another process has it: later"},
    {std::to_string(no_permission), "the key is wrong, or may not"},
    {std::to_string(configuration_error), "a setting is wrong"},
    {"130, 143", "interrupted, or told to end"},
};

const ManualRow environment_rows[] = {
    {"CAIRN_SERVER", "the server that commands ask: http://127.0.0.1:9200"},
    {"CAIRN_KEY_FILE", "a file with the API key"},
    {"CAIRN_CA_FILE", "PEM: the authorities that are trusted with https, instead of the system's"},
    {"CAIRN_CERTIFICATE_FILE", "PEM: a certificate with its key, for servers that ask who comes"},
    {"CAIRN_CONFIG", "the file of settings: /etc/cairn/cairn.yaml"},
    {"CAIRN_SECTION__KEY", "a setting, as CAIRN_LISTEN__API for listen.api"},
    {"CAIRN_CREDENTIALS_FILE", "keys of the object storage, for cairn objects"},
    {"NO_COLOR", "no colours on a terminal"},
};

const ManualRow file_rows[] = {
    {"/etc/cairn/cairn.yaml, /etc/cairn/conf.d/*.yaml", "settings: cairn.yaml(5)"},
    {"/var/lib/cairn", "all data of the server"},
    {"/var/lib/cairn/keys/admin.key", "the administrator's key, written at the first start"},
    {"~/.local/share/cairn, ~/.config/cairn", "a server of one's own (cairn add --serve)"},
};

const ManualRow signal_rows[] = {
    {"TERM, INT", "the server ends what it has begun, and stops; a second one ends it at once"},
    {"HUP", "the server reads its settings and certificates again"},
};

template <std::size_t count>
std::string rows_of(const ManualRow (&rows)[count]) {
  std::string out;
  for (const auto& [name, text] : rows)
    out += ".TP\n.B " + roff_text(name) + "\n" + roff_text(text) + "\n";
  return out;
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  bool starts = true;
  for (const char c : text) {
    if (starts && (c == '.' || c == '\'')) out += "\\&";
    starts = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string roff_block(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return ".nf\n" + roff_text(text) + "\n.fi\n";
}

std::string program_manual(const std::vector<CommandPage>& pages, std::string_view version) {
  std::string out = ".TH CAIRN 1 \"\" \"Cairn " + roff_text(version) + "\" \"User Commands\"\n";
  out += ".SH NAME\ncairn \\- search, inference and object storage in one program\n";
  out += ".SH SYNOPSIS\n.B cairn\n.I COMMAND\n.RI [ OPTION ]...\n";
  out += ".SH DESCRIPTION\n" +
         roff_text(
             "Cairn keeps documents and finds them by words and by meaning, runs the models that "
             "this takes, "
             "and stores objects behind an API that S3 clients speak.\n") +
         ".B cairn serve\nis the server; the other commands ask a server, or look at its settings "
         "and data.\n";
  out += ".SH COMMANDS\n";
  for (const auto& [noun, text] : pages)
    out += ".SS cairn " + roff_text(noun) + "\n" + roff_block(text);
  out += ".SH EXIT STATUS\n" + rows_of(exit_rows);
  out += ".SH ENVIRONMENT\n" + rows_of(environment_rows);
  out += ".SH FILES\n" + rows_of(file_rows);
  out += ".SH SIGNALS\n" + rows_of(signal_rows);
  return out + ".SH SEE ALSO\n.BR cairn.yaml (5)\n";
}

}  // namespace cairn::cli
