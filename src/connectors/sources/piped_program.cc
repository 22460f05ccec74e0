// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/piped_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "base/strings.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t said_bytes_max = 2000;
constexpr int look_up_ms = 50;  // between two looks at the deadline
constexpr std::size_t piece_bytes = 64 << 10;

Error child_fault(std::string_view doing, int number) {
  return {.kind = ErrorKind::unavailable,
          .message = std::string(doing) + ": " + std::strerror(number)};
}

struct Ends {
  os::Descriptor ours, theirs;
};

/// A socket for its input, since writing to a pipe that nobody reads ends a program.
Result<Ends> input_ends() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return child_fault("socketpair", errno);
  return Ends{os::Descriptor(ends[0]), os::Descriptor(ends[1])};
}

Result<Ends> output_ends() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return child_fault("pipe", errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Ends{os::Descriptor(ends[0]), os::Descriptor(ends[1])};
}

/// Waits until one of these may be read or written, for a moment.
void wait_for(std::span<pollfd> some) {
  const os::Blocking blocking;
  static_cast<void>(::poll(some.data(), some.size(), look_up_ms));
}

}  // namespace

Result<std::unique_ptr<PipedProgram>> PipedProgram::start(const ProgramParams& params) {
  CAIRN_TRY(Ends input, input_ends());
  CAIRN_TRY(Ends output, output_ends());
  CAIRN_TRY(Ends complaints, output_ends());
  CAIRN_TRY(auto process, os::ChildProcess::start({.program = params.command.front(),
                                                   .words = params.command,
                                                   .input = input.theirs.get(),
                                                   .output = output.theirs.get(),
                                                   .errors = complaints.theirs.get(),
                                                   .environment = params.environment,
                                                   .writes_files = true,
                                                   .ends_with_thread = true}));
  std::unique_ptr<PipedProgram> child(new PipedProgram(params.command.front(), std::move(process)));
  child->input_ = std::move(input.ours);
  child->output_ = std::move(output.ours);
  child->complaints_ = std::move(complaints.ours);
  return child;
}

Status PipedProgram::write(std::string_view bytes, const os::Deadline& deadline) {
  while (!bytes.empty()) {
    CAIRN_CHECK(deadline.check("writing to " + name_));
    const ssize_t count =
        ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      std::array<pollfd, 1> ready = {{{.fd = input_.get(), .events = POLLOUT, .revents = 0}}};
      wait_for(ready);
      take_complaints();
    } else if (errno != EINTR) {
      take_complaints();
      return Error{.kind = ErrorKind::unavailable, .message = name_ + " went away: " + said_};
    }
  }
  return ok_status();
}

void PipedProgram::take_complaints() {
  char bytes[4096];
  for (ssize_t count = 0; (count = ::read(complaints_.get(), bytes, sizeof bytes)) > 0;) {
    said_.append(bytes, static_cast<std::size_t>(count));
    if (said_.size() > said_bytes_max) said_.erase(0, said_.size() - said_bytes_max);
  }
}

Result<std::string> PipedProgram::read(const os::Deadline& deadline) {
  std::string piece(piece_bytes, '\0');
  for (;;) {
    CAIRN_CHECK(deadline.check("waiting for " + name_));
    const ssize_t count = ::read(output_.get(), piece.data(), piece.size());
    if (count >= 0) {
      piece.resize(static_cast<std::size_t>(count));
      return piece;
    }
    if (errno != EAGAIN && errno != EINTR) return child_fault(name_, errno);
    // A closed end of complaints is always ready: it is not asked about then.
    std::array<pollfd, 2> ready = {{{.fd = output_.get(), .events = POLLIN, .revents = 0},
                                    {.fd = complaints_.get(), .events = POLLIN, .revents = 0}}};
    const os::Descriptor& complaints = complaints_;
    wait_for(std::span(ready).first(complaints.get() >= 0 ? 2 : 1));
    take_complaints();
    if ((ready[1].revents & POLLHUP) != 0) complaints_.close();
  }
}

Status PipedProgram::finish(const os::Deadline& deadline) {
  input_.close();
  while (!process_.has_ended()) {
    CAIRN_CHECK(deadline.check("waiting for " + name_));
    if (complaints_.get() >= 0) {
      std::array<pollfd, 1> ready = {{{.fd = complaints_.get(), .events = POLLIN, .revents = 0}}};
      wait_for(ready);
      take_complaints();
      if ((ready[0].revents & POLLHUP) != 0) complaints_.close();
    } else {
      const os::Blocking blocking;
      os::sleep_ms(1, deadline);
    }
  }
  if (complaints_.get() >= 0) take_complaints();
  const os::ChildEnd end = process_.end(deadline);
  if (end.signal == 0 && end.code == 0) return ok_status();
  const std::string how = end.signal == 0 ? "ended with status " + std::to_string(end.code)
                                          : "was ended by signal " + std::to_string(end.signal);
  return Error{.kind = ErrorKind::unavailable,
               .message = name_ + " " + how + ": " + std::string(trim(said_))};
}

Result<std::string> PipedProgram::read_all(std::size_t bytes_max, const os::Deadline& deadline) {
  close_input();
  std::string out;
  for (;;) {
    CAIRN_TRY(const std::string piece, read(deadline));
    if (piece.empty()) break;
    out += piece;
    if (out.size() > bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = name_ + " wrote more than " + std::to_string(bytes_max) + " bytes"};
  }
  CAIRN_CHECK(finish(deadline));
  return out;
}

}  // namespace cairn::connectors
