// SPDX-License-Identifier: Apache-2.0
#include "gate/limit_fields.h"

#include <charconv>
#include <cstring>

namespace cairn::gate {
namespace {

using ratelimit::RuleWeight;
using ratelimit::WindowState;

constexpr std::size_t name_bytes_max = 64;

/// Text put together without memory of its own: a name of up to 64 bytes, and two numbers.
class Piece {
 public:
  Piece& text(std::string_view text) {
    std::memcpy(text_ + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  Piece& number(std::int64_t number) {
    char* const at = text_ + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, text_ + sizeof text_, number).ptr - at);
    return *this;
  }
  operator std::string_view() const { return {text_, size_}; }  // NOLINT: it is one

 private:
  char text_[128];
  std::size_t size_ = 0;
};

}  // namespace

std::string policy_item(const WindowState& window, std::string_view name, std::string_view unit) {
  std::string out = "\"";
  (out += name.substr(0, name_bytes_max)) += "\";q=";
  (out += std::to_string(window.limit)) += ";w=";
  out += std::to_string(window.window_s);
  if (!unit.empty()) ((out += ";qu=\"") += unit) += '"';
  return out;
}

std::string limit_item(const WindowState& window, std::string_view name) {
  std::string out = "\"";
  (out += name.substr(0, name_bytes_max)) += "\";r=";
  (out += std::to_string(window.remaining)) += ";t=";
  return out += std::to_string(window.wait_s);
}

// Bytes are counted in KiB, for which the draft has no unit: both numbers are told in bytes.
RuleItems items_of(const std::vector<ratelimit::RuleCount>& counts) {
  RuleItems out;
  for (const auto& count : counts) {
    const bool bytes = count.rule->weight == RuleWeight::bytes;
    const std::uint64_t unit = bytes ? 1'024 : 1;
    const std::string name = ", \"" + count.rule->name + "\"";
    out.policies += name + ";q=" + std::to_string(count.window.limit * unit) +
                    ";w=" + std::to_string(count.window.window_s);
    if (bytes) out.policies += ";qu=\"content-bytes\"";
    out.limits += name + ";r=" + std::to_string(count.window.remaining * unit) +
                  ";t=" + std::to_string(count.window.wait_s);
  }
  return out;
}

void add_fields(net::HeadLines& lines, const WindowState& window, std::string_view resource,
                const RuleItems* items) {
  const std::string_view name = resource.substr(0, name_bytes_max);
  lines.add("x-ratelimit-limit", Piece().number(window.limit));
  lines.add("x-ratelimit-remaining", Piece().number(window.remaining));
  lines.add("x-ratelimit-used", Piece().number(window.used));
  lines.add("x-ratelimit-reset", Piece().number(window.reset_s));
  lines.add("x-ratelimit-resource", resource);
  Piece policy, limit;
  policy.text("\"")
      .text(name)
      .text("\";q=")
      .number(window.limit)
      .text(";w=")
      .number(window.window_s);
  limit.text("\"")
      .text(name)
      .text("\";r=")
      .number(window.remaining)
      .text(";t=")
      .number(window.wait_s);
  if (items == nullptr) [[likely]] {
    lines.add("ratelimit-policy", policy);
    lines.add("ratelimit", limit);
  } else {
    lines.add("ratelimit-policy", std::string(policy) + items->policies);
    lines.add("ratelimit", std::string(limit) + items->limits);
  }
}

}  // namespace cairn::gate
