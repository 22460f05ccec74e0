// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/json_scanner.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_open = 64;
constexpr std::size_t longest_number = 1024;

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_digit(text[at])) ++at;
  return at;
}

/// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  std::size_t end = digits_from(text, at);
  if (end == at || (text[at] == '0' && end > at + 1)) return false;
  at = end;
  if (at < text.size() && text[at] == '.') {
    end = digits_from(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    end = digits_from(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

}  // namespace

JsonScanner::Step JsonScanner::open(char bracket) {
  if (open_.size() == most_open) return Step::wrong;
  open_ += bracket;
  state_ = bracket == '[' ? State::first_value : State::first_name;
  return Step::more;
}

JsonScanner::Step JsonScanner::close(char bracket) {
  if (open_.empty() || open_.back() != (bracket == ']' ? '[' : '{')) return Step::wrong;
  open_.pop_back();
  state_ = State::after_value;
  return open_.empty() ? Step::whole : Step::more;
}

JsonScanner::Step JsonScanner::begin_value(char c) {
  if (c == '[' || c == '{') return open(c);
  if (open_.empty()) return Step::wrong;
  if (c == '"') {
    is_name_ = false;
    state_ = State::string;
  } else if (c == '-' || is_json_digit(c)) {
    number_ = c;
    state_ = State::number;
  } else if (c == 't' || c == 'f' || c == 'n') {
    literal_ = c == 't' ? "rue" : c == 'f' ? "alse" : "ull";
    state_ = State::literal;
  } else {
    return Step::wrong;
  }
  return Step::more;
}

JsonScanner::Step JsonScanner::in_string(char c) {
  if (state_ == State::escape) {
    hex_left_ = c == 'u' ? 4 : 0;
    if (c != 'u' && std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos)
      return Step::wrong;
    state_ = c == 'u' ? State::hex : State::string;
  } else if (state_ == State::hex) {
    const char letter = static_cast<char>(c | 0x20);
    if (!is_json_digit(c) && (letter < 'a' || letter > 'f')) return Step::wrong;
    if (--hex_left_ == 0) state_ = State::string;
  } else if (c == '\\') {
    state_ = State::escape;
  } else if (c == '"') {
    state_ = is_name_ ? State::colon : State::after_value;
  } else if (static_cast<unsigned char>(c) < 0x20) {
    return Step::wrong;
  }
  return Step::more;
}

JsonScanner::Step JsonScanner::in_number(char c) {
  if (is_json_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-') {
    number_ += c;
    return number_.size() > longest_number ? Step::wrong : Step::more;
  }
  if (!is_json_number(number_)) return Step::wrong;
  state_ = State::after_value;
  return outside(c);
}

JsonScanner::Step JsonScanner::outside(char c) {
  if (is_json_space(c)) return Step::more;
  if (c == ']' && (state_ == State::first_value || state_ == State::after_value)) return close(c);
  if (c == '}' &&
      (state_ == State::first_name || (state_ == State::after_value && open_.back() == '{')))
    return close(c);
  switch (state_) {
    case State::value:
    case State::first_value:
      return begin_value(c);
    case State::first_name:
    case State::name:
      is_name_ = true;
      state_ = State::string;
      return c == '"' ? Step::more : Step::wrong;
    case State::colon:
      state_ = State::value;
      return c == ':' ? Step::more : Step::wrong;
    default:
      state_ = open_.back() == '{' ? State::name : State::value;
      return c == ',' ? Step::more : Step::wrong;
  }
}

JsonScanner::Step JsonScanner::push(char c) {
  switch (state_) {
    case State::string:
    case State::escape:
    case State::hex:
      return in_string(c);
    case State::number:
      return in_number(c);
    case State::literal:
      if (c != literal_.front()) return Step::wrong;
      literal_.remove_prefix(1);
      if (literal_.empty()) state_ = State::after_value;
      return Step::more;
    default:
      return outside(c);
  }
}

}  // namespace cairn::inference
