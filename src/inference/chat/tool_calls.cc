// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/tool_calls.h"

#include <optional>
#include <utility>

#include "format/json.h"

namespace cairn::inference {
namespace {

constexpr std::string_view hermes_end = "</tool_call>";
constexpr std::size_t longest_tool_name = 256;

bool is_call_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool spells(std::string_view source, std::string_view part) {
  return source.find(part) != std::string_view::npos;
}

/// Goes through the members or elements of an array or object that is valid JSON.
class JsonParts {
 public:
  explicit JsonParts(std::string_view json) : json_(json) {
    skip_space();
    ++at_;
  }

  /// The text of the next name or value; empty at the end.
  std::string_view next() {
    skip_space();
    while (at_ < json_.size() && (json_[at_] == ',' || json_[at_] == ':')) {
      ++at_;
      skip_space();
    }
    const std::size_t begin = at_;
    int open = 0;
    do {
      const char c = at_ < json_.size() ? json_[at_] : ']';
      if (c == '"') {
        skip_string();
        if (open == 0) return json_.substr(begin, at_ - begin);
        continue;
      }
      const bool ends = c == ']' || c == '}';
      if (open == 0 && (ends || c == ',' || is_call_space(c)))
        return json_.substr(begin, at_ - begin);
      if (c == '[' || c == '{') ++open;
      if (ends) --open;
      ++at_;
      if (ends && open == 0) return json_.substr(begin, at_ - begin);
    } while (true);
  }

 private:
  void skip_space() {
    while (at_ < json_.size() && is_call_space(json_[at_])) ++at_;
  }
  void skip_string() {
    for (++at_; at_ < json_.size() && json_[at_] != '"'; ++at_)
      if (json_[at_] == '\\') ++at_;
    ++at_;
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

/// The text of a member's value; of members with one name the last. Empty where there is none.
std::string_view member_text(std::string_view object, std::string_view wanted) {
  std::string_view out;
  JsonParts parts(object);
  for (std::string_view name = parts.next(); !name.empty(); name = parts.next()) {
    const std::string_view value = parts.next();
    const auto read = parse_json(name);
    if (read.ok() && read->is_string() && read->as_string() == wanted) out = value;
  }
  return out;
}

/// A call, without an id; nothing where the JSON object says none.
std::optional<ToolCall> read_call(std::string_view object, ToolCallFormat format) {
  const auto json = parse_json(object);
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const Json* const name = json->find("name");
  if (name == nullptr || !name->is_string() || name->as_string().empty() ||
      name->as_string().size() > longest_tool_name)
    return std::nullopt;
  const bool by_parameters =
      format == ToolCallFormat::llama3 && json->find("parameters") != nullptr;
  const std::string_view member = by_parameters ? "parameters" : "arguments";
  const Json* const arguments = json->find(member);
  ToolCall out{.id = {}, .name = name->as_string(), .arguments = "{}"};
  // Without arguments the object may be an answer of the model, if no mark says what it is.
  if (arguments == nullptr && format == ToolCallFormat::llama3) return std::nullopt;
  if (arguments == nullptr) return out;
  if (!arguments->is_object()) return std::nullopt;
  out.arguments = member_text(object, member);
  return out;
}

std::string new_call_id(os::Random& random, ToolCallFormat format) {
  constexpr std::string_view signs =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const bool is_short = format == ToolCallFormat::mistral;
  std::string out = is_short ? "" : "call_";
  for (int i = 0; i < (is_short ? 9 : 24); ++i) out += signs[random.below(signs.size())];
  return out;
}

}  // namespace

ToolCallFormat tool_call_format(std::string_view template_source) {
  if (spells(template_source, "<tool_call>")) return ToolCallFormat::hermes;
  if (spells(template_source, "[TOOL_CALLS]")) return ToolCallFormat::mistral;
  const bool of_llama =
      spells(template_source, "<|start_header_id|>") && spells(template_source, "\"parameters\": ");
  if (of_llama || spells(template_source, "<|python_tag|>")) return ToolCallFormat::llama3;
  return ToolCallFormat::none;
}

std::string_view tool_call_marker(ToolCallFormat format) {
  switch (format) {
    case ToolCallFormat::hermes:
      return "<tool_call>";
    case ToolCallFormat::mistral:
      return "[TOOL_CALLS]";
    case ToolCallFormat::llama3:
      return "<|python_tag|>";
    case ToolCallFormat::none:
      break;
  }
  return {};
}

ToolCallParser::ToolCallParser(ToolCallFormat format, os::Random& random, ToolCallLimits limits)
    : format_(format), random_(random), limits_(limits), marker_(tool_call_marker(format)) {
  if (format_ == ToolCallFormat::llama3) state_ = State::opening;
}

ToolCallPiece ToolCallParser::push(std::string_view text) {
  if (format_ == ToolCallFormat::none) return {.content = std::string(text), .calls = {}};
  for (const char c : text) take(c);
  return std::exchange(out_, {});
}

ToolCallPiece ToolCallParser::finish() {
  const bool ends_a_call =
      state_ == State::closing || (state_ == State::repeated && is_alone_ && !separated_);
  const bool is_space = matched_ == 0 && (state_ == State::text || state_ == State::repeated);
  if (ends_a_call) {
    accept();
  } else if (!is_space || !follows_call_ || separated_) {
    release();
  }
  held_.clear();
  state_ = State::text;
  return std::exchange(out_, {});
}

void ToolCallParser::take(char c) {
  switch (state_) {
    case State::opening:
      if (c != '{' && !is_call_space(c)) {
        state_ = State::text;
        return take_text(c);
      }
      is_alone_ = true;
      return take_before(c);
    case State::text:
      return take_text(c);
    case State::before:
      return take_before(c);
    case State::json:
      return take_json(c);
    case State::closing:
      return take_closing(c);
    case State::repeated:
      return take_repeated(c);
  }
}

void ToolCallParser::take_text(char c) {
  if (matched_ > 0 && c != marker_[matched_]) release();
  if (c == marker_[matched_]) {
    held_ += c;
    if (++matched_ < marker_.size()) return;
    matched_ = 0;
    is_alone_ = false;
    state_ = made_ + pending_.size() < limits_.calls ? State::before : State::text;
    if (state_ == State::text) release();
    return;
  }
  if (is_call_space(c) && held_.size() < limits_.held_bytes) {
    held_ += c;
    return;
  }
  release();
  out_.content += c;
  follows_call_ = false;
}

void ToolCallParser::take_before(char c) {
  if (held_.size() >= limits_.held_bytes) return give_up(c);
  if (is_call_space(c)) {
    held_ += c;
    return;
  }
  if (c != (format_ == ToolCallFormat::mistral ? '[' : '{')) return give_up(c);
  json_.clear();
  scanner_ = {};
  state_ = State::json;
  take_json(c);
}

void ToolCallParser::take_json(char c) {
  if (held_.size() >= limits_.held_bytes) return give_up(c);
  const JsonScanner::Step step = scanner_.push(c);
  if (step == JsonScanner::Step::wrong) return give_up(c);
  held_ += c;
  json_ += c;
  if (step == JsonScanner::Step::more) return;
  if (!read_calls()) {
    release();
    state_ = State::text;
    return;
  }
  separated_ = false;
  if (format_ == ToolCallFormat::hermes) {
    state_ = State::closing;
    return;
  }
  if (!is_alone_) accept();
  state_ = format_ == ToolCallFormat::llama3 ? State::repeated : State::text;
}

void ToolCallParser::take_closing(char c) {
  if (held_.size() >= limits_.held_bytes) return give_up(c);
  const bool is_space_before = matched_ == 0 && is_call_space(c);
  if (!is_space_before && c != hermes_end[matched_]) return give_up(c);
  held_ += c;
  if (is_space_before || ++matched_ < hermes_end.size()) return;
  accept();
  state_ = State::text;
}

void ToolCallParser::take_repeated(char c) {
  if (held_.size() >= limits_.held_bytes) return give_up(c);
  if (is_call_space(c) || (c == ';' && !separated_)) {
    held_ += c;
    separated_ = separated_ || c == ';';
    return;
  }
  if (c != '{' || !separated_ || made_ + pending_.size() >= limits_.calls) return give_up(c);
  take_before(c);
}

void ToolCallParser::give_up(char c) {
  release();
  state_ = State::text;
  take_text(c);
}

void ToolCallParser::release() {
  if (!held_.empty()) follows_call_ = false;
  separated_ = false;
  out_.content += held_;
  held_.clear();
  matched_ = 0;
  pending_.clear();
}

void ToolCallParser::accept() {
  made_ += pending_.size();
  for (ToolCall& call : pending_) {
    call.id = new_call_id(random_, format_);
    out_.calls.push_back(std::move(call));
  }
  pending_.clear();
  held_.clear();
  matched_ = 0;
  follows_call_ = true;
}

bool ToolCallParser::read_calls() {
  if (format_ != ToolCallFormat::mistral) {
    auto call = read_call(json_, format_);
    if (call) pending_.push_back(std::move(*call));
    return call.has_value();
  }
  JsonParts parts(json_);
  for (std::string_view one = parts.next(); !one.empty(); one = parts.next()) {
    auto call = read_call(one, format_);
    if (!call || made_ + pending_.size() >= limits_.calls) return false;
    pending_.push_back(std::move(*call));
  }
  return !pending_.empty();
}

}  // namespace cairn::inference
