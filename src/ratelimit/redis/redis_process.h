// SPDX-License-Identifier: Apache-2.0
// A redis-server of one's own for tests and benchmarks: on a free port, in a folder that goes with
// it, without persistence.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "os/files/test_folder.h"
#include "ratelimit/redis/redis_connection.h"

namespace cairn::ratelimit {

class RedisProcess {
 public:
  /// Null where redis-server is not installed or does not start.
  static std::unique_ptr<RedisProcess> start(std::vector<std::string> more = {}) {
    for (int tries = 0; tries < 5; ++tries) {  // another may take the port first
      std::unique_ptr<RedisProcess> out(new RedisProcess(free_port(), more));
      if (out->run()) return out;
      if (out->missing_) return nullptr;
    }
    return nullptr;
  }
  ~RedisProcess() { kill(); }
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  RedisAddress address() const { return {.host = "127.0.0.1", .port = port_}; }

  void pause() const { ::kill(pid_, SIGSTOP); }
  void resume() const { ::kill(pid_, SIGCONT); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGCONT);
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  /// Again on the same port, empty. False where it does not start.
  bool restart() {
    kill();
    return run();
  }

  RedisReply command(std::vector<std::string_view> words) const {
    auto connection = RedisConnection::open(address(), 5'000);
    if (!connection.ok()) return {};
    auto reply = (*connection)->call(words, 5'000);
    return reply.ok() ? std::move(*reply) : RedisReply{};
  }

 private:
  RedisProcess(std::uint16_t port, std::vector<std::string> more)
      : port_(port), more_(std::move(more)) {}

  static std::uint16_t free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    ::bind(fd, reinterpret_cast<const sockaddr*>(&at), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
    ::close(fd);
    return ntohs(at.sin_port);
  }

  bool run() {
    std::vector<std::string> words = {
        "redis-server", "--port",    std::to_string(port_), "--bind",      "127.0.0.1",
        "--save",       "",          "--appendonly",        "no",          "--dir",
        folder_.path,   "--logfile", "redis.log",           "--daemonize", "no"};
    words.insert(words.end(), more_.begin(), more_.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execvp(pointers[0], pointers.data());
      ::_exit(127);
    }
    for (int i = 0; pid_ > 0 && i < 2'000; ++i) {  // until it answers or ends
      if (command({"PING"}).text == "PONG") return true;
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        missing_ = WIFEXITED(status) && WEXITSTATUS(status) == 127;
        pid_ = 0;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  const std::uint16_t port_;
  const std::vector<std::string> more_;
  const os::TestFolder folder_;
  pid_t pid_ = 0;
  bool missing_ = false;
};

}  // namespace cairn::ratelimit
