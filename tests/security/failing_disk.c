// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: while the file named by FAILING_DISK_SWITCH holds a number, every change
// below FAILING_DISK_FOLDER fails with that errno, as on a disk that went read-only or broke. Reads
// go on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int real_open(const char* path, int flags, mode_t mode) {
  static int (*next)(const char*, int, ...);
  if (!next) next = dlsym(RTLD_NEXT, "open64");
  return next(path, flags, mode);
}

/// The errno that changes fail with now; 0: none.
static int fault(void) {
  const char* const name = getenv("FAILING_DISK_SWITCH");
  if (!name) return 0;
  const int kept = errno;
  const int fd = real_open(name, O_RDONLY | O_CLOEXEC, 0);
  char text[16] = "";
  if (fd >= 0) {
    if (read(fd, text, sizeof text - 1) < 0) text[0] = 0;
    close(fd);
  }
  errno = kept;
  return atoi(text);
}

static int is_below(const char* path) {
  const char* const folder = getenv("FAILING_DISK_FOLDER");
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_ours(int fd) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return is_below(path);
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(condition) \
  do { \
    const int number = fault(); \
    if (number && (condition)) { \
      errno = number; \
      return -1; \
    } \
  } while (0)

static int changes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

#define OPEN(name, at_parameter, at_argument, at) \
  int name(at_parameter const char* path, int flags, ...) { \
    va_list more; \
    va_start(more, flags); \
    const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    NEXT(name); \
    FAIL_IF(changes(flags) && (is_below(path) || is_ours(at))); \
    return next(at_argument path, flags, mode); \
  }
#define NOTHING
#define FOLDER int folder,
#define GIVEN folder,
OPEN(open, NOTHING, NOTHING, -1)
OPEN(open64, NOTHING, NOTHING, -1)
OPEN(openat, FOLDER, GIVEN, folder)
OPEN(openat64, FOLDER, GIVEN, folder)

#define OF_FILE(type, name, parameters, arguments) \
  type name parameters { \
    NEXT(name); \
    FAIL_IF(is_ours(fd)); \
    return next arguments; \
  }
OF_FILE(ssize_t, write, (int fd, const void* bytes, size_t count), (fd, bytes, count))
OF_FILE(ssize_t, writev, (int fd, const struct iovec* parts, int count), (fd, parts, count))
OF_FILE(ssize_t, pwrite, (int fd, const void* bytes, size_t count, off_t at),
        (fd, bytes, count, at))
OF_FILE(ssize_t, pwrite64, (int fd, const void* bytes, size_t count, off64_t at),
        (fd, bytes, count, at))
OF_FILE(ssize_t, pwritev, (int fd, const struct iovec* parts, int count, off_t at),
        (fd, parts, count, at))
OF_FILE(ssize_t, pwritev64, (int fd, const struct iovec* parts, int count, off64_t at),
        (fd, parts, count, at))
OF_FILE(int, fsync, (int fd), (fd))
OF_FILE(int, fdatasync, (int fd), (fd))
OF_FILE(int, ftruncate, (int fd, off_t size), (fd, size))
OF_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size))
OF_FILE(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
OF_FILE(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))

#define OF_PATH(name, parameters, arguments, condition) \
  int name parameters { \
    NEXT(name); \
    FAIL_IF(condition); \
    return next arguments; \
  }
OF_PATH(rename, (const char* from, const char* to), (from, to), is_below(from) || is_below(to))
OF_PATH(renameat, (int a, const char* from, int b, const char* to), (a, from, b, to),
        is_below(from) || is_ours(a))
OF_PATH(link, (const char* from, const char* to), (from, to), is_below(to))
OF_PATH(unlink, (const char* path), (path), is_below(path))
OF_PATH(unlinkat, (int folder, const char* path, int flags), (folder, path, flags),
        is_below(path) || is_ours(folder))
OF_PATH(mkdir, (const char* path, mode_t mode), (path, mode), is_below(path))
OF_PATH(rmdir, (const char* path), (path), is_below(path))
