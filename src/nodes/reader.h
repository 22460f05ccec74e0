// SPDX-License-Identifier: Apache-2.0
// What a node that stands by can answer by itself.
#pragma once

#include "net/http/message.h"

namespace cairn::nodes {

/// Safe from any thread.
class Reader {
 public:
  virtual ~Reader() = default;
  /// Whether it may be able to answer such a request, which changes nothing. Must not block.
  virtual bool takes(const net::RequestHead& head) const = 0;
  /// Whether the client wants it asked first, whoever serves.
  virtual bool is_preferred(const net::RequestHead& head) const = 0;
  /// Answers from the store, as of a moment after the request came. False: it cannot, and the
  /// client has seen nothing of that.
  virtual bool answer(net::Exchange& exchange) = 0;
};

}  // namespace cairn::nodes
