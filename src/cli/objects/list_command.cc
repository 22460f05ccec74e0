// SPDX-License-Identifier: Apache-2.0
// `cairn objects ls`.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "cli/exit_codes.h"
#include "cli/objects/amounts.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/places/address.h"
#include "cli/objects/places/listing.h"
#include "format/json.h"
#include "format/time.h"
#include "objectclient/call/value_json.h"

namespace cairn::cli {
namespace {

constexpr int size_width = 10;

/// "2026-01-31 08:05:09" in the time of this place.
std::string local_time_text(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  char text[32] = "";
  if (::localtime_r(&seconds, &parts) == nullptr) return text;
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

std::string right_aligned(const std::string& text, int width) {
  const auto wide = static_cast<std::size_t>(width);
  return text.size() < wide ? std::string(wide - text.size(), ' ') + text : text;
}

/// Line ends and other control characters, as a terminal must not get them.
std::string printable_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
    if (byte < 0x20 || byte == 0x7f)
      out += escaped;
    else
      out += c;
  }
  return out;
}

/// What ls has printed so far.
class ListingPrinter {
 public:
  ListingPrinter(const Arguments& arguments, const Console& console)
      : console_(console),
        json_(arguments.flag("--json")),
        human_(arguments.flag("--human-readable")),
        recursive_(arguments.flag("--recursive")) {}

  void prefix(const std::string& bucket, const std::string& whole, const std::string& shown) {
    ++lines_;
    if (json_)
      print(Json::object({{"type", "prefix"}, {"bucket", bucket}, {"prefix", whole}}).dump());
    else
      print(right_aligned("PRE", 19 + 1 + size_width) + " " + printable_name(shown));
  }

  void object(const std::string& bucket, const Entry& entry, const std::string& shown) {
    ++lines_;
    ++objects_;
    bytes_ += entry.size;
    if (json_)
      print(Json::object({{"type", "object"},
                          {"bucket", bucket},
                          {"key", entry.place},
                          {"size", entry.size},
                          {"last_modified", format_iso8601(entry.modified_ms)}})
                .dump());
    else
      print(
          local_time_text(entry.modified_ms) + " " +
          right_aligned(human_ ? human_bytes(entry.size) : std::to_string(entry.size), size_width) +
          " " + printable_name(shown));
  }

  void bucket(const Value& one) {
    ++lines_;
    const std::string* const name = one["name"].text();
    if (json_)
      print(Json::object({{"type", "bucket"},
                          {"bucket", name != nullptr ? *name : ""},
                          {"creation_date", format_iso8601(time_ms_of(one["creation_date"]))}})
                .dump());
    else
      print(local_time_text(time_ms_of(one["creation_date"])) + " " +
            (name != nullptr ? *name : ""));
  }

  void summary() {
    if (json_)
      print(Json::object(
                {{"summary", Json::object({{"total_objects", objects_}, {"total_size", bytes_}})}})
                .dump());
    else
      print("\nTotal Objects: " + std::to_string(objects_) +
            "\n   Total Size: " + (human_ ? human_bytes(bytes_) : std::to_string(bytes_)));
  }

  bool recursive() const { return recursive_; }
  std::uint64_t lines() const { return lines_; }

 private:
  void print(const std::string& line) { console_.out(line + "\n"); }
  const Console& console_;
  const bool json_;
  const bool human_;
  const bool recursive_;
  std::uint64_t lines_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
};

Status list_buckets(const Service& service, ListingPrinter& printer) {
  Params params;
  for (;;) {
    CAIRN_TRY(const Value page, service.call("list_buckets", params));
    if (const auto* const buckets = page["buckets"].elements())
      for (const Value& one : *buckets) printer.bucket(one);
    const Value& token = page["continuation_token"];
    if (token.text() == nullptr || token.text()->empty()) return ok_status();
    params = {{"continuation_token", token}};
  }
}

Status list_below(const Service& service, const Address& at, const Arguments& arguments,
                  ListingPrinter& printer) {
  // Names are shown behind the last '/', or whole where all below is listed.
  const auto slash = at.key.rfind('/');
  const std::size_t hidden = printer.recursive() || slash == std::string::npos ? 0 : slash + 1;
  Params more;
  if (const auto payer = arguments.option("--request-payer"))
    more.emplace_back("request_payer", *payer);
  if (const auto size = arguments.option("--page-size")) more.emplace_back("max_keys", *size);
  const auto next = listing_pages(service, at.bucket, at.key, printer.recursive() ? "" : "/", more);
  for (;;) {
    CAIRN_TRY(const auto page, next());
    if (!page) return ok_status();
    for (const std::string& prefix : page->prefixes)
      printer.prefix(at.bucket, prefix, prefix.substr(std::min(hidden, prefix.size())));
    for (const Entry& entry : page->objects)
      printer.object(at.bucket, entry, entry.place.substr(std::min(hidden, entry.place.size())));
  }
}

int run_list(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const bool all = arguments.words().empty() || arguments.words()[0] == "s3://";
  Address at;
  if (!all) {
    auto address = parse_object_address(arguments.words()[0]);
    if (!address.ok()) return tell_failure(run.console, address.error(), json);
    at = *std::move(address);
  }
  const auto service = open_service(arguments, run);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  ListingPrinter printer(arguments, run.console);
  const Status listed =
      all ? list_buckets(*service, printer) : list_below(*service, at, arguments, printer);
  if (!listed.ok()) return tell_failure(run.console, listed.error(), json);
  if (arguments.flag("--summarize")) printer.summary();
  // As ls says of a file that is not there.
  return all || at.key.empty() || printer.lines() > 0 ? success : failed;
}

}  // namespace

const ObjectCommand& list_command() {
  static const ObjectCommand command{
      .name = "ls",
      .usage = "cairn objects ls [s3://BUCKET[/PREFIX]] [options]",
      .summary = "lists buckets, or what is below a prefix",
      .help =
          "  --recursive                 all below, with whole keys\n"
          "  --human-readable            12.3 MiB instead of bytes\n"
          "  --summarize                 how many and how much\n"
          "  --page-size N               of a request; --request-payer requester\n"
          "  --json                      a JSON object a line\n"
          "The exit status is 1 where nothing is below the prefix.\n",
      .syntax = {.options = {"--page-size", "--request-payer"},
                 .flags = {"--recursive", "--human-readable", "--summarize", "--json"},
                 .words_max = 1},
      .run = run_list};
  return command;
}

}  // namespace cairn::cli
