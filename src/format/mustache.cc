// SPDX-License-Identifier: Apache-2.0
#include "format/mustache.h"

#include <charconv>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "base/strings.h"
#include "format/mustache_tree.h"

namespace cairn {
namespace {

using Node = Mustache::Node;

/// What is nothing leaves no text.
std::string text_in_place(const Json& value) { return value.is_null() ? "" : plain_text(value); }

/// As application/x-www-form-urlencoded writes it.
std::string form_text(std::string_view text) {
  std::string out;
  for (bool first = true; const auto word : split(text, ' ')) {
    if (!std::exchange(first, false)) out += '+';
    out += percent_encode(word, "*");
  }
  return out;
}

bool is_nothing(const Json* value) {
  if (value == nullptr || value->is_null()) return true;
  if (value->is_bool()) return !value->as_bool();
  if (value->is_string()) return value->as_string().empty();
  return value->is_array() && value->as_array().empty();
}

class Renderer {
 public:
  Renderer(MustacheEscape escape, const MustacheLimits& limits) : escape_(escape), limits_(limits) {}

  Status each(const std::vector<Node>& nodes, std::string& out) {
    for (const Node& node : nodes) {
      CAIRN_CHECK(take(1));
      CAIRN_CHECK(one(node, out));
      if (out.size() > limits_.output_bytes)
        return mustache_error("with its values it is longer than [" +
                              std::to_string(limits_.output_bytes) + "] bytes");
    }
    return ok_status();
  }

  std::vector<const Json*> scopes;

 private:
  Status take(std::uint64_t steps) {
    steps_ += steps;
    if (steps_ <= limits_.steps) return ok_status();
    return mustache_error("filling it in takes more than [" + std::to_string(limits_.steps) +
                          "] steps");
  }

  Status one(const Node& node, std::string& out) {
    using Kind = Node::Kind;
    if (node.kind == Kind::text) {
      out += node.text;
      return ok_status();
    }
    if (node.kind == Kind::form) {
      std::string inside;
      CAIRN_CHECK(each(node.nodes, inside));
      out += form_text(inside);
      return ok_status();
    }
    CAIRN_TRY(const Json* value, find(node.path));
    switch (node.kind) {
      case Kind::section: return section(node, value, out);
      case Kind::inverted: return is_nothing(value) ? each(node.nodes, out) : ok_status();
      case Kind::join: return join(node, value, out);
      default: break;
    }
    if (value == nullptr) return ok_status();
    CAIRN_TRY(const std::string text, text_of(node, *value));
    out += node.kind == Kind::value ? escaped(text) : text;
    return ok_status();
  }

  Result<std::string> text_of(const Node& node, const Json& value) {
    const bool whole = value.is_array() || value.is_object();
    std::string text = node.kind == Node::Kind::to_json && whole ? value.dump() : text_in_place(value);
    CAIRN_CHECK(take(text.size() / 16));
    return text;
  }

  std::string escaped(const std::string& text) const {
    if (escape_ == MustacheEscape::form) return form_text(text);
    if (escape_ == MustacheEscape::none) return text;
    std::string quoted;
    append_json_string(quoted, text);
    return quoted.substr(1, quoted.size() - 2);
  }

  Status section(const Node& node, const Json* value, std::string& out) {
    if (is_nothing(value)) return ok_status();
    if (!value->is_array()) return within(node, *value, out);
    for (const Json& element : value->as_array()) {
      CAIRN_CHECK(take(1));
      CAIRN_CHECK(within(node, element, out));
    }
    return ok_status();
  }

  Status within(const Node& node, const Json& value, std::string& out) {
    scopes.push_back(&value);
    const Status done = each(node.nodes, out);
    scopes.pop_back();
    return done;
  }

  Status join(const Node& node, const Json* value, std::string& out) {
    if (value == nullptr) return ok_status();
    if (!value->is_array()) {
      out += text_in_place(*value);
      return ok_status();
    }
    bool first = true;
    for (const Json& element : value->as_array()) {
      if (!std::exchange(first, false)) out += node.text;
      CAIRN_TRY(const std::string text, text_of(node, element));
      out += text;
      CAIRN_CHECK(take(1 + node.text.size() / 16));
    }
    return ok_status();
  }

  /// The innermost scope that has the first piece of a name is where the others are looked for.
  Result<const Json*> find(const std::vector<std::string>& path) {
    if (path.empty()) return scopes.back();
    const Json* found = nullptr;
    for (std::size_t i = scopes.size(); i > 0 && found == nullptr; --i) {
      CAIRN_TRY(found, member(*scopes[i - 1], path.front()));
    }
    for (std::size_t i = 1; i < path.size() && found != nullptr; ++i) {
      CAIRN_TRY(found, member(*found, path[i]));
    }
    return found;
  }

  /// Of a list its elements by their numbers, and its `size`.
  Result<const Json*> member(const Json& value, const std::string& name) {
    const Json* none = nullptr;
    CAIRN_CHECK(take(value.is_object() ? 1 + value.as_object().size() / 8 : 1));
    if (value.is_object()) return value.find(name);
    if (!value.is_array()) return none;
    const auto& elements = value.as_array();
    if (name == "size") {
      sizes_.push_back(std::make_unique<Json>(static_cast<std::uint64_t>(elements.size())));
      return sizes_.back().get();
    }
    std::size_t at = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), at);
    const bool is_index = read.ec == std::errc() && read.ptr == name.data() + name.size();
    return is_index && at < elements.size() ? &elements[at] : none;
  }

  MustacheEscape escape_;
  const MustacheLimits& limits_;
  std::uint64_t steps_ = 0;
  std::vector<std::unique_ptr<Json>> sizes_;  // of lists, while they are looked at
};

}  // namespace

Mustache::Mustache(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Mustache::~Mustache() = default;
Mustache::Mustache(Mustache&&) noexcept = default;
Mustache& Mustache::operator=(Mustache&&) noexcept = default;

Result<std::string> Mustache::render(const Json& values, MustacheEscape escape,
                                     const MustacheLimits& limits) const {
  Renderer renderer(escape, limits);
  renderer.scopes.push_back(&values);
  std::string out;
  CAIRN_CHECK(renderer.each(root_->nodes, out));
  return out;
}

}  // namespace cairn
