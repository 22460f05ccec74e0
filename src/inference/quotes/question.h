// SPDX-License-Identifier: Apache-2.0
// What of a prompt is the question, and what the context that may answer it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::inference {

/// One message of a chat; a prompt without messages is one of a user.
struct SaidText {
  std::string role = {};  // system, developer, user, assistant, tool
  std::string content = {};
};

struct QuotePrompt {
  std::string question = {};
  std::vector<std::string> context = {};  // texts that may be quoted, in their order
};

/// The last text of a user is looked at. Its question is what follows the last line that begins
/// with "Question:" or "Query:", else its last paragraph, or the first where only that one asks; of
/// that paragraph the last sentence that ends with a question mark. The context are all texts but
/// those of the assistant, then the rest of the user's; where a line begins with "Context:", what
/// follows it. Takes time in proportion to the texts. Errors: timeout, cancelled.
Result<QuotePrompt> quote_prompt_of(std::span<const SaidText> said, const os::Deadline& deadline);

}  // namespace cairn::inference
