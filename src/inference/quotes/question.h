// SPDX-License-Identifier: Apache-2.0
// What of a prompt is the question, and what the context that may answer it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inference/quotes/sentences.h"
#include "os/deadline.h"

namespace cairn::inference {

/// One message of a chat; a prompt without messages is one of a user.
struct SaidText {
  std::string role = {};  // system, developer, user, assistant, tool
  std::string content = {};
};

struct QuotePrompt {
  std::string question = {};
  std::vector<ContextText> context = {};  // what may be quoted, as it was said
};

/// The last text of a user is looked at, without a last line that says that the answer follows. Its
/// question is its end from a line that begins with "Question:" or "Query:", where no other
/// paragraph follows; else its last paragraph, or the first where only that one asks; of that
/// paragraph the last sentence that ends with a question mark. The context are all texts but those
/// of the assistant; of the user's what is before the question, from a line that begins with
/// "Context:" or the like on, and what is behind it. Takes time in proportion to the texts. Errors:
/// timeout, cancelled.
Result<QuotePrompt> quote_prompt_of(std::span<const SaidText> said, const os::Deadline& deadline);

}  // namespace cairn::inference
