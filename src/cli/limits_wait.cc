// SPDX-License-Identifier: Apache-2.0
#include "cli/limits_wait.h"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"

namespace cairn::cli {
namespace {

constexpr std::size_t answer_bytes_max = 1 << 20;  // the first kilobytes of a body are enough
constexpr std::int64_t longest_s_max = 366LL * 86'400;

using Fields = std::map<std::string, std::string, std::less<>>;

/// One head, taken off the front of `rest`.
Result<int> take_head(std::string_view& rest, Fields& fields) {
  const auto line = [&rest] {
    const std::size_t end = rest.find('\n');
    const std::string_view out = trim(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return out;
  };
  const Error no_head{
      ErrorKind::invalid_argument, "",
      "an answer begins with a status line, as in [HTTP/1.1 429 Too Many Requests]; "
      "curl -i prints it"};
  const std::string_view first = line();
  const std::size_t blank = first.find(' ');
  if (!first.starts_with("HTTP/") || blank == std::string_view::npos) return no_head;
  const auto status = parse_number<int>(trim(first.substr(blank)).substr(0, 3));
  if (!status || *status < 100 || *status > 599) return no_head;
  while (!rest.empty()) {
    const std::string_view field = line();
    if (field.empty()) break;
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos) continue;
    fields.insert_or_assign(lower_ascii(field.substr(0, colon)),
                            std::string(trim(field.substr(colon + 1))));
  }
  return *status;
}

std::string read_standard_input() {
  std::string out;
  char piece[16'384];
  std::size_t count = 0;
  while ((count = std::fread(piece, 1, sizeof piece, stdin)) > 0)
    if (out.size() < answer_bytes_max) out.append(piece, count);
  return out;
}

struct Wanted {
  std::uint32_t attempt = 0;
  ratelimit::RetryOptions options = {};
  std::optional<std::int64_t> longest_ms = {};
};

Result<Wanted> read_wanted(const Arguments& arguments) {
  Wanted out;
  const auto number = [&](std::string_view name, std::int64_t most,
                          std::int64_t fallback) -> Result<std::int64_t> {
    const auto text = arguments.option(name);
    if (!text) return fallback;
    const auto value = parse_number<std::int64_t>(*text);
    if (!value || *value < 0 || *value > most)
      return Error{ErrorKind::invalid_argument, "",
                   std::string(name) + " must be a number from 0 to " + std::to_string(most)};
    return *value;
  };
  CAIRN_TRY(const std::int64_t attempt, number("--attempt", 1'000, 0));
  CAIRN_TRY(const std::int64_t retries, number("--retries", 1'000, out.options.retries));
  CAIRN_TRY(const std::int64_t longest, number("--longest", longest_s_max, -1));
  out.attempt = static_cast<std::uint32_t>(attempt);
  out.options.retries = static_cast<std::uint32_t>(retries);
  if (longest >= 0) out.longest_ms = longest * 1'000;
  return out;
}

int give_up(std::string_view why) {
  std::fprintf(stderr, "cairn: %s\n", std::string(why).c_str());
  return temporary;
}

}  // namespace

Result<ratelimit::SeenResponse> read_printed_response(std::string_view text) {
  auto fields = std::make_shared<Fields>();
  ratelimit::SeenResponse out;
  std::string_view rest = text;
  do {
    fields->clear();
    CAIRN_TRY(out.status, take_head(rest, *fields));
  } while (rest.starts_with("HTTP/") && (out.status < 200 || out.status / 100 == 3));
  out.body = std::string(rest);
  out.header = [fields](std::string_view name) -> std::optional<std::string> {
    const auto found = fields->find(name);
    return found == fields->end() ? std::nullopt : std::optional(found->second);
  };
  return out;
}

int limits_wait(const std::vector<std::string>& words, std::string_view usage) {
  const auto arguments = Arguments::parse(
      words,
      {.options = {"--attempt", "--retries", "--longest", "--resource"}, .flags = {"--print"}});
  if (!arguments.ok()) return misused(arguments.error().message, usage);
  const auto wanted = read_wanted(*arguments);
  if (!wanted.ok()) return misused(wanted.error().message, usage);
  const auto response = read_printed_response(read_standard_input());
  if (!response.ok()) {
    std::fprintf(stderr, "cairn: %s\n", response.error().message.c_str());
    return data_error;
  }
  const std::string resource = arguments->option("--resource").value_or("core");
  const ratelimit::LimitSigns signs = ratelimit::read_limit(
      *response, resource, os::system_clock().unix_ms(), resource == "graphql");
  if (signs.kind == ratelimit::LimitKind::none) return failed;
  const std::string kind(name_of(signs.kind));
  if (wanted->attempt >= wanted->options.retries)
    return give_up("given up after " + std::to_string(wanted->attempt) + " retries: the " + kind +
                   " rate limit still refuses");
  const std::int64_t wait_ms =
      ratelimit::wait_after(signs, wanted->attempt, wanted->options, os::system_random());
  const std::int64_t wait_s = (wait_ms + 999) / 1'000;
  if (wanted->longest_ms && wait_ms > *wanted->longest_ms)
    return give_up("the " + kind + " rate limit refuses for " + std::to_string(wait_s) +
                   " s, longer than --longest says");
  std::printf("%lld %s\n", static_cast<long long>(wait_s), kind.c_str());
  if (arguments->flag("--print")) return success;
  std::fflush(stdout);
  os::sleep_ms(wait_ms, os::Deadline::never());
  return success;
}

}  // namespace cairn::cli
