// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/text_stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "inference/errors.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_stops = 16;
constexpr std::size_t longest_stop = 256;
constexpr std::string_view cut_character = "\xef\xbf\xbd";  // U+FFFD
// So many characters may be cut in a row before they are taken for the model's own.
constexpr std::size_t most_cut = 8;
// So many tokens of the text before are decoded along.
constexpr std::size_t neighbours = 4;
constexpr std::size_t most_kept = 128;

/// Bytes of cut characters at the end of a text that further tokens may complete.
std::size_t uncertain_end(std::string_view text) {
  std::size_t size = 0;
  while (text.substr(0, text.size() - size).ends_with(cut_character)) size += cut_character.size();
  // Beginnings of one character are cut into at most three of these.
  return size <= most_cut * cut_character.size() ? size : 3 * cut_character.size();
}

/// The longest end of `text` with which `stop` begins, though it is not all of it.
std::size_t beginning_at_end(std::string_view text, std::string_view stop) {
  for (std::size_t size = std::min(text.size(), stop.size() - 1); size > 0; --size)
    if (text.substr(text.size() - size) == stop.substr(0, size)) return size;
  return 0;
}

}  // namespace

Result<StopFinder> StopFinder::make(std::vector<std::string> stops) {
  if (stops.size() > most_stops) return bad_request("[stop] may name at most 16 strings");
  for (const std::string& stop : stops) {
    if (stop.empty() || stop.size() > longest_stop)
      return bad_request("[stop] must have strings of 1 to 256 bytes");
  }
  StopFinder out;
  out.stops_ = std::move(stops);
  return out;
}

std::string StopFinder::push(std::string_view text) {
  if (found_) return {};
  held_ += text;
  // The one that ends first counts, so that the pieces in which the text comes do not matter.
  std::size_t first = std::string::npos;
  std::size_t end_of_first = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t at = held_.find(stop);
    if (at == std::string::npos || at + stop.size() > end_of_first) continue;
    first = at + stop.size() < end_of_first ? at : std::min(first, at);
    end_of_first = at + stop.size();
  }
  if (first != std::string::npos) {
    found_ = true;
    std::string out = held_.substr(0, first);
    held_.clear();
    return out;
  }
  std::size_t kept = 0;
  for (const std::string& stop : stops_) kept = std::max(kept, beginning_at_end(held_, stop));
  // A stop string may begin inside a character of the text, which is printed whole.
  std::size_t end = held_.size() - kept;
  while (end > 0 && end < held_.size() && (static_cast<unsigned char>(held_[end]) & 0xc0U) == 0x80U)
    --end;
  std::string out = held_.substr(0, end);
  held_.erase(0, end);
  return out;
}

std::string StopFinder::finish() { return std::exchange(held_, {}); }

std::string TextStream::decoded_from(std::size_t begin) const {
  return tokenizer_.decode(std::span(ids_).subspan(begin), true);
}

std::string TextStream::push(std::uint32_t id) {
  if (stopped() || tokenizer_.token(id).empty()) return {};
  if (tokenizer_.is_special(id)) return push_special(id);
  ids_.push_back(id);
  std::string fresh = unprinted();
  const std::size_t held = uncertain_end(fresh);
  fresh.resize(fresh.size() - held);
  printed_ += fresh;
  if (held == 0) whole_ = ids_.size();
  forget(held);
  return fresh.empty() ? fresh : stops_.push(fresh);
}

std::string TextStream::push_special(std::uint32_t id) {
  if (std::find(printed_special_.begin(), printed_special_.end(), id) == printed_special_.end())
    return {};
  const std::string fresh = unprinted() + std::string(tokenizer_.token(id));
  ids_.clear();
  whole_ = 0;
  printed_.clear();
  return stops_.push(fresh);
}

std::string TextStream::unprinted() {
  const std::string all = decoded_from(0);
  if (all.starts_with(printed_)) return all.substr(printed_.size());
  // A cut character has spoilt its neighbours: <0x..> tokens become text together.
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(whole_));
  whole_ = 0;
  printed_.clear();
  return decoded_from(0);
}

/// Keeps the neighbours of the next token. The last `held` bytes are not out.
void TextStream::forget(std::size_t held) {
  if (ids_.size() < (held == 0 ? 4 * neighbours : most_kept)) return;
  const std::size_t begin = ids_.size() - 2 * neighbours;
  std::string last = decoded_from(begin);
  const bool is_whole = !last.empty() && last.find(cut_character) == std::string::npos;
  if (!is_whole && ids_.size() < most_kept) return;
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(begin));
  whole_ = held == 0 ? ids_.size() : 0;
  last.resize(last.size() - std::min(held, last.size()));
  printed_ = std::move(last);
}

std::string TextStream::finish() {
  if (stopped()) return {};
  const std::string fresh = unprinted();
  printed_ += fresh;
  whole_ = ids_.size();
  std::string out = stops_.push(fresh);
  if (!stopped()) out += stops_.finish();
  return out;
}

}  // namespace cairn::inference
