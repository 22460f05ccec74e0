// SPDX-License-Identifier: Apache-2.0
// What a template is made of. For the two files of this language alone.
#pragma once

#include <string>
#include <vector>

#include "format/mustache.h"

namespace cairn {

struct Mustache::Node {
  enum class Kind {
    text,      // as it stands
    value,     // {{name}}
    raw,       // {{{name}}}, {{&name}}
    section,   // {{#name}}: for each, or where it is something
    inverted,  // {{^name}}: where it is nothing
    to_json,   // {{#toJson}}name{{/toJson}}
    join,      // {{#join}}name{{/join}}
    form       // {{#url}}…{{/url}}
  };
  Kind kind = Kind::section;
  std::string text = {};  // of `join` what stands between
  std::vector<std::string> path = {};  // the name, at its dots; empty: what is looked at now
  std::vector<Node> nodes = {};
};

/// script_exception.
Error mustache_error(std::string message);

}  // namespace cairn
