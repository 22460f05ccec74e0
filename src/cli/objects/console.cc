// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace cairn::cli {
namespace {

void print_to(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

int columns_of_terminal() {
  winsize size{};
  constexpr int usual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

}  // namespace

Console system_console() {
  return {.out = [](std::string_view text) { print_to(stdout, text); },
          .err = [](std::string_view text) { print_to(stderr, text); },
          .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
          .columns = columns_of_terminal()};
}

}  // namespace cairn::cli
