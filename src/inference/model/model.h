// SPDX-License-Identifier: Apache-2.0
// A model in memory: what it can do and the calls that do it. Deployments hold one of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/model/file_bytes.h"
#include "inference/precision.h"
#include "inference/quotes/question.h"
#include "os/deadline.h"

namespace cairn::inference {

/// What an endpoint is asked to do. The wire names are those of the enumerators.
enum class TaskType { sparse_embedding, text_embedding, rerank, completion, chat_completion };

std::string_view name_of(TaskType task);
std::optional<TaskType> task_type_of(std::string_view name);

/// Whether it gives texts: completion and chat_completion.
bool gives_texts(TaskType task);

/// Which side of a search a text stands on. Some models treat a query unlike a document.
enum class InputType { unspecified, search, ingest, classification, clustering };

std::string_view name_of(InputType type);
/// Without regard to case.
std::optional<InputType> input_type_of(std::string_view name);

/// A text as weighted terms, heaviest first; equal weights by bytes of the term. Weights are > 0.
struct SparseVector {
  std::vector<std::pair<std::string, float>> weights;
  bool is_truncated = false;  // the text was longer than max_input_tokens()
};

/// How well the document at `index` of the request answers the query: 0 to 1.
struct RerankScore {
  std::size_t index = 0;
  float score = 0;
};

/// The answer of a model that quotes.
struct QuotedText {
  std::vector<std::string> tokens = {};  // one after the other the text; some may be empty
  std::size_t prompt_tokens = 0;
};

class TextModel;  // decoder/text_model.h

/// A loaded model. Immutable, so every call is safe from any thread at once; a call computes on the
/// thread that makes it and never waits for anything else. The deadline is looked at between texts.
/// Errors of the calls: unsupported for a task that supports() denies; timeout, cancelled.
class Model {
 public:
  virtual ~Model() = default;
  virtual const std::string& model_id() const = 0;
  virtual bool supports(TaskType task) const = 0;
  /// Numbers in a dense vector; 0 where the model makes none.
  virtual std::size_t dimensions() const = 0;
  /// How its dense vectors compare: "cosine" or "dot_product".
  virtual std::string_view similarity() const = 0;
  /// Memory held by the model.
  virtual std::size_t size_bytes() const = 0;
  /// Tokens of a text beyond which the rest is not looked at.
  virtual std::size_t max_input_tokens() const = 0;

  /// One unit vector for each input. A text without a known token gives the zero vector's place to
  /// a fixed unit vector, so that cosine is always defined.
  virtual Result<std::vector<std::vector<float>>> embed(std::span<const std::string> inputs,
                                                        InputType type,
                                                        const os::Deadline& deadline) const;
  /// One sparse vector for each input; `search` gives the query side.
  virtual Result<std::vector<SparseVector>> sparse(std::span<const std::string> inputs,
                                                   InputType type,
                                                   const os::Deadline& deadline) const;
  /// One score for each document, best first; equal scores in the order of the request.
  virtual Result<std::vector<RerankScore>> rerank(const std::string& query,
                                                  std::span<const std::string> documents,
                                                  const os::Deadline& deadline) const;
  /// Whether completions and chats are answered by quote(), and not by texts().
  virtual bool quotes() const { return false; }
  /// The sentences of what was said that answer its question, word for word, or that it does not
  /// say.
  virtual Result<QuotedText> quote(std::span<const SaidText> said,
                                   const os::Deadline& deadline) const;
  /// Whether a call takes less time than asking another machine would.
  virtual bool is_quick() const { return false; }
  /// The face of a model that makes texts, which lives as long as this; null of any other.
  virtual const TextModel* texts() const { return nullptr; }
};

/// The files of one model in the Hugging Face layout, however they are kept.
struct ModelFiles {
  std::string model_id;
  /// The bytes of a file ("config.json", "model.safetensors", "tokenizer.json", ...).
  /// Errors: not_found, and those of whatever keeps the files.
  std::function<Result<std::string>(std::string_view name)> read;
  /// The same for files that may be as large as the memory: those of weights. Empty: as read.
  std::function<Result<FileBytes>(std::string_view name)> map = {};

  /// A file of weights, by `map` where that is there.
  Result<FileBytes> weights(std::string_view name) const;
};

/// Reads bytes of one file: as many as are asked for, fewer at its end.
using ReadRange = std::function<Result<std::string>(std::uint64_t offset, std::uint64_t count)>;
using SmallFiles = std::map<std::string, std::string, std::less<>>;  // contents by name

/// What the head of a GGUF file says, as the files that other models have: config.json, whose
/// `gguf_file` is `name`, tokenizer.json, tokenizer_config.json (with the chat template) and
/// generation_config.json. Errors: invalid_argument, unsupported, naming the value or the tensor
/// and what is wrong; those of `read`.
Result<SmallFiles> small_files_of_gguf(std::string_view name, std::uint64_t size_bytes,
                                       const ReadRange& read);

/// What a model is for, as its small files say.
struct ModelTraits {
  std::vector<TaskType> tasks;
  std::size_t dimensions = 0;  // of its dense vectors; 0: makes none
  std::string similarity = "cosine";
  bool quotes = false;  // as Model::quotes()
};
/// `config` is the text of config.json. Reads no weights. Errors: as of load_model.
Result<ModelTraits> traits_of_model(const ModelFiles& files, const std::string& config);

/// Whether a load of such a model packs weights. Errors: invalid_argument for text that is no JSON.
Result<bool> packs_weights(const std::string& config);

/// Reads all files but the weights as a load does, the tokenizer too. Errors: as of load_model.
Status check_small_files(const ModelFiles& files, const std::string& config);

class PackedFiles;

struct LoadOptions {
  Precision precision = Precision::automatic;
  const PackedFiles* packed_files = nullptr;  // nullptr: weights are packed at each load
  /// Changes when a file of the model does: packed weights of another version are not used.
  std::string version = {};
};

/// Reads a model. The implementation is chosen by `model_type` of its config.json.
/// Errors: not_found for a file that is missing; invalid_argument for files that make no model,
/// with the file and what is wrong; unsupported for a model_type that this build does not run.
/// Looks at the deadline from time to time: timeout, cancelled. rate_limited where memory ends.
Result<std::shared_ptr<const Model>> load_model(
    const ModelFiles& files, const LoadOptions& options = {},
    const os::Deadline& deadline = os::Deadline::never());

}  // namespace cairn::inference
