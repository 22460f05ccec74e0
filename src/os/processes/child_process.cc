// SPDX-License-Identifier: Apache-2.0
#include "os/processes/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "os/threads/blocking.h"

namespace cairn::os {
namespace {

constexpr int no_fault = 0;

/// What the new process needs, made before it is: there it must not allocate.
struct Prepared {
  const char* program;
  char* const* words;
  char* const* environment;
  int descriptors[3];
  ChildLimits limits;
  bool writes_files;
  bool ends_with_thread;
  const SystemCallFilter* filter;
  const ReadableFolders* folders;
  volatile int fault = no_fault;  // written by the new process, which shares this memory until exec
};

int limit(int resource, rlim_t value) {
  const rlimit both{.rlim_cur = value, .rlim_max = value};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0 ? 0 : errno;
}

int set_limits(const ChildLimits& limits, bool writes_files) {
  if (const int fault = limit(RLIMIT_CORE, 0)) return fault;
  if (!writes_files)
    if (const int fault = limit(RLIMIT_FSIZE, 0)) return fault;
  if (limits.cpu_seconds > 0)
    if (const int fault = limit(RLIMIT_CPU, limits.cpu_seconds)) return fault;
  if (limits.memory_bytes > 0)
    if (const int fault = limit(RLIMIT_AS, limits.memory_bytes)) return fault;
  return 0;
}

/// Signals that this process blocks, ignores or handles are as usual in the new one.
void reset_signals() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < 32; ++signal)
    if (signal != SIGKILL && signal != SIGSTOP) ::sigaction(signal, &usual, nullptr);
}

/// The three descriptors to 0, 1, 2; each stands above them before.
int place_descriptors(const int (&descriptors)[3]) {
  for (int i = 0; i < 3; ++i)
    if (::dup2(descriptors[i], i) < 0) return errno;
  return ::syscall(SYS_close_range, 3U, ~0U, 0U) == 0 || errno == ENOSYS ? 0 : errno;
}

int become(const Prepared& prepared) {
  reset_signals();
  if (prepared.ends_with_thread)
    if (::setpgid(0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (prepared.folders != nullptr)
    if (const int fault = prepared.folders->bind_this_thread()) return fault;
  if (const int fault = place_descriptors(prepared.descriptors)) return fault;
  if (const int fault = set_limits(prepared.limits, prepared.writes_files)) return fault;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (prepared.filter != nullptr)
    if (const int fault = prepared.filter->bind_this_thread()) return fault;
  ::execve(prepared.program, prepared.words, prepared.environment);
  return errno;
}

// vfork, since a copy of the tables of a process with gigabytes takes tens of milliseconds. Between
// it and execve run system calls alone, with all signals blocked. A function of its own, so that no
// variable of a caller is in doubt afterwards.
[[gnu::noinline]] pid_t vforked(Prepared& prepared) {
  const pid_t id = ::vfork();
  if (id == 0) {
    prepared.fault = become(prepared);
    ::_exit(127);
  }
  return id;
}

pid_t started(Prepared& prepared) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t id = vforked(prepared);
  const int fault = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = fault;
  return id;
}

ChildEnd reaped(pid_t id) {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

Error not_started(const std::string& program, int fault) {
  return {.kind = ErrorKind::unavailable,
          .message = program + " cannot be started: " + std::strerror(fault)};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// A copy above the three standard ones, so that placing one does not cover another.
Descriptor above_standard(int descriptor, int flags) {
  if (descriptor >= 0) return Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
  const Descriptor null(::open("/dev/null", flags | O_CLOEXEC));
  return Descriptor(::fcntl(null.get(), F_DUPFD_CLOEXEC, 3));
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildParams& params) {
  const Descriptor input = above_standard(params.input, O_RDONLY);
  const Descriptor output = above_standard(params.output, O_WRONLY);
  const Descriptor errors = above_standard(params.errors, O_WRONLY);
  if (input.get() < 0 || output.get() < 0 || errors.get() < 0)
    return not_started(params.program, errno);
  const auto words = pointers(params.words), environment = pointers(params.environment);
  Prepared prepared{.program = params.program.c_str(),
                    .words = words.data(),
                    .environment = environment.data(),
                    .descriptors = {input.get(), output.get(), errors.get()},
                    .limits = params.limits,
                    .writes_files = params.writes_files,
                    .ends_with_thread = params.ends_with_thread,
                    .filter = params.filter,
                    .folders = params.folders};
  const pid_t id = started(prepared);
  if (id < 0) return not_started(params.program, errno);
  if (prepared.fault != no_fault) {
    reaped(id);
    return not_started(params.program, prepared.fault);
  }
  return ChildProcess(id, static_cast<int>(::syscall(SYS_pidfd_open, id, 0)),
                      params.ends_with_thread);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      handle_(std::move(other.handle_)),
      is_group_(other.is_group_),
      end_(other.end_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(handle_, other.handle_);
  std::swap(is_group_, other.is_group_);
  std::swap(end_, other.end_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (id_ < 0) return;
  kill();
  reaped(id_);
}

void ChildProcess::kill() const { ::kill(is_group_ ? -id_ : id_, SIGKILL); }

bool ChildProcess::has_ended() const {
  pollfd watched{.fd = handle_.get(), .events = POLLIN, .revents = 0};
  return id_ < 0 || ::poll(&watched, 1, 0) > 0;
}

ChildEnd ChildProcess::end(const Deadline& deadline) {
  if (id_ < 0) return end_;
  const Blocking blocking;
  constexpr std::int64_t look_ms = 50;  // at a stop of the deadline
  for (;;) {
    pollfd watched{.fd = handle_.get(), .events = POLLIN, .revents = 0};
    const auto wait_ms = static_cast<int>(std::min(deadline.remaining_ms(), look_ms));
    if (::poll(&watched, 1, wait_ms) > 0) break;
    if (deadline.passed()) {
      kill();
      break;
    }
  }
  end_ = reaped(std::exchange(id_, -1));
  return end_;
}

Result<std::string> own_program() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == sizeof path)
    return Error{.kind = ErrorKind::not_found,
                 .message = "the file of this program is not known: /proc is not there"};
  return std::string(path, static_cast<std::size_t>(length));
}

}  // namespace cairn::os
