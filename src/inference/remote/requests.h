// SPDX-License-Identifier: Apache-2.0
// The bodies of requests to other servers, as their own interfaces describe them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "inference/endpoint.h"
#include "inference/text_call.h"

namespace cairn::inference {

/// Inputs that one request of the endpoint's service takes.
std::size_t inputs_per_request(const Endpoint& endpoint);

std::string vectors_request(const Endpoint& endpoint, std::span<const std::string> inputs,
                            InputType type);
std::string scores_request(const Endpoint& endpoint, const std::string& query,
                           std::span<const std::string> documents);
/// A chat that is streamed. Errors: invalid_argument for what a remote model cannot be asked.
Result<std::string> chat_request(const Endpoint& endpoint, const TextCall& call);

/// The beginning of a text that has at most so many tokens, three characters each; the text itself
/// where there is no limit.
std::string_view cut_to_tokens(std::string_view text, std::optional<std::int64_t> most_tokens);

}  // namespace cairn::inference
