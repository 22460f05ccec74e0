// SPDX-License-Identifier: Apache-2.0
// `cairn objects table export`: the rows of a table of a bucket.
#include <algorithm>
#include <utility>

#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "format/json.h"

namespace cairn::cli {
namespace {

Error table_fault(std::string text) { return {ErrorKind::invalid_argument, {}, std::move(text)}; }

/// A field of CSV as RFC 4180 has it: in quotes, which are doubled inside.
std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// The rows of one page; names of the columns in front of the first one.
Result<std::string> csv_of(std::string_view rows, bool& has_head) {
  std::string out;
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t end = std::min(rows.find('\n', at), rows.size());
    CAIRN_TRY(const Json row, parse_json(rows.substr(at, end - at)));
    std::string names, fields;
    for (const auto& [name, value] : row.as_object()) {
      names += (names.empty() ? "" : ",") + name;
      fields += (fields.empty() ? "" : ",") + csv_field(value);
    }
    if (!has_head) out += names + "\r\n";
    has_head = true;
    out += fields + "\r\n";
    at = end + 1;
  }
  return out;
}

int run_table(const Arguments& arguments, ObjectRun& run) {
  const auto fail = [&](const Error& error) { return tell_failure(run.console, error, false); };
  if (arguments.words()[0] != "export")
    return fail(table_fault("cairn objects table takes export, not " + arguments.words()[0]));
  const auto bucket = arguments.option("--bucket");
  if (!bucket) return fail(table_fault("--bucket must name a bucket"));
  const std::string table = arguments.option("--table").value_or("journal");
  if (table != "journal" && table != "inventory")
    return fail(table_fault("--table takes journal or inventory"));
  const std::string format = arguments.option("--format").value_or("ndjson");
  if (format != "ndjson" && format != "csv")
    return fail(table_fault("--format takes ndjson or csv"));
  const auto service = open_service(arguments, run);
  if (!service.ok()) return fail(service.error());
  bool has_head = false;
  std::string token;
  for (;;) {
    Params params = {{"bucket", *bucket}, {"table", table}};
    if (!token.empty()) params.emplace_back("continuation_token", token);
    const auto page = service->call("list_bucket_metadata_table_rows", params);
    if (!page.ok()) return fail(page.error());
    const std::string* rows = (*page)["rows"].text();
    if (rows != nullptr && format == "ndjson") run.console.out(*rows);
    if (rows != nullptr && format == "csv") {
      const auto csv = csv_of(*rows, has_head);
      if (!csv.ok()) return fail(csv.error());
      run.console.out(*csv);
    }
    const std::string* next = (*page)["next_continuation_token"].text();
    if (next == nullptr || next->empty()) return success;
    if (*next == token)
      return fail({ErrorKind::unavailable, {}, "the service gave the same page of rows again"});
    token = *next;
  }
}

}  // namespace

const ObjectCommand& table_command() {
  static const ObjectCommand command{
      .name = "table",
      .usage = "cairn objects table export --bucket BUCKET [options]",
      .summary = "writes the rows of a bucket's journal or inventory",
      .help =
          "  --table journal|inventory   the journal where it is not given\n"
          "  --format ndjson|csv         a JSON object a line, or CSV with the names of the columns\n",
      .syntax = {.options = {"--bucket", "--table", "--format"},
                 .flags = {},
                 .words_min = 1,
                 .words_max = 1},
      .run = run_table};
  return command;
}

}  // namespace cairn::cli
