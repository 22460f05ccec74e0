// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/progress.h"

#include <algorithm>

#include "cli/objects/amounts.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t bar_every_ns = 100'000'000;
constexpr std::int64_t line_every_ns = 10'000'000'000;
constexpr std::string_view clear_line = "\r\x1b[K";
constexpr std::size_t bar_width = 24;

}  // namespace

Progress::Progress(ProgressStyle style, int columns, const os::Clock& clock)
    : style_(style),
      columns_(static_cast<std::size_t>(std::max(columns, 20))),
      clock_(clock),
      begun_ns_(clock.steady_ns()),
      drawn_ns_(begun_ns_) {}

void Progress::add_expected(std::uint64_t bytes) {
  bytes_expected_ += bytes;
  ++files_expected_;
}

void Progress::add_bytes(std::int64_t bytes) {
  bytes_done_ = std::max<std::int64_t>(bytes_done_ + bytes, 0);
}

std::string Progress::line() const {
  const auto done = static_cast<std::uint64_t>(bytes_done_);
  const std::string more = all_known_ ? "" : "+";  // more may be found yet
  std::string out = human_bytes(done);
  if (bytes_expected_ > 0) out += " of " + human_bytes(bytes_expected_) + more;
  const std::int64_t ns = clock_.steady_ns() - begun_ns_;
  const double rate = ns > 0 ? static_cast<double>(done) * 1e9 / static_cast<double>(ns) : 0;
  if (rate >= 1) out += "  " + human_bytes(static_cast<std::uint64_t>(rate)) + "/s";
  if (rate >= 1 && all_known_ && bytes_expected_ > done)
    out += "  " +
           human_seconds(static_cast<std::uint64_t>(
               static_cast<double>(bytes_expected_ - done) / rate + 0.5)) +
           " left";
  if (files_expected_ > 1 || !all_known_)
    out += "  " + std::to_string(files_done_) + " of " + std::to_string(files_expected_) + more +
           " files";
  if (bytes_expected_ == 0 || !all_known_) return out;
  const double part =
      std::min(1.0, static_cast<double>(done) / static_cast<double>(bytes_expected_));
  const auto filled = static_cast<std::size_t>(part * bar_width);
  return "[" + std::string(filled, '#') + std::string(bar_width - filled, '-') + "] " +
         std::to_string(static_cast<int>(part * 100)) + "%  " + out;
}

std::string Progress::next() {
  if (style_ == ProgressStyle::none) return {};
  const std::int64_t now = clock_.steady_ns();
  const bool bar = style_ == ProgressStyle::bar;
  if (now - drawn_ns_ < (bar ? bar_every_ns : line_every_ns)) return {};
  drawn_ns_ = now;
  if (!bar) return line() + "\n";
  drawn_ = true;
  return std::string(clear_line) + line().substr(0, columns_ - 1);
}

std::string Progress::clear() {
  if (!drawn_) return {};
  drawn_ = false;
  return std::string(clear_line);
}

}  // namespace cairn::cli
