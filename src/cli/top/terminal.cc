// SPDX-License-Identifier: Apache-2.0
// Sources: termios(3), console_codes(4).
#include "cli/top/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace cairn::cli {
namespace {

constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view leave_screen = "\x1b[?25h\x1b[?1049l";
constexpr int slice_ms = 100;  // between two looks whether to stop

}  // namespace

Terminal::Terminal(bool colours) : colours_(colours) {
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C stays a signal
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    has_keys_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
  }
  write(std::string(enter_screen));
}

Terminal::~Terminal() {
  write(std::string(leave_screen));
  if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

bool Terminal::write(const std::string& text) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

ScreenSize Terminal::size() const {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0)
    return {};
  return {.columns = window.ws_col, .rows = window.ws_row};
}

bool Terminal::draw(const std::vector<std::string>& lines) const {
  std::string frame = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) frame += "\n";
    const bool title = i == 0 || lines[i - 1].empty();
    if (title && colours_)
      frame += "\x1b[1m" + lines[i] + "\x1b[0m";
    else
      frame += lines[i];
    frame += "\x1b[K";  // what an earlier frame had behind it
  }
  return write(frame + "\x1b[J");
}

char Terminal::key(const os::Deadline& deadline) const {
  while (!deadline.passed()) {
    const int wait = static_cast<int>(std::min<std::int64_t>(slice_ms, deadline.remaining_ms()));
    if (!has_keys_) {
      os::sleep_ms(wait, deadline);
      continue;
    }
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, wait) <= 0) continue;
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) == 1) return c;
    os::sleep_ms(wait, deadline);  // the terminal is gone
  }
  return 0;
}

}  // namespace cairn::cli
