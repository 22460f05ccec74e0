// SPDX-License-Identifier: Apache-2.0
#include "connectors/isolation/extract_child.h"

#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "base/strings.h"
#include "connectors/isolation/frames.h"
#include "connectors/isolation/sanitized.h"
#include "os/processes/system_calls.h"
#include "text/encoding.h"

namespace cairn::connectors {
namespace {

constexpr int peer = 0;
constexpr int idle_ms = 60'000;
constexpr int misused = 64;
constexpr int not_bound = 71;
constexpr std::size_t file_bytes_max = std::size_t{4} << 30;
constexpr std::size_t large_file = 4u << 20;  // memory of one goes back at once

bool read_exactly(char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::read(peer, to, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_exactly(const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(peer, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    from += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// The kernel ends this process by SIGPROF when it has computed for so long.
void allow_computing_for(std::uint32_t ms) {
  const itimerval timer{.it_interval = {},
                        .it_value = {.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000L}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Of address space, above what the program and its libraries have mapped.
bool bound_memory(std::size_t bytes) {
  if (runs_sanitized) return true;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file != nullptr) {
    const int read = std::fscanf(file, "%lu", &pages);
    std::fclose(file);
    if (read != 1) pages = 0;
  }
  const rlim_t limit = pages * static_cast<unsigned long>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit both{.rlim_cur = limit, .rlim_max = limit};
  return pages > 0 && ::setrlimit(RLIMIT_AS, &both) == 0;
}

/// Sanitizers open files and map code when they report; so their builds only refuse. Before a throw
/// and before the end they look where the stack of signals is.
bool bound_calls() {
  const auto computing = os::computing_calls();
  std::vector<os::SystemCallRule> allowed(computing.begin(), computing.end());
  if (runs_sanitized) allowed.push_back({.number = SYS_sigaltstack});
  const os::SystemCallFilter filter(
      allowed, runs_sanitized ? os::OtherCalls::fail : os::OtherCalls::end_process);
  return filter.bind_this_thread() == 0;
}

/// What is loaded when it is first needed is loaded now.
void warm_up() {
  text::encodings_without_files();
  (void)text::any_encoding("caf\xe9 cr\xe8me");
  (void)extract_file("a.md", "*a*");
}

Result<ExtractedFile> extracted(decltype(extract_file)& read, const ExtractRequest& request,
                                const std::string& name, const std::string& charset,
                                const std::string& bytes) {
  try {
    return read(name, bytes,
                {.rows = request.rows != 0,
                 .unpacked_bytes_max = request.unpacked_bytes_max,
                 .text_bytes_max = request.text_bytes_max,
                 .charset = charset});
  } catch (const std::bad_alloc&) {
    return Error{.kind = ErrorKind::too_large,
                 .message = "it takes more memory to read than is allowed"};
  } catch (const std::exception& error) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = std::string("its reader gave up: ") + error.what()};
  }
}

/// False at the end.
bool serve_one(decltype(extract_file)& read) {
  pollfd watched{.fd = peer, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&watched, 1, idle_ms);
  if (ready < 0 && errno == EINTR) return true;
  ExtractRequest request;
  if (ready <= 0 || !read_exactly(reinterpret_cast<char*>(&request), sizeof request)) return false;
  if (request.name_bytes > 64u << 10 || request.charset_bytes > 1u << 10 ||
      request.file_bytes > file_bytes_max)
    return false;
  std::string name(request.name_bytes, '\0'), charset(request.charset_bytes, '\0'),
      bytes(request.file_bytes, '\0');
  for (std::string* part : {&name, &charset, &bytes})
    if (!read_exactly(part->data(), part->size())) return false;
  allow_computing_for(request.cpu_ms);
  const std::string reply = encode_reply(extracted(read, request, name, charset, bytes));
  allow_computing_for(0);
  const ExtractReplyHead head{.bytes = reply.size()};
  if (!write_exactly(reinterpret_cast<const char*>(&head), sizeof head) ||
      !write_exactly(reply.data(), reply.size()))
    return false;
  if (bytes.size() + reply.size() > large_file) ::malloc_trim(0);
  return true;
}

}  // namespace

int run_extract_child(const std::vector<std::string>& words, decltype(extract_file)& read) {
  const auto mebibytes = words.empty() ? std::nullopt : parse_number<std::size_t>(words[0]);
  if (!mebibytes || *mebibytes == 0 || *mebibytes > 1u << 20) {
    std::fputs("cairn: extract-child is run by `cairn serve` alone\n", stderr);
    return misused;
  }
  warm_up();
  if (!bound_memory(*mebibytes << 20) || !bound_calls()) return not_bound;
  try {
    while (serve_one(read)) {
    }
  } catch (const std::bad_alloc&) {
    ::_exit(not_bound);
  }
  ::_exit(0);  // what destructors do may need calls that were given up
}

}  // namespace cairn::connectors
