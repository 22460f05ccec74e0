// SPDX-License-Identifier: Apache-2.0
// What nodes say to each other of models: what is read is written as it was read, and an answer has
// one result for each input. The first byte says what it is.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inference/placement/node_calls.h"

namespace {

using namespace cairn::inference;

void read_answer(std::string_view bytes, TaskType task) {
  const auto answer = decode_answer(bytes, task, 2);
  if (!answer.ok()) return;
  for (const auto& vector : answer->result.dense)
    for (const float number : vector)
      if (!std::isfinite(number)) std::abort();
  const auto again = decode_answer(encode(*answer), task, 2);
  if (!again.ok() || again->result.dense != answer->result.dense) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'r') {
    const auto call = RunCall::decode(bytes);
    if (call.ok() && !RunCall::decode(call->encode()).ok()) std::abort();
  } else if (data[0] == 'p') {
    const auto call = PlaceCall::decode(bytes);
    if (call.ok() && !PlaceCall::decode(call->encode()).ok()) std::abort();
  } else if (data[0] == 's') {
    const auto answer = PlaceAnswer::decode(bytes);
    if (answer.ok() && !PlaceAnswer::decode(answer->encode()).ok()) std::abort();
  } else {
    for (const TaskType task : {TaskType::text_embedding, TaskType::sparse_embedding,
                                TaskType::rerank, TaskType::chat_completion})
      read_answer(bytes, task);
  }
  return 0;
}
