// SPDX-License-Identifier: Apache-2.0
// Source: the manual page mustache(5), and docs/reference/search-templates.md.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "format/mustache_tree.h"

namespace cairn {
namespace {

using Node = Mustache::Node;
constexpr std::string_view blanks = " \t";

struct Tag {
  char kind = 0;  // 0: a value
  std::string_view name = {};
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A section that is open.
struct Open {
  Node node;
  std::string_view name;
  std::size_t begin = 0;
};

std::vector<std::string> path_of(std::string_view name) {
  std::vector<std::string> out;
  if (name == ".") return out;
  for (const auto piece : split(name, '.')) out.emplace_back(piece);
  return out;
}

/// What stands between the quotes of join delimiter='…'.
std::optional<std::string> delimiter_of(std::string_view name) {
  constexpr std::string_view begin = "join delimiter='";
  if (name.size() <= begin.size() || !equals_ignore_case(name.substr(0, begin.size()), begin) ||
      name.back() != '\'')
    return std::nullopt;
  return std::string(name.substr(begin.size(), name.size() - begin.size() - 1));
}

class Parser {
 public:
  Parser(std::string_view text, const MustacheLimits& limits) : text_(text), limits_(limits) {}

  Result<Node> run() {
    open_.push_back({.node = {.kind = Node::Kind::section}, .name = {}});
    while (at_ < text_.size()) {
      const std::size_t begin = text_.find(open_mark_, at_);
      add_text(text_.substr(at_, begin - at_));
      if (begin == std::string_view::npos) break;
      CAIRN_TRY(const Tag tag, read_tag(begin));
      at_ = tag.end;
      if (tag.kind != 0 && tag.kind != '&' && tag.kind != '{') take_line(tag);
      CAIRN_CHECK(take(tag));
    }
    if (open_.size() > 1)
      return fault(open_.back().begin,
                   "the section [" + std::string(open_.back().name) + "] is not closed");
    return std::move(open_.back().node);
  }

 private:
  Error fault(std::size_t at, const std::string& what) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == std::string_view::npos ? at + 1 : at - last;
    return mustache_error("[" + std::to_string(line) + ":" + std::to_string(column) + "] " + what);
  }

  Result<Tag> read_tag(std::size_t begin) const {
    Tag tag{.begin = begin};
    std::size_t at = begin + open_mark_.size();
    std::string close(close_mark_);
    if (at < text_.size() && std::string_view("#^/!&={><$").find(text_[at]) != std::string_view::npos)
      tag.kind = text_[at++];
    if (tag.kind == '{') close.insert(0, "}");
    if (tag.kind == '=') close.insert(0, "=");
    const std::size_t end = text_.find(close, at);
    if (end == std::string_view::npos)
      return fault(begin, "a tag is not closed: [" + close + "] is missing");
    tag.name = trim(text_.substr(at, end - at));
    tag.end = end + close.size();
    return tag;
  }

  /// A line with nothing but such a tag leaves no line behind.
  void take_line(const Tag& tag) {
    std::size_t begin = tag.begin, end = tag.end;
    while (begin > 0 && blanks.find(text_[begin - 1]) != std::string_view::npos) --begin;
    if (begin > 0 && text_[begin - 1] != '\n') return;
    while (end < text_.size() && blanks.find(text_[end]) != std::string_view::npos) ++end;
    if (text_.substr(end, 2) == "\r\n")
      end += 2;
    else if (end < text_.size() && text_[end] == '\n')
      ++end;
    else if (end < text_.size())
      return;
    auto& nodes = open_.back().node.nodes;
    if (begin < tag.begin && !nodes.empty() && nodes.back().kind == Node::Kind::text)
      nodes.back().text.resize(nodes.back().text.size() - (tag.begin - begin));
    at_ = end;
  }

  void add_text(std::string_view text) {
    if (!text.empty())
      open_.back().node.nodes.push_back({.kind = Node::Kind::text, .text = std::string(text)});
  }

  Status take(const Tag& tag) {
    if (tag.kind == '!') return ok_status();
    if (tag.kind == '=') return take_marks(tag);
    if (tag.kind == '>' || tag.kind == '<' || tag.kind == '$')
      return fault(tag.begin, "other templates cannot be included: [" + std::string(tag.name) + "]");
    if (tag.name.empty()) return fault(tag.begin, "a tag has no name");
    if (tag.kind == '/') return close(tag);
    if (tag.kind == '#' || tag.kind == '^') return open(tag);
    const bool raw = tag.kind == '&' || tag.kind == '{';
    open_.back().node.nodes.push_back(
        {.kind = raw ? Node::Kind::raw : Node::Kind::value, .path = path_of(tag.name)});
    return ok_status();
  }

  Status open(const Tag& tag) {
    if (open_.size() > limits_.depth)
      return fault(tag.begin, "there are more than [" + std::to_string(limits_.depth) +
                                  "] sections within each other");
    Node node{.kind = Node::Kind::section};
    if (tag.kind == '^') {
      node.kind = Node::Kind::inverted;
      node.path = path_of(tag.name);
    } else if (equals_ignore_case(tag.name, "toJson")) {
      node.kind = Node::Kind::to_json;
    } else if (equals_ignore_case(tag.name, "url")) {
      node.kind = Node::Kind::form;
    } else if (equals_ignore_case(tag.name, "join")) {
      node = {.kind = Node::Kind::join, .text = ","};
    } else if (auto delimiter = delimiter_of(tag.name)) {
      node = {.kind = Node::Kind::join, .text = std::move(*delimiter)};
    } else {
      node.path = path_of(tag.name);
    }
    open_.push_back({.node = std::move(node), .name = tag.name, .begin = tag.begin});
    return ok_status();
  }

  Status close(const Tag& tag) {
    if (open_.size() == 1)
      return fault(tag.begin, "[" + std::string(tag.name) + "] is closed, but no section is open");
    Open done = std::move(open_.back());
    if (done.name != tag.name)
      return fault(tag.begin, "[" + std::string(tag.name) + "] is closed, but the section [" +
                                  std::string(done.name) + "] is open");
    open_.pop_back();
    const bool of_name =
        done.node.kind == Node::Kind::to_json || done.node.kind == Node::Kind::join;
    if (of_name) CAIRN_CHECK(take_name(done));
    open_.back().node.nodes.push_back(std::move(done.node));
    return ok_status();
  }

  /// Functions of a value hold its name alone.
  Status take_name(Open& done) const {
    auto& nodes = done.node.nodes;
    const std::string_view name =
        nodes.size() == 1 && nodes.front().kind == Node::Kind::text ? trim(nodes.front().text) : "";
    if (name.empty())
      return fault(done.begin, "Mustache function [" + std::string(done.name) +
                                   "] must contain one and only one identifier");
    done.node.path = path_of(name);
    nodes.clear();
    return ok_status();
  }

  /// {{=<% %>=}}
  Status take_marks(const Tag& tag) {
    const std::size_t gap = tag.name.find_first_of(blanks);
    const std::string_view first = tag.name.substr(0, gap);
    const std::string_view second =
        gap == std::string_view::npos ? "" : trim(tag.name.substr(gap));
    if (first.empty() || second.empty() || second.find_first_of(blanks) != std::string_view::npos ||
        first.find('=') != std::string_view::npos || second.find('=') != std::string_view::npos)
      return fault(tag.begin, "new delimiters are two, with a space between and no [=]");
    open_mark_ = first;
    close_mark_ = second;
    return ok_status();
  }

  std::string_view text_;
  const MustacheLimits& limits_;
  std::size_t at_ = 0;
  std::string_view open_mark_ = "{{";
  std::string_view close_mark_ = "}}";
  std::vector<Open> open_;
};

}  // namespace

Error mustache_error(std::string message) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "script_exception",
          .message = "the template cannot be used: " + std::move(message)};
}

Result<Mustache> Mustache::parse(std::string_view text, const MustacheLimits& limits) {
  CAIRN_TRY(Node root, Parser(text, limits).run());
  return Mustache(std::make_unique<Node>(std::move(root)));
}

}  // namespace cairn
