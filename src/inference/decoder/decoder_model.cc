// SPDX-License-Identifier: Apache-2.0
// Texts through a decoder: short ones together, long ones in parts.
#include "inference/decoder/decoder_model.h"

#include <algorithm>
#include <new>
#include <utility>

#include "inference/decoder/forward.h"
#include "inference/decoder/text_model.h"
#include "inference/decoder/text_parts.h"
#include "inference/encoder/dense_vector.h"
#include "inference/encoder/model_folder.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

// Longer words than this are one unknown token each, so that such a text says nothing anyway.
constexpr std::size_t most_decoder_word_bytes = 256;

/// What the small files of a decoder's folder say.
struct DecoderParts {
  explicit DecoderParts(text::Tokenizer read) : tokenizer(std::move(read)) {}

  std::string model_id;
  DecoderConfig config;
  text::Tokenizer tokenizer;
  SentenceFiles sentences;
  TextParts texts;
  std::size_t most_pages = 0;   // of keys and values that a call may take
  std::size_t most_tokens = 0;  // of one text
};

Error unsupported_module(const std::string& what) {
  return Error{.kind = ErrorKind::unsupported,
               .message = what + ", which is not offered for decoders"};
}

/// A decoder's vector is its last token's state: only that one has seen the whole text.
Result<SentenceFiles> read_decoder_sentences(const ModelFiles& files) {
  CAIRN_TRY(SentenceFiles out, read_sentence_files(files));
  if (!out.has_modules) return out;
  const Pooling& pooling = out.pooling;
  if (!pooling.last || pooling.first || pooling.mean || pooling.max || pooling.mean_sqrt ||
      pooling.weighted_mean) {
    return unsupported_module("the pooling is another than [pooling_mode_lasttoken]");
  }
  if (out.makes_terms) return unsupported_module("modules.json has [SpladePooling]");
  if (!out.dense.empty()) return unsupported_module("modules.json has [Dense]");
  return out;
}

/// Errors: invalid_argument where not even a page is within the memory for keys and values.
Result<std::size_t> most_pages_for(const DecoderShape& shape) {
  const KvShape pages = {shape.layers, shape.kv_heads, shape.head_size, true};
  const std::size_t count = most_embedding_kv_bytes / pages.page_bytes();
  if (count > 0) return count;
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "config.json: keys and values of [" +
                          std::to_string(kernels::page_tokens) + "] tokens would take [" +
                          std::to_string(pages.page_bytes()) + "] bytes"};
}

Error bad_tokens(const std::string& what) {
  return Error{.kind = ErrorKind::invalid_argument, .message = "tokenizer.json " + what};
}

Status check_decoder_tokenizer(const DecoderParts& parts) {
  const std::size_t words = parts.config.shape.vocabulary;
  if (parts.tokenizer.vocabulary_size() > words)
    return bad_tokens("has more tokens than [vocab_size] of config.json");
  const text::EncodeOptions whole{.truncation = text::Truncation{.max_tokens = SIZE_MAX}};
  text::Encoding frame;
  CAIRN_CHECK(parts.tokenizer.encode("", whole, os::Deadline::never(), frame));
  for (const std::uint32_t id : frame.ids) {
    if (id >= words)
      return bad_tokens("puts token [" + std::to_string(id) +
                        "] around texts, and [vocab_size] is [" + std::to_string(words) + "]");
  }
  if (frame.ids.size() < parts.most_tokens) return ok_status();
  return bad_tokens("puts [" + std::to_string(frame.ids.size()) +
                    "] tokens around texts of at most [" + std::to_string(parts.most_tokens) + "]");
}

/// What sentence-transformers made is for embeddings: its next tokens say nothing.
bool makes_texts(const SentenceFiles& files) { return !files.has_modules; }

std::vector<TaskType> decoder_tasks(const SentenceFiles& files, bool chats) {
  std::vector<TaskType> out{TaskType::text_embedding};
  if (makes_texts(files)) out.push_back(TaskType::completion);
  if (makes_texts(files) && chats) out.push_back(TaskType::chat_completion);
  return out;
}

Result<DecoderParts> read_decoder_parts(const ModelFiles& files, std::string_view config_json) {
  CAIRN_TRY(DecoderConfig config, read_decoder_config(config_json));
  CAIRN_TRY(text::Tokenizer tokenizer, read_tokenizer(files));
  DecoderParts out(std::move(tokenizer));
  out.model_id = files.model_id;
  out.config = std::move(config);
  CAIRN_TRY(out.sentences, read_decoder_sentences(files));
  const DecoderShape& shape = out.config.shape;
  CAIRN_TRY(out.most_pages, most_pages_for(shape));
  out.most_tokens = std::min(shape.most_tokens, out.most_pages * kernels::page_tokens);
  if (const auto most = out.sentences.settings.max_tokens)
    out.most_tokens = std::min(out.most_tokens, *most);
  if (const auto most = out.tokenizer.facts().max_length)
    out.most_tokens = static_cast<std::size_t>(std::min<std::uint64_t>(out.most_tokens, *most));
  CAIRN_CHECK(check_decoder_tokenizer(out));
  if (makes_texts(out.sentences)) {
    CAIRN_TRY(out.texts, read_text_parts(files, config_json, out.tokenizer));
  }
  return out;
}

using Ids = std::vector<std::uint32_t>;

std::size_t pages_of(const Ids& ids) {
  return (ids.size() + kernels::page_tokens - 1) / kernels::page_tokens;
}

class DecoderModel final : public Model, private TextModel {
 public:
  DecoderModel(DecoderParts parts, DecoderWeights weights)
      : parts_(std::move(parts)), weights_(std::move(weights)) {}

  const std::string& model_id() const override { return parts_.model_id; }
  bool supports(TaskType task) const override {
    const auto tasks = decoder_tasks(parts_.sentences, parts_.texts.chat_template.has_value());
    return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
  }
  const TextModel* texts() const override { return makes_texts(parts_.sentences) ? this : nullptr; }
  std::size_t dimensions() const override { return weights_.shape.hidden; }
  std::string_view similarity() const override { return parts_.sentences.similarity(); }
  std::size_t size_bytes() const override {
    return weights_.size_bytes() + parts_.tokenizer.size_bytes();
  }
  std::size_t max_input_tokens() const override { return parts_.most_tokens; }

  Result<std::vector<std::vector<float>>> embed(std::span<const std::string> inputs, InputType type,
                                                const os::Deadline& deadline) const override {
    std::vector<Ids> texts;
    for (const std::string& input : inputs) {
      CAIRN_TRY(Ids ids, tokens_of(input, type, deadline));
      texts.push_back(std::move(ids));
    }
    const KvShape shape = kv_shape_of(weights_);
    // Pages in fp32 are twice as large: a text of the most tokens must fit all the same.
    KvPool pool(shape, parts_.most_pages);
    DecoderForward forward(weights_, pool);
    std::vector<std::vector<float>> out;
    out.reserve(inputs.size());
    for (std::size_t first = 0; first < texts.size();) {
      const std::size_t end = end_of_group(texts, first, pool.most_pages());
      CAIRN_CHECK(run({texts.data() + first, end - first}, forward, deadline, out));
      first = end;
    }
    return out;
  }

 private:
  Result<std::unique_ptr<StepModel>> steps(std::size_t kv_bytes) const override {
    const std::size_t page_bytes = kv_shape_of(weights_).page_bytes();
    if (kv_bytes < page_bytes) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "keys and values of [" + std::to_string(kernels::page_tokens) +
                              "] tokens take [" + std::to_string(page_bytes) +
                              "] bytes, and inference.kv_memory is [" + std::to_string(kv_bytes) +
                              "]"};
    }
    try {
      return std::make_unique<DecoderSteps>(weights_, kv_bytes / page_bytes);
    } catch (const std::bad_alloc&) {
      return Error{
          .kind = ErrorKind::rate_limited,
          .message = "there is not enough memory for steps of model [" + parts_.model_id + "]"};
    }
  }
  const text::Tokenizer& tokenizer() const override { return parts_.tokenizer; }
  const ChatTemplate* chat_template() const override {
    return parts_.texts.chat_template ? &*parts_.texts.chat_template : nullptr;
  }
  ToolCallFormat tool_calls() const override { return parts_.texts.tool_calls; }
  const Json& template_tokens() const override { return parts_.texts.template_tokens; }
  bool ends_text(std::uint32_t id) const override {
    return std::binary_search(parts_.texts.ends.begin(), parts_.texts.ends.end(), id);
  }
  const SamplingOptions& sampling() const override { return parts_.texts.sampling; }

  Result<Ids> tokens_of(std::string_view input, InputType type,
                        const os::Deadline& deadline) const {
    text::EncodeOptions how;
    how.truncation = text::Truncation{.max_tokens = parts_.most_tokens,
                                      .strategy = text::Truncation::Strategy::longest_first};
    std::size_t most = parts_.most_tokens * most_decoder_word_bytes;
    if (input.size() > most) {  // not cut within a character
      while (most > 0 && (static_cast<unsigned char>(input[most]) & 0xC0U) == 0x80U) --most;
      input = input.substr(0, most);
    }
    text::Encoding encoding;
    CAIRN_CHECK(parts_.tokenizer.encode(parts_.sentences.prompt(type) + std::string(input), how,
                                        deadline, encoding));
    if (encoding.ids.empty()) encoding.ids.push_back(0);  // each text has a state
    return std::move(encoding.ids);
  }

  /// Texts that fit into one step together; a longer one is a group of its own.
  static std::size_t end_of_group(const std::vector<Ids>& texts, std::size_t first,
                                  std::size_t most_pages) {
    std::size_t end = first + 1, tokens = texts[first].size(), pages = pages_of(texts[first]);
    for (; end < texts.size(); ++end) {
      tokens += texts[end].size();
      pages += pages_of(texts[end]);
      if (tokens > chunk_tokens || pages > most_pages) break;
    }
    return end;
  }

  Status run(std::span<const Ids> texts, DecoderForward& forward, const os::Deadline& deadline,
             std::vector<std::vector<float>>& out) const {
    std::vector<KvSequence> sequences(texts.size());
    std::vector<StepInput> batch;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::span<const std::uint32_t> ids(texts[i]);
      while (ids.size() > chunk_tokens) {  // only a text that is alone
        const StepInput part = {&sequences[i], ids.first(chunk_tokens), StepOutput::nothing};
        CAIRN_CHECK(forward.step({&part, 1}, deadline));
        ids = ids.subspan(chunk_tokens);
      }
      batch.push_back({&sequences[i], ids, StepOutput::state});
    }
    CAIRN_CHECK(forward.step(batch, deadline));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const float* const state = forward.state(i);
      out.emplace_back(state, state + weights_.shape.hidden);
      if (parts_.sentences.normalises) bring_to_length_1(out.back());
    }
    return ok_status();
  }

  const DecoderParts parts_;
  const DecoderWeights weights_;
};

kernels::Arithmetic decoder_arithmetic(Precision precision) {
  const bool narrow = kernels::matrix_kernels().bfloat16 != nullptr;
  switch (precision) {
    case Precision::automatic:
    case Precision::int8:
    case Precision::int4:
      return kernels::Arithmetic::int8;
    case Precision::bfloat16:
      return narrow ? kernels::Arithmetic::bfloat16 : kernels::Arithmetic::float32;
    case Precision::float32:
      return kernels::Arithmetic::float32;
  }
  return kernels::Arithmetic::float32;
}

std::string_view arithmetic_name(kernels::Arithmetic arithmetic) {
  switch (arithmetic) {
    case kernels::Arithmetic::float32:
      return "float32";
    case kernels::Arithmetic::bfloat16:
      return "bfloat16";
    case kernels::Arithmetic::int8:
      return "int8";
  }
  return "";
}

}  // namespace

Result<ModelTraits> traits_of_decoder(const ModelFiles& files, std::string_view config_json) {
  CAIRN_TRY(const DecoderConfig config, read_decoder_config(config_json));
  CAIRN_TRY(const SentenceFiles sentences, read_decoder_sentences(files));
  CAIRN_TRY(const bool chats, has_chat_template(files));
  return ModelTraits{.tasks = decoder_tasks(sentences, chats),
                     .dimensions = config.shape.hidden,
                     .similarity = std::string(sentences.similarity())};
}

Status check_decoder_files(const ModelFiles& files, std::string_view config_json) {
  CAIRN_CHECK(read_decoder_parts(files, config_json));
  return ok_status();
}

Result<std::shared_ptr<const Model>> load_decoder_model(const ModelFiles& files,
                                                        std::string_view config_json,
                                                        const LoadOptions& options,
                                                        const os::Deadline& deadline) {
  CAIRN_TRY(DecoderParts parts, read_decoder_parts(files, config_json));
  TensorFiles tensors;
  CAIRN_CHECK(read_tensor_files(files, tensors));
  const WeightForm form(decoder_arithmetic(options.precision),
                        options.precision == Precision::int4);
  const DecoderOutput output =
      makes_texts(parts.sentences) ? DecoderOutput::logits : DecoderOutput::states;
  CAIRN_TRY(DecoderWeights weights,
            read_decoder_weights(parts.config, tensors.tensors, form, output, deadline));
  os::log(os::LogLevel::info, "inference", "weights of a model packed",
          {{"model", parts.model_id},
           {"arithmetic", form.four_bits ? "int4" : arithmetic_name(form.arithmetic)},
           {"bytes", std::to_string(weights.size_bytes())}});
  return std::shared_ptr<const Model>(
      std::make_shared<const DecoderModel>(std::move(parts), std::move(weights)));
}

}  // namespace cairn::inference
