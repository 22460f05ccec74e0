// SPDX-License-Identifier: Apache-2.0
#include "os/processes/system_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace cairn::os {
namespace {

constexpr std::uint32_t x32_bit = 0x40000000;
constexpr SystemCallRule no_code{.number = 0, .argument = 2, .mask = PROT_EXEC};

constexpr SystemCallRule computing[] = {
    {SYS_read},
    {SYS_write},
    {SYS_readv},
    {SYS_writev},
    {SYS_recvfrom},
    {SYS_sendto},
    {SYS_brk},
    {SYS_munmap},
    {SYS_mremap},
    {SYS_madvise},
    {SYS_futex},
    {SYS_clock_gettime},
    {SYS_gettimeofday},
    {SYS_time},
    {SYS_getrandom},
    {SYS_sched_yield},
    {SYS_setitimer},
    {SYS_rt_sigreturn},
    {SYS_rt_sigprocmask},
    {SYS_close},
    {SYS_restart_syscall},
    {SYS_exit},
    {SYS_exit_group},
    {SYS_getpid},
    {SYS_gettid},
    {SYS_fstat},
    {SYS_lseek},
    {SYS_getrusage},
    {SYS_poll},
    {SYS_mmap, no_code.argument, no_code.mask},
    {SYS_mprotect, no_code.argument, no_code.mask},
};

constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

// tgkill is how abort() ends a process.
constexpr SystemCallRule reading_program[] = {
    {SYS_read},
    {SYS_write},
    {SYS_readv},
    {SYS_writev},
    {SYS_pread64},
    {SYS_lseek},
    {SYS_close},
    {SYS_fstat},
    {SYS_stat},
    {SYS_lstat},
    {SYS_newfstatat},
    {SYS_statx},
    {SYS_access},
    {SYS_faccessat},
    {SYS_faccessat2},
    {SYS_readlink},
    {SYS_readlinkat},
    {SYS_getdents64},
    {SYS_getcwd},
    {SYS_brk},
    {SYS_mmap},
    {SYS_munmap},
    {SYS_mremap},
    {SYS_mprotect},
    {SYS_madvise},
    {SYS_futex},
    {SYS_clock_gettime},
    {SYS_gettimeofday},
    {SYS_time},
    {SYS_getrandom},
    {SYS_sched_yield},
    {SYS_rt_sigreturn},
    {SYS_rt_sigprocmask},
    {SYS_rt_sigaction},
    {SYS_sigaltstack},
    {SYS_restart_syscall},
    {SYS_exit},
    {SYS_exit_group},
    {SYS_getpid},
    {SYS_gettid},
    {SYS_getuid},
    {SYS_geteuid},
    {SYS_getgid},
    {SYS_getegid},
    {SYS_getrusage},
    {SYS_uname},
    {SYS_sysinfo},
    {SYS_arch_prctl},
    {SYS_set_tid_address},
    {SYS_set_robust_list},
    {SYS_rseq},
    {SYS_sched_getaffinity},
    {SYS_execve},
    {SYS_fadvise64},
    {SYS_tgkill},
    {SYS_dup},
    {SYS_ioctl},
    {SYS_open, 1, writing},
    {SYS_openat, 2, writing},
    {SYS_fcntl},
    {SYS_prlimit64, 2, 0xFFFFFFFF},  // to ask for limits, not to set them
};

constexpr std::size_t argument_offset(int argument) {
  return offsetof(seccomp_data, args) + static_cast<std::size_t>(argument) * 8;
}

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

/// Goes on with the next instruction where it holds, and else passes over `skipped` of them.
sock_filter holds(int condition, std::uint32_t value, std::size_t skipped) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | condition), value, 0,
                  static_cast<std::uint8_t>(skipped));
}

sock_filter holds_not(int condition, std::uint32_t value, std::size_t skipped) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | condition), value,
                  static_cast<std::uint8_t>(skipped), 0);
}

}  // namespace

SystemCallFilter::SystemCallFilter(std::span<const SystemCallRule> allowed, OtherCalls others) {
  const std::uint32_t refused = others == OtherCalls::end_process
                                    ? static_cast<std::uint32_t>(SECCOMP_RET_KILL_PROCESS)
                                    : static_cast<std::uint32_t>(SECCOMP_RET_ERRNO | EPERM);
  program_.push_back(load(offsetof(seccomp_data, arch)));
  program_.push_back(holds_not(BPF_JEQ, AUDIT_ARCH_X86_64, 1));
  program_.push_back(answer(SECCOMP_RET_KILL_PROCESS));
  program_.push_back(load(offsetof(seccomp_data, nr)));
  program_.push_back(holds(BPF_JGE, x32_bit, 1));
  program_.push_back(answer(SECCOMP_RET_KILL_PROCESS));
  for (const SystemCallRule& rule : allowed) {
    const auto number = static_cast<std::uint32_t>(rule.number);
    if (rule.argument < 0) {
      program_.push_back(holds(BPF_JEQ, number, 1));
      program_.push_back(answer(SECCOMP_RET_ALLOW));
      continue;
    }
    // Within the next four the call is the rule's, so an argument replaces the number.
    program_.push_back(holds(BPF_JEQ, number, 4));
    program_.push_back(load(argument_offset(rule.argument)));
    program_.push_back(holds(BPF_JSET, rule.mask, 1));
    program_.push_back(answer(refused));
    program_.push_back(answer(SECCOMP_RET_ALLOW));
  }
  program_.push_back(answer(refused));
}

SystemCallFilter::~SystemCallFilter() = default;

int SystemCallFilter::bind_this_thread() const {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const sock_fprog program{.len = static_cast<unsigned short>(program_.size()),
                           .filter = const_cast<sock_filter*>(program_.data())};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

std::span<const SystemCallRule> computing_calls() { return computing; }
std::span<const SystemCallRule> reading_program_calls() { return reading_program; }

}  // namespace cairn::os
