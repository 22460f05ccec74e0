// SPDX-License-Identifier: Apache-2.0
#include "index/query.h"

namespace cairn::index {

Query::Node::Node(const Node& other) = default;
Query::Node::Node(Node&& other) noexcept = default;
Query::Node& Query::Node::operator=(const Node& other) = default;
Query::Node& Query::Node::operator=(Node&& other) noexcept = default;
Query::Node::~Node() = default;

}  // namespace cairn::index
