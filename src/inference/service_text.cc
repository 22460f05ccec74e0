// SPDX-License-Identifier: Apache-2.0
// Completions and chats: from a call to texts that are on their way.
#include <algorithm>
#include <new>
#include <utility>

#include "inference/decoder_answer.h"
#include "inference/endpoint_metrics.h"
#include "inference/errors.h"
#include "inference/generation/prompt.h"
#include "inference/quoted_answer.h"
#include "inference/quotes/quotation.h"
#include "inference/service_impl.h"
#include "os/random.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_choices = 16;
constexpr std::size_t most_quoted_bytes = 512 << 10;  // of a prompt; 0.1 s of a core, 1 at worst

/// A prompt that a thread of the pool makes while the caller's waits.
struct PromptWork {
  TextPrompt prompt;  // of the pool's thread, until there are ids
  Mutex mutex;
  std::condition_variable_any changed;
  std::optional<Result<std::vector<std::uint32_t>>> ids CAIRN_GUARDED_BY(mutex);
  std::int64_t cpu_ns CAIRN_GUARDED_BY(mutex) = 0;
};

/// What a client sends may be more than there is memory for.
Result<std::vector<std::uint32_t>> safe_prompt(const Model& model, TextPrompt prompt,
                                               std::int64_t now_s, const os::Deadline& deadline) {
  try {
    return prompt_of(*model.texts(), std::move(prompt), model.max_input_tokens(), now_s, deadline);
  } catch (const std::bad_alloc&) {
    return Error{.kind = ErrorKind::rate_limited,
                 .message = "there is not enough memory for the prompt"};
  }
}

/// Templates and tokenizers compute in proportion to what a client sends: in the pool.
Result<std::vector<std::uint32_t>> prompt_in_pool(os::Pool& pool, const TextAllocation& allocation,
                                                  TextPrompt prompt, std::int64_t now_s,
                                                  const os::Deadline& deadline) {
  const auto work = std::make_shared<PromptWork>();
  work->prompt = std::move(prompt);
  CAIRN_CHECK(pool.submit([work, model = allocation.shared_model(), now_s, deadline] {
    const std::int64_t begun_ns = os::thread_cpu_ns();
    auto ids = safe_prompt(*model, std::move(work->prompt), now_s, deadline);
    const MutexLock lock(work->mutex);
    work->cpu_ns = os::thread_cpu_ns() - begun_ns;
    work->ids = std::move(ids);
    work->changed.notify_all();
  }));
  const os::Blocking blocking;
  MutexLock lock(work->mutex);
  const bool done = os::wait(work->changed, lock, deadline,
                             [&]() CAIRN_REQUIRES(work->mutex) { return work->ids.has_value(); });
  os::charge_pool_cpu(work->cpu_ns);
  if (!done) return deadline.check("making the prompt").error();
  return *std::move(work->ids);
}

/// What a model that quotes looks at, which is bounded before the work.
Result<std::vector<SaidText>> said_in(TextPrompt prompt, const std::string& model_name) {
  std::vector<SaidText> out;
  if (prompt.messages.is_array()) {
    for (const Json& message : prompt.messages.as_array())
      out.push_back({message.string_or("role"), message.string_or("content")});
  } else {
    out.push_back({"user", std::move(prompt.text)});
  }
  std::size_t bytes = 0;
  for (const SaidText& one : out) bytes += one.content.size();
  if (bytes <= most_quoted_bytes) return out;
  return Error{.kind = ErrorKind::too_large,
               .message = "the prompt has [" + std::to_string(bytes) + "] bytes; [" + model_name +
                          "] takes [" + std::to_string(most_quoted_bytes) + "]"};
}

/// How tokens are drawn changes nothing, but what is wrong there is said; and what would have to
/// be told or obeyed of it is refused.
Status check_quotable(const SamplingParams& params, const std::string& model_name) {
  CAIRN_CHECK(params.over(SamplingOptions(), 0));
  if (params.logprobs || params.top_logprobs > 0)
    return bad_request("[logprobs] are not offered by [" + model_name +
                       "], which quotes and draws no tokens");
  if (!params.logit_bias.empty())
    return bad_request("[logit_bias] is not offered by [" + model_name +
                       "], which quotes and draws no tokens");
  return ok_status();
}

Result<std::unique_ptr<TextAnswer>> quoted_answer(Deployment& deployment, const Endpoint& endpoint,
                                                  TextCall call, StopFinder stops,
                                                  const os::Deadline& deadline) {
  QuotedAnswer::Params params{.model_name = shown_model_id(endpoint), .choices = call.choices};
  if (call.most_tokens) params.most_tokens = std::max<std::size_t>(*call.most_tokens, 1);
  CAIRN_CHECK(check_quotable(call.sampling, params.model_name));
  ModelRequest work{.task = endpoint.task, .timeout_ms = call.timeout_ms};
  work.only_at_once = call.timeout_ms == 0;
  CAIRN_TRY(work.said, said_in(std::move(call.prompt), params.model_name));
  work.inputs.emplace_back();
  CAIRN_TRY(ModelResult result, deployment.run(std::move(work), deadline));
  return Result<std::unique_ptr<TextAnswer>>(std::make_unique<QuotedAnswer>(
      std::move(result.texts.front()), std::move(stops), std::move(params)));
}

}  // namespace

Result<std::unique_ptr<TextAnswer>> Service::begin_text(TextCall call,
                                                        const os::Deadline& deadline) {
  const auto endpoint = impl_->find(call.inference_id);
  if (!endpoint) return endpoint_not_found(call.inference_id);
  auto counts = std::make_unique<EndpointCall>(*endpoint, impl_->clock);
  auto answer = impl_->begin_text(*endpoint, std::move(call), deadline);
  if (answer.ok()) return counted(std::move(*answer), std::move(counts));
  counts->failed(answer.error());
  return answer;
}

Result<std::unique_ptr<TextAnswer>> Service::Impl::begin_text(Endpoint endpoint, TextCall call,
                                                              const os::Deadline& deadline) {
  if (call.task && *call.task != endpoint.task) return incompatible_task(*call.task, endpoint.task);
  if (!gives_texts(endpoint.task)) {
    return bad_request("Inference endpoint [" + call.inference_id + "] has task type [" +
                       std::string(name_of(endpoint.task)) + "], which makes no texts");
  }
  if (call.choices == 0 || call.choices > most_choices)
    return bad_request("[n] must be from 1 to " + std::to_string(most_choices));
  CAIRN_TRY(const StopFinder stops, StopFinder::make(call.stop));
  if (endpoint.remote) {
    const os::Deadline wait = remote_wait(deadline, call.timeout_ms, options.text_timeout_ms);
    return remotes->begin_text(endpoint, call, wait);
  }
  CAIRN_TRY(const auto deployment, serve(endpoint, deadline));
  if (endpoint.preconfigured) {  // its model may have come, or another, since the start
    if (const auto model = deployment->model())
      endpoint.quotes = model->quotes();
    else if (const auto info = find_model(endpoint.model_id, deadline); info.ok())
      endpoint.quotes = info->quotes;
  }
  if (endpoint.quotes)
    return quoted_answer(*deployment, endpoint, std::move(call), stops, deadline);
  CAIRN_TRY(const auto allocation, deployment->text_allocation(call.timeout_ms, deadline));
  const TextModel& model = allocation->model();
  CAIRN_TRY(const SamplingOptions sampling,
            call.sampling.over(model.sampling(), os::system_random().number()));
  const bool with_calls =
      call.prompt.tools.is_array() && model.tool_calls() != ToolCallFormat::none;
  CAIRN_TRY(
      const std::vector<std::uint32_t> prompt,
      prompt_in_pool(cpu, *allocation, std::move(call.prompt), clock.unix_ms() / 1000, deadline));
  const auto flow = std::make_shared<TextFlow>(call.choices);
  auto answer =
      std::make_unique<DecoderAnswer>(deployment, allocation, flow, call.choices, prompt.size());
  for (std::size_t i = 0; i < call.choices; ++i) {
    Sampler sampler(sampling, i);
    sampler.see_prompt(prompt);
    TextChoice::Params params{
        .index = i, .with_tokens = call.sampling.logprobs, .with_calls = with_calls};
    if (call.most_tokens) params.most_tokens = std::max<std::size_t>(*call.most_tokens, 1);
    CAIRN_CHECK(allocation->generator().add(
        {.prompt = prompt,
         .sink = std::make_shared<TextChoice>(flow, model, std::move(sampler), stops, params),
         .scope = call.scope}));
  }
  return Result<std::unique_ptr<TextAnswer>>(std::move(answer));
}

}  // namespace cairn::inference
