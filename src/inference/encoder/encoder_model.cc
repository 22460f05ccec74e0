// SPDX-License-Identifier: Apache-2.0
// The tasks of an encoder: texts to tokens, tokens to batches, hidden states to results.
#include "inference/encoder/encoder_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/threads.h"
#include "inference/encoder/dense_vector.h"
#include "inference/encoder/encoder_parts.h"
#include "inference/encoder/forward.h"
#include "inference/encoder/packed_image.h"
#include "inference/encoder/packing.h"
#include "inference/model/packed_files.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

// Longer words than this are one unknown token each, so that such a text says nothing anyway.
constexpr std::size_t most_word_bytes = 256;
// Terms of a sparse vector that are kept, heaviest first.
constexpr std::size_t most_document_terms = 256;
constexpr std::size_t most_query_terms = 64;

/// What one thread computes with.
struct Workspace {
  explicit Workspace(const EncoderWeights& weights) : forward(weights) {}
  Forward forward;
  HeadMemory head;
  ReadyRows ready;
  Kernels with;
};

/// Workspaces that no thread uses now.
class Workspaces {
 public:
  explicit Workspaces(const EncoderWeights& weights) : weights_(weights) {}

  std::unique_ptr<Workspace> take() {
    {
      const MutexLock lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Workspace> out = std::move(free_.back());
        free_.pop_back();
        return out;
      }
    }
    return std::make_unique<Workspace>(weights_);
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const MutexLock lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  const EncoderWeights& weights_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_ CAIRN_GUARDED_BY(mutex_);
};

/// A text as tokens.
struct Tokenised {
  text::Encoding encoding;
  std::size_t prompt_tokens = 0;
};

/// At most `most` bytes of a text, not cut within a character.
std::string_view beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

class EncoderModel final : public Model {
 public:
  EncoderModel(EncoderParts parts, PackedEncoder packed, kernels::Buffer<std::byte> image)
      : parts_(std::move(parts)),
        image_(std::move(image)),
        packed_(std::move(packed)),
        workspaces_(packed_.weights) {}

  const std::string& model_id() const override { return parts_.model_id; }
  bool supports(TaskType task) const override {
    if (!packed_.words.empty()) return task == TaskType::sparse_embedding;
    if (!packed_.classifier.empty()) return task == TaskType::rerank;
    return task == TaskType::text_embedding;
  }
  std::size_t dimensions() const override { return parts_.dimensions(); }
  std::string_view similarity() const override { return parts_.sentences.similarity(); }
  std::size_t size_bytes() const override {
    return image_.size() + parts_.tokenizer.size_bytes();
  }
  std::size_t max_input_tokens() const override { return parts_.most_tokens; }

  Result<std::vector<std::vector<float>>> embed(std::span<const std::string> inputs, InputType type,
                                                const os::Deadline& deadline) const override {
    if (!supports(TaskType::text_embedding)) return Model::embed(inputs, type, deadline);
    CAIRN_TRY(const std::vector<Tokenised> texts, tokenise(inputs, type, deadline));
    std::vector<std::vector<float>> out;
    out.reserve(inputs.size());
    CAIRN_CHECK(run(texts, deadline, [&](Workspace& workspace, const TextStates& states) {
      out.push_back(dense_vector(parts_, packed_, workspace.with, workspace.ready, states));
    }));
    return out;
  }

  Result<std::vector<SparseVector>> sparse(std::span<const std::string> inputs, InputType type,
                                           const os::Deadline& deadline) const override {
    if (!supports(TaskType::sparse_embedding)) return Model::sparse(inputs, type, deadline);
    CAIRN_TRY(const std::vector<Tokenised> texts, tokenise(inputs, type, deadline));
    std::vector<SparseVector> out;
    out.reserve(inputs.size());
    const std::size_t most = type == InputType::search ? most_query_terms : most_document_terms;
    CAIRN_CHECK(run(texts, deadline, [&](Workspace& workspace, const TextStates& states) {
      out.push_back(terms_of(workspace, states, most));
      out.back().is_truncated = texts[out.size() - 1].encoding.is_truncated;
    }));
    return out;
  }

  Result<std::vector<RerankScore>> rerank(const std::string& query,
                                          std::span<const std::string> documents,
                                          const os::Deadline& deadline) const override {
    if (!supports(TaskType::rerank)) return Model::rerank(query, documents, deadline);
    std::vector<Tokenised> pairs(documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      CAIRN_CHECK(parts_.tokenizer.encode_pair(
          seen(query), seen(documents[i]),
          options(text::Truncation::Strategy::only_second, false), deadline, pairs[i].encoding));
    }
    std::vector<RerankScore> out;
    out.reserve(documents.size());
    CAIRN_CHECK(run(pairs, deadline, [&](Workspace& workspace, const TextStates& states) {
      const std::vector<float> all =
          logits(workspace.with, packed_.classifier, states.rows, states.stride, states.tokens,
                 parts_.config.shape.epsilon, workspace.head);
      // Of two labels or more, the last says how well the document fits.
      const float logit = all.back();
      const float score = packed_.classifier.sigmoid ? 1 / (1 + std::exp(-logit)) : logit;
      out.push_back({.index = out.size(), .score = score});
    }));
    std::stable_sort(out.begin(), out.end(),
                     [](const RerankScore& a, const RerankScore& b) { return a.score > b.score; });
    return out;
  }

 private:
  std::string_view seen(std::string_view text) const {
    return beginning_of(text, parts_.most_tokens * most_word_bytes);
  }

  text::EncodeOptions options(text::Truncation::Strategy strategy, bool with_ranges) const {
    text::EncodeOptions out;
    out.with_ranges = with_ranges;
    out.truncation = text::Truncation{.max_tokens = parts_.most_tokens, .strategy = strategy};
    return out;
  }

  Result<std::vector<Tokenised>> tokenise(std::span<const std::string> inputs, InputType type,
                                          const os::Deadline& deadline) const {
    const std::string& prompt = parts_.prompt(type);
    const bool counts_prompt = !prompt.empty() && !parts_.sentences.pooling.include_prompt;
    const auto how = options(text::Truncation::Strategy::longest_first, counts_prompt);
    std::vector<Tokenised> out(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string_view input = seen(inputs[i]);
      Tokenised& text = out[i];
      CAIRN_CHECK(prompt.empty()
                      ? parts_.tokenizer.encode(input, how, deadline, text.encoding)
                      : parts_.tokenizer.encode(prompt + std::string(input), how, deadline,
                                                 text.encoding));
      if (input.size() < inputs[i].size()) text.encoding.is_truncated = true;
      if (counts_prompt) text.prompt_tokens = tokens_within(text.encoding, prompt.size());
    }
    return out;
  }

  /// Tokens up to the last one that stands for nothing but the first `bytes` of the text, with the
  /// special ones before it.
  static std::size_t tokens_within(const text::Encoding& encoding, std::size_t bytes) {
    constexpr std::uint8_t added = 2;
    std::size_t out = 0;
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      if (encoding.text_of[i] != added && encoding.ranges[i].end <= bytes) out = i + 1;
    }
    return out;
  }

  /// Runs the texts through the layers, some together, and hands out the states of each in order.
  template <class Take>
  Status run(const std::vector<Tokenised>& texts, const os::Deadline& deadline,
             const Take& take) const {
    std::unique_ptr<Workspace> workspace = workspaces_.take();
    Status out = ok_status();
    for (std::size_t first = 0; first < texts.size() && out.ok();) {
      TokenBatch batch;
      std::size_t end = first;
      while (end < texts.size() &&
             (end == first ||
              batch.ids.size() + texts[end].encoding.ids.size() <= batch_tokens)) {
        append(texts[end++].encoding, batch);
      }
      out = run_batch(*workspace, batch, texts, first, deadline, take);
      first = end;
    }
    workspaces_.give_back(std::move(workspace));
    return out;
  }

  /// A text without any token counts as the padding alone, so that each has a state.
  void append(const text::Encoding& text, TokenBatch& batch) const {
    batch.starts.push_back(batch.ids.size());
    for (std::size_t i = 0; i < text.ids.size(); ++i) {
      batch.ids.push_back(text.ids[i]);
      batch.types.push_back(static_cast<std::uint8_t>(i < text.type_ids.size() &&
                                                      text.type_ids[i] != 0));
    }
    if (!text.ids.empty()) return;
    batch.ids.push_back(parts_.config.pad_id.value_or(0));
    batch.types.push_back(0);
  }

  template <class Take>
  Status run_batch(Workspace& workspace, const TokenBatch& batch,
                   const std::vector<Tokenised>& texts, std::size_t first,
                   const os::Deadline& deadline, const Take& take) const {
    CAIRN_TRY(const float* const states, workspace.forward.run(batch, deadline));
    for (std::size_t s = 0; s < batch.sequences(); ++s) {
      const std::size_t stride = workspace.forward.stride();
      take(workspace, TextStates{states + batch.begin_of(s) * stride, stride,
                                 batch.end_of(s) - batch.begin_of(s),
                                 texts[first + s].prompt_tokens});
      CAIRN_CHECK(deadline.check("computing what texts mean"));
    }
    return ok_status();
  }

  SparseVector terms_of(Workspace& workspace, const TextStates& states, std::size_t most) const {
    const float* const scores =
        greatest_scores(workspace.with, packed_.words, states.rows, states.stride, states.tokens,
                        parts_.config.shape.epsilon, workspace.head);
    std::vector<std::pair<float, std::uint32_t>> kept;
    for (std::uint32_t word = 0; word < parts_.tokenizer.vocabulary_size(); ++word) {
      if (scores[word] > 0 && !parts_.tokenizer.is_special(word)) {
        kept.emplace_back(std::log1p(scores[word]), word);
      }
    }
    const auto heavier = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    if (kept.size() > most) {
      std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(most), kept.end(),
                       heavier);
      kept.resize(most);
    }
    SparseVector out;
    for (const auto& [weight, word] : kept) {
      out.weights.emplace_back(parts_.tokenizer.token(word), weight);
    }
    std::sort(out.weights.begin(), out.weights.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return out;
  }

  const EncoderParts parts_;
  const kernels::Buffer<std::byte> image_;  // the arrays of packed_ lie here
  const PackedEncoder packed_;
  mutable Workspaces workspaces_;
};

/// Packed weights and the bytes that they lie in.
struct Loaded {
  kernels::Buffer<std::byte> image;
  PackedEncoder packed;
};

/// What packed weights depend on. All instruction sets have one layout, but not one choice of
/// arithmetic.
std::string key_of(const LoadOptions& options) {
  return options.version + "\n" + std::string(kernels::matrix_kernels().name) + "\n" +
         std::to_string(static_cast<int>(options.precision));
}

Result<Loaded> opened(kernels::Buffer<std::byte> image, const std::string& key,
                      const EncoderParts& parts) {
  Loaded out{.image = std::move(image), .packed = {}};
  CAIRN_TRY(out.packed, read_packed(out.image, key, parts.config.shape));
  return out;
}

/// Those of an earlier load. Any error is a reason to pack them again.
Result<Loaded> read_kept(const EncoderParts& parts, const LoadOptions& options,
                         const std::string& key) {
  if (options.packed_files == nullptr) return Error{.kind = ErrorKind::not_found};
  CAIRN_TRY(kernels::Buffer<std::byte> image, options.packed_files->read(parts.model_id));
  return opened(std::move(image), key, parts);
}

std::string_view name_of(kernels::Arithmetic arithmetic) {
  switch (arithmetic) {
    case kernels::Arithmetic::float32: return "float32";
    case kernels::Arithmetic::bfloat16: return "bfloat16";
    case kernels::Arithmetic::int8: return "int8";
  }
  return "";
}

/// Packs the weights of the files, and keeps them for the next load.
Result<Loaded> pack(const ModelFiles& files, const EncoderParts& parts, const LoadOptions& options,
                    const std::string& key, const os::Deadline& deadline) {
  kernels::Buffer<std::byte> image;
  {
    CAIRN_TRY(const std::unique_ptr<WeightFiles> weights, read_weight_files(files, parts));
    CAIRN_TRY(const ChosenEncoder chosen, pack_for(options.precision, parts, *weights, deadline));
    os::log(os::LogLevel::info, "inference", "weights of a model packed",
            {{"model", parts.model_id},
             {"kernels", kernels::matrix_kernels().name},
             {"arithmetic", name_of(chosen.encoder.weights.arithmetic)},
             {"of_attention", name_of(chosen.encoder.weights.layers.front().joined.arithmetic())},
             {"least_cosine", fmt::format("{:.6f}", chosen.cosine)}});
    image = write_packed(chosen.encoder, key);
  }
  if (options.packed_files != nullptr) {
    const Status kept = options.packed_files->write(
        parts.model_id, {reinterpret_cast<const char*>(image.data()), image.size()});
    if (!kept.ok()) {
      os::log(os::LogLevel::warn, "inference", "packed weights could not be kept",
              {{"model", parts.model_id}, {"error", kept.error().message}});
    }
  }
  return opened(std::move(image), key, parts);
}

}  // namespace

Result<std::shared_ptr<const Model>> load_encoder_model(const ModelFiles& files,
                                                        std::string_view config_json,
                                                        const LoadOptions& options,
                                                        const os::Deadline& deadline) {
  CAIRN_TRY(EncoderParts parts, read_encoder_parts(files, config_json));
  const std::string key = key_of(options);
  Result<Loaded> loaded = read_kept(parts, options, key);
  if (!loaded.ok()) {
    loaded = pack(files, parts, options, key, deadline);
    if (!loaded.ok()) return loaded.error();
  }
  return std::shared_ptr<const Model>(std::make_shared<const EncoderModel>(
      std::move(parts), std::move(loaded->packed), std::move(loaded->image)));
}

}  // namespace cairn::inference
