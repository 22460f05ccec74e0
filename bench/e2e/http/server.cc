// SPDX-License-Identifier: Apache-2.0
// The server of the HTTP benchmark: a small JSON reply, a file of 1 MiB, and a sink for bodies.
//   bench_http PORT FILE [BLOCK_EVERY]
// With BLOCK_EVERY, each n-th small reply first waits 2 ms as if for a disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "net/server/server.h"
#include "os/threads/blocking.h"

namespace {

using namespace cairn;

constexpr std::string_view small_body =
    R"({"took":1,"timed_out":false,"hits":{"total":{"value":3},"max_score":1.25,"hits":[]},"n":12345678})";

net::Headers fields(std::string_view type) {
  net::Headers headers;
  headers.add("Content-Type", type);
  return headers;
}

struct Files {
  int descriptor = -1;
  std::uint64_t size = 0;
};

Files open_file(const char* path) {
  Files file{.descriptor = ::open(path, O_RDONLY | O_CLOEXEC)};
  struct stat facts {};
  if (file.descriptor < 0 || ::fstat(file.descriptor, &facts) != 0) {
    std::perror(path);
    std::exit(1);
  }
  file.size = static_cast<std::uint64_t>(facts.st_size);
  return file;
}

// Takes a body of any size and keeps none of it.
void swallow(net::Exchange& exchange) {
  thread_local const auto buffer = std::make_unique<char[]>(256 << 10);
  for (;;) {
    const auto count = exchange.body.read({buffer.get(), 256 << 10});
    if (!count.ok()) return static_cast<void>(exchange.reply.reply(400, {}, "").ok());
    if (*count == 0) break;
  }
  static_cast<void>(exchange.reply.reply(204, {}, "").ok());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s PORT FILE [BLOCK_EVERY]\n", argv[0]);
    return 2;
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // for every thread to come
  const Files file = open_file(argv[2]);
  const unsigned block_every = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 0;
  std::atomic<unsigned> served{0};
  net::ServerOptions options;
  options.listen = std::string("127.0.0.1:") + argv[1];
  auto server = net::Server::open(options, [&](net::Exchange& exchange) {
    if (exchange.head.method == "PUT") return swallow(exchange);
    if (exchange.head.path() == "/big") {
      static_cast<void>(
          exchange.reply.begin(200, fields("application/octet-stream"), file.size).ok() &&
          exchange.reply.write_file(file.descriptor, 0, file.size).ok() &&
          exchange.reply.end().ok());
      return;
    }
    if (block_every > 0 && served.fetch_add(1, std::memory_order_relaxed) % block_every == 0) {
      const os::Blocking blocking;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    static_cast<void>(exchange.reply.reply(200, fields("application/json"), small_body).ok());
  });
  if (!server.ok()) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  std::printf("listening on %u\n", unsigned{(*server)->port()});
  std::fflush(stdout);
  int signal = 0;
  sigwait(&set, &signal);
  return 0;
}
