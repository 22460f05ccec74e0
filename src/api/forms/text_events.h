// SPDX-License-Identifier: Apache-2.0
// Texts of models as streams of events, while they are made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/call.h"
#include "inference/text_answer.h"
#include "os/deadline.h"

namespace cairn::api {

/// How one interface words its events.
struct TextEvents {
  std::string event = {};  // the name of each event; empty: none
  /// The events of a piece, in order.
  std::function<std::vector<std::string>(const inference::TextPiece& piece)> of = {};
  /// The events behind the last piece, before "[DONE]".
  std::function<std::vector<std::string>()> last = {};
  /// The event of an error that comes when the reply has begun.
  std::function<std::string(const Error& error)> error = {};
  std::string error_event = {};  // its name
};

/// Sends the pieces as they come, a comment where none comes for a while. An error before the first
/// piece is given back and nothing was sent; later it is the stream's last event. Blocks until the
/// texts are over, the deadline comes, or the client leaves.
Result<Reply> stream_text(Call& call, inference::TextAnswer& answer, const os::Deadline& deadline,
                          const TextEvents& events);

}  // namespace cairn::api
