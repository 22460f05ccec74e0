// SPDX-License-Identifier: Apache-2.0
// Two buffers take turns as the old text and the new one.
#include "text/tokenizer/aligned.h"

namespace cairn::text::tokenizer {
namespace {

// The largest growth that Unicode knows is 11 times (U+FDFA by NFKC), and each byte of a byte-level
// tokenizer takes two at most.
constexpr std::size_t most_growth = 32;
constexpr std::size_t free_growth_bytes = 4096;
constexpr std::size_t kept_bytes = 1U << 20;

}  // namespace

void Aligned::reset(std::string_view part, std::size_t base, const Span* origins, bool tracked) {
  bytes_ = part;
  origins_ = origins;
  base_ = static_cast<std::uint32_t>(base);
  most_bytes_ = part.size() * most_growth + free_growth_bytes;
  tracked_ = tracked;
}

Span Aligned::origin(std::size_t byte) const {
  if (origins_ != nullptr) return origins_[byte];
  std::size_t begin = byte;
  while (begin > 0 && !starts_character(bytes_[begin])) --begin;
  std::size_t end = byte + 1;
  while (end < bytes_.size() && !starts_character(bytes_[end])) ++end;
  return span_of(base_ + begin, base_ + end);
}

void Aligned::shrink() {
  bytes_ = {};
  origins_ = nullptr;
  for (int i = 0; i < 2; ++i) {
    if (texts_[i].capacity() > kept_bytes) texts_[i] = {};
    if (tracks_[i].capacity() > kept_bytes) tracks_[i] = {};
  }
}

Rewrite::Rewrite(Aligned& text)
    : text_(text), out_(text.texts_[text.spare_]), origins_(text.tracks_[text.spare_]) {
  out_.clear();
  origins_.clear();
  out_.reserve(text.bytes().size() + 16);
}

void Rewrite::keep(std::size_t begin, std::size_t end) {
  out_.append(text_.bytes().substr(begin, end - begin));
  if (!text_.tracked()) return;
  if (text_.origins_ != nullptr) {
    origins_.insert(origins_.end(), text_.origins_ + begin, text_.origins_ + end);
    return;
  }
  for (std::size_t at = begin; at < end;) {
    const Span origin = text_.origin(at);
    const std::size_t next = std::min<std::size_t>(origin.end - text_.base_, end);
    origins_.insert(origins_.end(), next - at, origin);
    at = next;
  }
}

void Rewrite::put_after(UChar32 c, std::size_t from) {
  const std::size_t before = out_.size();
  append_character(out_, c);
  if (!text_.tracked()) return;
  origins_.insert(origins_.end(), out_.size() - before,
                  from == 0 ? start() : origin_or_base(from - 1));
}

void Rewrite::put_as(std::string_view characters, Span origin) {
  out_.append(characters);
  if (text_.tracked()) origins_.insert(origins_.end(), characters.size(), origin);
}

Status Rewrite::finish() {
  if (full()) {
    return Error{.kind = ErrorKind::too_large,
                 .message = "tokenizer: its normalizers make this text more than " +
                            std::to_string(most_growth) + " times as long"};
  }
  text_.bytes_ = out_;
  text_.origins_ = text_.tracked() ? origins_.data() : nullptr;
  text_.spare_ = 1 - text_.spare_;
  return ok_status();
}

Status rewrite(Aligned& text, const std::vector<Change>& changes, std::size_t gone) {
  const std::string_view old = text.bytes();
  Rewrite out(text);
  std::size_t at = 0;
  const auto skip = [&](std::size_t characters) {
    for (; characters > 0 && at < old.size(); --characters) next_character(old, at);
  };
  skip(gone);
  for (const auto& [c, change] : changes) {
    if (change > 0 || at >= old.size()) {
      out.put_after(c, at);
      continue;
    }
    out.put(c, at);
    skip(1 + static_cast<std::size_t>(-change));
  }
  return out.finish();
}

}  // namespace cairn::text::tokenizer
