// SPDX-License-Identifier: Apache-2.0
// A script as a tree.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "script/value.h"

namespace cairn::script {

enum class NodeKind : std::uint8_t {
  // expressions
  literal,     // `value`, or `text` where that is a text
  name,        // `text`
  unary,       // `text` is the operator
  binary,      // the same
  logic,       // && and ||
  ternary,     // condition, then, else
  elvis,       // value, other
  assign,      // target, value; `text`: "=", or "+" of "+="
  step,        // target; `text`: "+" or "-"; `flag`: before the target
  member,      // object; `text`; `flag`: null-safe
  index,       // object, key
  call,        // object, arguments; `text`; `flag`: null-safe
  function,    // arguments; `text`
  create,      // arguments; `text` is the type
  list,        // elements
  map,         // key, value, key, value
  cast,        // operand; `type`
  instance_of, // operand; `text` is the type
  // statements
  block,       // statements
  declare,     // value or nothing; `type`, `text`
  expression,  // one
  if_,         // condition, then, else or nothing
  while_,      // condition, body
  do_,         // body, condition
  for_,        // start, condition, step, body; each of the first three may be null
  for_each,    // list, body; `type`, `text`
  break_,
  continue_,
  return_,     // value or nothing
};

struct Node {
  NodeKind kind;
  std::uint32_t at = 0;     // its byte in the source
  std::uint16_t depth = 1;  // of the nodes below
  bool flag = false;
  bool assigns = false;  // something in it changes a variable
  Type type = Type::def;
  std::string_view text = {};
  std::string said = {};  // of a text that is a literal
  Value value = {};
  std::vector<Node*> kids = {};  // null where there is none
};

/// Owns its nodes: they are all gone at once, however deep they are.
struct Syntax {
  std::deque<Node> nodes = {};
  Node* root = nullptr;  // a block
};

}  // namespace cairn::script
