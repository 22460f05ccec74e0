// SPDX-License-Identifier: Apache-2.0
#include "connectors/isolation/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "connectors/isolation/frames.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t look_ms = 100;  // at a stop of the deadline

enum class Turn { ready, late, gone };

/// Waits until the line can be read from or written to.
Turn await(int line, short events, const os::Deadline& until) {
  const os::Blocking blocking;
  for (;;) {
    pollfd watched{.fd = line, .events = events, .revents = 0};
    const int wait_ms = static_cast<int>(std::min(until.remaining_ms(), look_ms));
    const int ready = ::poll(&watched, 1, wait_ms);
    if (ready > 0) return (watched.revents & events) != 0 ? Turn::ready : Turn::gone;
    if (ready < 0 && errno != EINTR) return Turn::gone;
    if (until.passed()) return Turn::late;
  }
}

Turn send_all(int line, std::string_view bytes, const os::Deadline& until) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(line, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (const Turn turn = await(line, POLLOUT, until); turn != Turn::ready) return turn;
    } else if (errno != EINTR) {
      return Turn::gone;
    }
  }
  return Turn::ready;
}

Turn receive_all(int line, char* to, std::size_t size, const os::Deadline& until) {
  while (size > 0) {
    const ssize_t count = ::recv(line, to, size, MSG_DONTWAIT);
    if (count == 0) return Turn::gone;
    if (count > 0) {
      to += count;
      size -= static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (const Turn turn = await(line, POLLIN, until); turn != Turn::ready) return turn;
    } else if (errno != EINTR) {
      return Turn::gone;
    }
  }
  return Turn::ready;
}

std::string seconds_text(std::int64_t ms) {
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

Error too_large_answer() {
  return {.kind = ErrorKind::too_large, .message = "it holds more text than is taken of one file"};
}

}  // namespace

Result<ExtractChild> ExtractChild::start(const ExtractorOptions& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{.kind = ErrorKind::unavailable,
                 .message = std::string("no line to a reader of files: ") + std::strerror(errno)};
  os::Descriptor line(ends[0]);
  const os::Descriptor theirs(ends[1]);
  std::vector<std::string> words = {"cairn"};
  words.insert(words.end(), options.words.begin(), options.words.end());
  words.push_back(std::to_string(std::max<std::size_t>(options.memory_bytes >> 20, 1)));
  CAIRN_TRY(auto process,
            os::ChildProcess::start(
                {.program = options.program, .words = std::move(words), .input = theirs.get()}));
  return ExtractChild(std::move(process), std::move(line));
}

bool ExtractChild::is_there() const {
  pollfd watched{.fd = line_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, 0) == 0;  // nothing to read, which would be its end
}

Error ExtractChild::ended(const ExtractorOptions& options, const os::Deadline& deadline) {
  const os::ChildEnd end = process_.end(deadline.sooner_ms(1000));
  switch (end.signal) {
    case SIGPROF:
    case SIGXCPU:
      return {.kind = ErrorKind::too_large,
              .message = "it takes more than " + seconds_text(options.cpu_ms) + " of computing to read"};
    case SIGSYS:
      return {.kind = ErrorKind::invalid_argument,
              .message = "its reader gave up, or asked the system for what it may not"};
    case 0:
      had_gone_ = end.code == 0;
      return {.kind = ErrorKind::invalid_argument,
              .message = "its reader ended with status " + std::to_string(end.code)};
    default:
      return {.kind = ErrorKind::invalid_argument,
              .message = "its reader crashed (signal " + std::to_string(end.signal) + ")"};
  }
}

Result<std::string> ExtractChild::ask(std::string_view head, std::string_view name,
                                      std::string_view bytes, const ExtractorOptions& options,
                                      const os::Deadline& until) {
  is_spent_ = true;  // until all went well
  const auto failed = [&](Turn turn) -> Error {
    if (turn == Turn::gone) return ended(options, until);
    return {.kind = ErrorKind::too_large,
            .message = "it takes longer than " + seconds_text(options.wall_ms) + " to read"};
  };
  for (const auto piece : {head, name, bytes})
    if (const Turn turn = send_all(line_.get(), piece, until); turn != Turn::ready)
      return failed(turn);
  ExtractReplyHead reply;
  if (const Turn turn =
          receive_all(line_.get(), reinterpret_cast<char*>(&reply), sizeof reply, until);
      turn != Turn::ready)
    return failed(turn);
  // What is enclosed comes back beside the text.
  if (reply.bytes > 2 * options.text_bytes_max + 2 * bytes.size() + (1u << 20))
    return too_large_answer();
  std::string answer(reply.bytes, '\0');
  if (const Turn turn = receive_all(line_.get(), answer.data(), answer.size(), until);
      turn != Turn::ready)
    return failed(turn);
  is_spent_ = ++files_ >= options.files_each;
  return answer;
}

Result<ExtractedFile> ExtractChild::extract(std::string_view name, std::string_view bytes,
                                            const ExtractWishes& wishes,
                                            const ExtractorOptions& options,
                                            const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("reading a file"));
  const std::string_view known =
      name.substr(name.size() - std::min<std::size_t>(name.size(), 1024));
  const std::string charset = wishes.charset.substr(0, 64);
  const ExtractRequest request{.name_bytes = static_cast<std::uint32_t>(known.size()),
                               .cpu_ms = options.cpu_ms,
                               .file_bytes = bytes.size(),
                               .unpacked_bytes_max = options.unpacked_bytes_max,
                               .text_bytes_max = options.text_bytes_max,
                               .rows = wishes.rows ? 1u : 0u,
                               .charset_bytes = charset.size()};
  const std::string_view head(reinterpret_cast<const char*>(&request), sizeof request);
  had_gone_ = false;
  const os::Deadline until = deadline.sooner_ms(options.wall_ms);
  auto answer = ask(head, std::string(known) + charset, bytes, options, until);
  if (!answer.ok()) {
    CAIRN_CHECK(deadline.check("reading a file"));
    return std::move(answer).error();
  }
  auto file = decode_reply(*answer);
  // After a want of memory a new one has less in pieces.
  if (!file.ok() &&
      (file.error().kind == ErrorKind::too_large || file.error().kind == ErrorKind::corrupt))
    is_spent_ = true;
  return file;
}

}  // namespace cairn::connectors
