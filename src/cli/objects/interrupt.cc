// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "cli/exit_codes.h"

namespace cairn::cli {

Interrupts::Interrupts() {
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, SIGINT);
  sigaddset(&mine, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &mine, &before_);
  signals_ = ::signalfd(-1, &mine, SFD_CLOEXEC);
  done_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ >= 0 && done_ >= 0)
    watcher_ = os::Thread::start_or_tell({.name = "signals"}, [this] { watch(); });
  // With nobody to take them, signals end the program as they do any other.
  if (!watcher_.joinable()) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Interrupts::~Interrupts() {
  if (watcher_.joinable()) {
    const std::uint64_t one = 1;
    while (::write(done_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    watcher_.join();
  }
  if (signals_ >= 0) ::close(signals_);
  if (done_ >= 0) ::close(done_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::watch() {
  for (;;) {
    pollfd ready[] = {{signals_, POLLIN, 0}, {done_, POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR) return;
    if (ready[1].revents != 0) return;
    signalfd_siginfo got{};
    if (ready[0].revents == 0 || ::read(signals_, &got, sizeof got) != sizeof got) continue;
    signal_ = static_cast<int>(got.ssi_signo);
    if (stop_.stop_requested()) ::_exit(exit_status());
    stop_.request_stop();
  }
}

void Interrupts::lose_output() { stop_.request_stop(); }

int Interrupts::exit_status() const { return signal_ == 0 ? io_error : 128 + signal_; }

}  // namespace cairn::cli
