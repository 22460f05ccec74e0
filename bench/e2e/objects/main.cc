// SPDX-License-Identifier: Apache-2.0
// What run.py needs of a load generator, each as one command that prints one line of JSON:
//   bench_objects put|get|list|send|hold|files|appends|writes|md5 [--name value]...
#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>

#include "base/strings.h"
#include "load.h"
#include "os/random.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

/// The options of a command: --name value.
class Options {
 public:
  Options(int argc, char** argv) {
    for (int i = 2; i + 1 < argc; i += 2) values_[argv[i] + 2] = argv[i + 1];
  }
  std::string text(const std::string& name, const std::string& otherwise = "") const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  std::uint64_t number(const std::string& name, std::uint64_t otherwise) const {
    return parse_number<std::uint64_t>(text(name)).value_or(otherwise);
  }
  double seconds() const { return static_cast<double>(number("ms", 3000)) / 1e3; }

 private:
  std::map<std::string, std::string> values_;
};

Target target_of(const Options& options) {
  Target target = bench::target_of(options.text("url"));
  target.credentials = {.access_key_id = options.text("access"),
                        .secret_access_key = options.text("secret")};
  target.authority = options.text("authority");
  target.session_token = options.text("session");
  return target;
}

LoadParams params_of(const Options& options) {
  return {.connections = static_cast<int>(options.number("connections", 16)),
          .seconds = options.seconds(),
          .requests_max = options.number("requests", UINT64_MAX),
          .polls = options.number("polls", 0) != 0};
}

/// "/bucket/" or, where there is no bucket, "/".
std::string folder_of(const Options& options) {
  const std::string bucket = options.text("bucket");
  return bucket.empty() ? "/" : "/" + bucket + "/";
}

std::string numbered(std::string_view prefix, std::uint64_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08llu", static_cast<unsigned long long>(number));
  return std::string(prefix) + digits;
}

/// A thousand keys to a folder, as of a bucket that people use.
std::string listed_key(std::uint64_t number) {
  return numbered("folder-", number / 1000) + numbered("/object-", number);
}

void print(const LoadResult& result) {
  std::printf(
      "{\"per_second\": %.1f, \"mb_per_second\": %.1f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, "
      "\"requests\": %llu, \"seconds\": %.2f, \"generator_cpu\": %.2f}\n",
      result.figures.per_second, result.bytes_per_second / 1e6, result.figures.p50_ms,
      result.figures.p99_ms, static_cast<unsigned long long>(result.requests), result.seconds,
      result.cpu_share);
}

void print(const Figures& figures) {
  std::printf("{\"per_second\": %.1f, \"p50_ms\": %.3f, \"p99_ms\": %.3f}\n", figures.per_second,
              figures.p50_ms, figures.p99_ms);
}

/// New objects, numbered on from --from. --listed 1 names them as a listing wants them.
int put(const Options& options) {
  const Target target = target_of(options);
  const std::size_t size = options.number("size", 4096);
  const std::uint64_t from = options.number("from", 0);
  const std::uint64_t again = options.number("again", UINT64_MAX);  // overwrite that many
  const bool listed = options.number("listed", 0) != 0;
  const Contents contents(size);
  const std::string folder = folder_of(options), prefix = options.text("prefix", "k-");
  const auto sign = [&](std::uint64_t number) {
    return head_of(target, "PUT", folder + (listed ? listed_key(number) : numbered(prefix, number)),
                   "", size);
  };
  const LoadParams params = params_of(options);
  // Signed before the clock runs, as far as that may be needed.
  std::vector<std::string> heads;
  const std::uint64_t wanted = std::min({options.number("prepare", 0), params.requests_max, again});
  for (std::uint64_t i = 0; i < wanted; ++i) heads.push_back(sign(from + i));
  std::vector<std::string> own(static_cast<std::size_t>(params.connections));
  print(run_load(target, params, [&](std::uint64_t number, int connection) -> Order {
    number %= again;
    std::string& mine = own[static_cast<std::size_t>(connection)];
    if (number >= heads.size()) mine = sign(from + number);
    return {.head = number < heads.size() ? heads[number] : mine,
            .body = contents.of(from + number, size)};
  }));
  return 0;
}

/// Objects that put made, in a random order; small ones are compared, large ones counted.
int get(const Options& options) {
  const Target target = target_of(options);
  const std::size_t size = options.number("size", 4096);
  const std::uint64_t keys = options.number("keys", 1);
  const Contents contents(size);
  const std::string folder = folder_of(options), prefix = options.text("prefix", "k-");
  std::vector<std::string> heads;
  for (std::uint64_t i = 0; i < keys; ++i)
    heads.push_back(head_of(target, "GET", folder + numbered(prefix, i), "", 0));
  LoadParams params = params_of(options);
  params.discard = size > (1 << 20);
  const auto random = os::seeded_random(7);
  print(run_load(target, params, [&](std::uint64_t, int) -> Order {
    const std::uint64_t number = random->below(keys);
    Order order{.head = heads[number], .expected_bytes = size};
    if (!params.discard) order.expected = contents.of(number, size);
    return order;
  }));
  return 0;
}

/// Pages of 1,000 after random keys of those that put made with --listed 1.
int list(const Options& options) {
  const Target target = target_of(options);
  const std::uint64_t keys = options.number("keys", 1000);
  const auto random = os::seeded_random(9);
  std::vector<std::string> heads;
  for (int i = 0; i < 1000; ++i) {
    std::string after = listed_key(random->below(keys - 1000));
    after.replace(after.find('/'), 1, "%2F");
    std::string path = folder_of(options);
    path.pop_back();
    heads.push_back(
        head_of(target, "GET", path, "list-type=2&max-keys=1000&start-after=" + after, 0));
  }
  print(run_load(target, params_of(options), [&](std::uint64_t number, int) -> Order {
    return {.head = heads[number % heads.size()]};
  }));
  return 0;
}

/// One request without a body: to make a bucket, or to look.
int send(const Options& options) {
  const Target target = target_of(options);
  const std::string head =
      head_of(target, options.text("method", "GET"), options.text("path", "/"), "", 0);
  print(run_load(target, {.connections = 1, .seconds = 60, .requests_max = 1},
                 [&](std::uint64_t, int) -> Order { return {.head = head}; }));
  return 0;
}

/// Connections that had one reply, kept until the input ends.
int hold(const Options& options) {
  const Target target = target_of(options);
  const std::string head = head_of(target, "GET", options.text("path", "/"), "", 0);
  const auto kept = idle_connections(target, static_cast<int>(options.number("connections", 1000)),
                                     {.head = head});
  std::printf("{\"held\": %zu}\n", kept.size());
  std::fflush(stdout);
  char byte;
  while (::read(0, &byte, 1) > 0) {
  }
  return 0;
}

/// The same objects as files, for a server of files.
int files(const Options& options) {
  const std::size_t size = options.number("size", 4096);
  const Contents contents(size);
  const std::string folder = options.text("folder");
  for (std::uint64_t i = 0; i < options.number("keys", 1); ++i) {
    const auto file = must(os::system_files().open(
        folder + "/" + numbered(options.text("prefix", "k-"), i), os::OpenMode::truncate));
    must(file->append(contents.of(i, size)));
  }
  std::printf("{}\n");
  return 0;
}

int appends(const Options& options) {
  const std::string body = os::system_random().bytes(4096);
  const std::string path = options.text("folder") + "/appends";
  {
    GroupLog log(path);
    print(measure(static_cast<int>(options.number("threads", 16)), options.seconds(),
                  [&](int, std::uint64_t) { log.append(body); }));
  }
  must(os::system_files().remove(path));
  return 0;
}

/// Files of 64 MiB, each synced and named, by several threads.
int writes(const Options& options) {
  constexpr std::size_t bytes = 64 << 20;
  const std::string piece = os::system_random().bytes(256 << 10);
  const std::string folder = options.text("folder");
  const int threads = static_cast<int>(options.number("threads", 4));
  const auto name = [](int thread) { return "written-" + std::to_string(thread); };
  const Figures figures = measure(threads, options.seconds(), [&](int thread, std::uint64_t) {
    write_synced_file(folder, name(thread), piece, bytes);
  });
  for (int i = 0; i < threads; ++i) must(os::system_files().remove(folder + "/" + name(i)));
  std::printf("{\"mb_per_second\": %.1f}\n", figures.per_second * bytes / 1e6);
  return 0;
}

int md5_speed(const Options& options) {
  std::printf("{\"mb_per_second\": %.1f}\n",
              md5_rate(os::system_random().bytes(256 << 10), options.seconds()) / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(const Options&)> commands = {
      {"put", put},     {"get", get},         {"list", list},     {"send", send},    {"hold", hold},
      {"files", files}, {"appends", appends}, {"writes", writes}, {"md5", md5_speed}};
  const auto found = commands.find(argc > 1 ? argv[1] : "");
  if (found == commands.end()) {
    std::fprintf(stderr,
                 "usage: bench_objects put|get|list|send|hold|files|appends|writes|md5 "
                 "[--name value]...\n");
    return 64;
  }
  return found->second(Options(argc, argv));
}
