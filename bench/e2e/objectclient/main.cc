// SPDX-License-Identifier: Apache-2.0
// The client library at work, for run.py, which measures the processor time of the whole process:
//   bench_objectclient put ENDPOINT BUCKET KEY FILE       upload_file, all defaults
//   bench_objectclient get ENDPOINT BUCKET KEY FILE       download, all defaults
//   bench_objectclient one-put|one-get ...                a single request instead
//   bench_objectclient null-get ... -                     a single request, bytes thrown away
//   bench_objectclient fill ENDPOINT BUCKET PREFIX KEYS   objects of 4 KiB
//   bench_objectclient url ENDPOINT BUCKET KEY get|put    a presigned URL
//   bench_objectclient small ENDPOINT BUCKET PREFIX KEYS THREADS SECONDS
// Credentials and region come from the environment. Prints one JSON object, or the URL.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "objectclient/client.h"
#include "objectclient/transfer.h"

namespace {

using namespace cairn;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Over http the client signs each byte unless told otherwise; aws-c-s3 and presigned URLs do not,
// and so the comparison does not either. Checksums (CRC32) stay on.
objectclient::Client client_for(const char* endpoint) {
  objectclient::ClientOptions options;
  options.endpoint = endpoint;
  options.force_path_style = true;
  if (std::getenv("CAIRN_BENCH_SIGNED") == nullptr) options.payload_signing = "never";
  return objectclient::Client(std::move(options));
}

void large(const std::string& what, const objectclient::Client& client, char** argv) {
  const std::string bucket = argv[3], key = argv[4], file = argv[5];
  if (what == "put")
    objectclient::upload_file(client, {.bucket = bucket, .key = key}, file).or_throw();
  else if (what == "get")
    objectclient::download(client, {.bucket = bucket, .key = key}, file).or_throw();
  else if (what == "null-get")
    client
        .get_object({.bucket = bucket, .key = key},
                    objectclient::Target::function([](std::string_view) { return ok_status(); }))
        .or_throw();
  else if (what == "one-put")
    client.put_object({.bucket = bucket, .key = key}, objectclient::Body::file(file)).or_throw();
  else
    client.get_object({.bucket = bucket, .key = key}, objectclient::Target::file(file)).or_throw();
}

void fill(const objectclient::Client& client, char** argv) {
  const std::string body(4096, 'x');
  for (int i = 0; i < std::atoi(argv[5]); ++i)
    client.put_object({.bucket = argv[3], .key = argv[4] + std::to_string(i)}, body).or_throw();
}

// What a program with many threads gets from one client.
void small(const objectclient::Client& client, char** argv) {
  const std::string bucket = argv[3], prefix = argv[4];
  const int keys = std::atoi(argv[5]), threads_count = std::atoi(argv[6]);
  const double seconds = std::atof(argv[7]);
  std::atomic<bool> over = false;
  std::atomic<long> done = 0, bytes = 0;
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < threads_count; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = thread; !over; i += threads_count) {
          const auto got =
              client.get_object({.bucket = bucket, .key = prefix + std::to_string(i % keys)});
          bytes += static_cast<long>(got.body().size());
          ++done;
        }
      });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    over = true;
  }
  const double took = seconds_since(begin);
  std::printf("{\"per_second\": %.1f, \"bytes\": %ld, \"requests\": %ld}\n",
              static_cast<double>(done) / took, bytes.load(), done.load());
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (argc < 6 || (what == "small" && argc < 8)) {
    std::fprintf(stderr, "bench_objectclient: see the first lines of its source\n");
    return 64;
  }
  const auto client = client_for(argv[2]);
  if (what == "url") {
    const std::string operation = std::string(argv[5]) + "_object";
    std::puts(client.presigned_url(operation, {{"bucket", argv[3]}, {"key", argv[4]}}).c_str());
  } else if (what == "fill") {
    fill(client, argv);
  } else if (what == "small") {
    small(client, argv);
  } else {
    const auto begin = Clock::now();
    large(what, client, argv);
    std::printf("{\"seconds\": %.4f}\n", seconds_since(begin));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_objectclient: %s\n", failure.what());
    return 1;
  }
}
