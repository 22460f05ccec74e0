// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace cairn::cli {
namespace {

bool print_to(std::FILE* stream, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return std::fflush(stream) == 0 && written;
}

int columns_of_terminal() {
  winsize size{};
  constexpr int usual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

}  // namespace

Console system_console(std::function<void()> lost) {
  return {.out =
              [lost = std::move(lost)](std::string_view text) {
                if (!print_to(stdout, text)) lost();
              },
          .err = [](std::string_view text) { print_to(stderr, text); },
          .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
          .columns = columns_of_terminal()};
}

}  // namespace cairn::cli
