// SPDX-License-Identifier: Apache-2.0
#include "inference/endpoint_metrics.h"

#include <string>
#include <utility>

#include "inference/token_count.h"
#include "os/metrics.h"

namespace cairn::inference {
namespace {

constexpr std::string_view requests_name = "cairn_inference_requests_total";
constexpr std::string_view requests_help = "Calls of endpoints, by how they ended";
constexpr std::string_view duration_name = "cairn_inference_request_duration_seconds";
constexpr std::string_view duration_help = "From a call of an endpoint to the end of its answer";
constexpr std::string_view tokens_name = "cairn_inference_tokens_total";
constexpr std::string_view tokens_help = "Tokens of completions and chats";

const char* result_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::rate_limited:
      return "rejected";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::cancelled:
      return "cancelled";
    default:
      return "error";
  }
}

class CountedAnswer final : public TextAnswer {
 public:
  CountedAnswer(std::unique_ptr<TextAnswer> answer, std::unique_ptr<EndpointCall> call)
      : call_(std::move(call)), answer_(std::move(answer)) {}
  ~CountedAnswer() override { call_->tokens(answer_->prompt_tokens(), answer_->new_tokens()); }

  Result<std::optional<TextPiece>> next(const os::Deadline& deadline) override {
    auto piece = answer_->next(deadline);
    if (!piece.ok())
      call_->failed(piece.error());
    else if (!*piece)
      call_->done();
    return piece;
  }
  bool wait_ms(std::int64_t ms, const os::Deadline& deadline) override {
    return answer_->wait_ms(ms, deadline);
  }
  std::size_t choices() const override { return answer_->choices(); }
  std::uint64_t prompt_tokens() const override { return answer_->prompt_tokens(); }
  std::uint64_t new_tokens() const override { return answer_->new_tokens(); }
  const text::Tokenizer* tokenizer() const override { return answer_->tokenizer(); }
  std::string model_name() const override { return answer_->model_name(); }

 private:
  std::unique_ptr<EndpointCall> call_;
  std::unique_ptr<TextAnswer> answer_;
};

}  // namespace

EndpointCall::EndpointCall(const Endpoint& endpoint, const os::Clock& clock)
    : clock_(clock),
      begin_ns_(clock.steady_ns()),
      endpoint_(os::shown_name("endpoint", endpoint.inference_id)),
      task_(endpoint.task) {}

EndpointCall::~EndpointCall() { end("cancelled"); }

void EndpointCall::failed(const Error& error) { end(result_of(error)); }

void EndpointCall::tokens(std::uint64_t prompt, std::uint64_t made) {
  const auto add = [&](const char* kind, std::uint64_t count) {
    if (count > 0)
      os::metrics()
          .counter(tokens_name, tokens_help, {{"endpoint", endpoint_}, {"kind", kind}})
          .add(count);
  };
  tokens_in_all().add(prompt + made);
  add("prompt", prompt);
  add("generated", made);
}

void EndpointCall::end(const char* result) {
  if (std::exchange(ended_, true)) return;
  os::Metrics& metrics = os::metrics();
  metrics
      .counter(requests_name, requests_help,
               {{"endpoint", endpoint_}, {"task", std::string(name_of(task_))}, {"result", result}})
      .add();
  metrics.histogram(duration_name, duration_help, {{"endpoint", endpoint_}})
      .observe_ns(clock_.steady_ns() - begin_ns_);
}

os::Counter& tokens_in_all() {
  static os::Counter& counter = *new os::Counter;  // not shown: the families by endpoint are
  return counter;
}

std::unique_ptr<TextAnswer> counted(std::unique_ptr<TextAnswer> answer,
                                    std::unique_ptr<EndpointCall> call) {
  return std::make_unique<CountedAnswer>(std::move(answer), std::move(call));
}

void declare_endpoint_metrics() {
  os::metrics().declare(os::MetricKind::counter, requests_name, requests_help);
  os::metrics().declare(os::MetricKind::histogram, duration_name, duration_help);
  os::metrics().declare(os::MetricKind::counter, tokens_name, tokens_help);
}

}  // namespace cairn::inference
