// SPDX-License-Identifier: Apache-2.0
// Scripts that compute scores and values. Source: docs/reference/scripts.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/steps.h"
#include "script/code.h"
#include "script/doc_values.h"
#include "script/options.h"
#include "script/value.h"

namespace cairn::script {

/// What a script is for. A number is one that is no score: there is no _score then; a sort key may
/// look at it. Values of fields are those that `emit` was called with.
enum class Use {
  score,
  sort_number,
  number,
  filter,
  sort_text,
  value,
  emit_boolean,
  emit_date,
  emit_double,
  emit_keyword,
  emit_long
};
constexpr bool is_emitting(Use use) { return use >= Use::emit_boolean; }
constexpr bool gives_number(Use use) { return use <= Use::number; }
constexpr bool sees_score(Use use) { return use <= Use::sort_number || use == Use::sort_text; }
/// Whether it may read the source of documents: params._source.
constexpr bool sees_source(Use use) { return use >= Use::value; }

/// What a script of a field has emitted for one document, in the order of its calls: whole numbers
/// (booleans, dates and longs), real ones, or texts.
struct Emitted {
  std::string field = {};  // whose values they are, for errors
  std::vector<std::int64_t> whole = {};
  std::vector<double> real = {};
  std::vector<std::string> texts = {};
  std::size_t letters = 0;  // of the texts, in UTF-16

  std::size_t size() const { return whole.size() + real.size() + texts.size(); }
  void clear();
};

/// A script, compiled for one mapping and one set of parameters. Immutable; safe from any thread.
class Program {
 public:
  /// `params` is an object, or null for none. `fields` null: of no mapping, to see whether the
  /// script is one; such a program is not run. Neither is kept.
  /// Errors: script_exception, `compile error`, with line and column; illegal_argument_exception
  /// for a source that is too long.
  static Result<std::shared_ptr<const Program>> compile(std::string_view source, Use use,
                                                        const Json& params, const Fields* fields,
                                                        const Limits& limits = {});
  Program(std::string source, Use use, const Limits& limits);

  const std::string& source() const { return source_; }
  /// The fields whose values it reads, by the numbers that Document knows them by.
  const std::vector<UsedField>& fields() const { return code_.fields; }
  bool uses_score() const { return code_.uses_score; }
  Use use() const { return use_; }
  const Compiled& code() const { return code_; }
  const Limits& limits() const { return limits_; }

 private:
  std::string source_;
  Use use_;
  Limits limits_;
  Heap heap_;  // of its constants
  Compiled code_;
};

/// Runs a program on one document after another. One thread; what is passed in outlives it.
class Run {
 public:
  Run(const Program& program, Document& document, os::Steps& steps);

  /// The number that it gives back for the document at hand, of the uses score and number. False where there is none: then the
  /// steps have the error, script_exception or the end of the deadline.
  bool number(double score, double& out);
  /// The same for the use filter.
  bool truth(bool& out);
  /// The same for the uses value and sort_text: as it stands in a text.
  bool text(std::string& out, double score = 0);
  /// The same for the use value: as JSON. Dates are texts, objects without an own form too.
  bool json(Json& out);
  /// The values that a script of a field emits. `out` is cleared first.
  bool emitted(Emitted& out);

  // For the functions of the language.
  Heap& heap() { return heap_; }
  os::Steps& steps() { return steps_; }
  Document& document() { return document_; }
  const std::vector<UsedField>& fields() const { return program_.fields(); }
  /// Says what went wrong; gives back false.
  bool fail(std::string type, std::string reason);
  /// Counts the work of going through so many elements or bytes.
  bool work(std::size_t count) { return steps_.go_on(1 + count / 16); }

 private:
  bool execute(double score, Value& out);
  bool go(Value& out);
  bool slow(const Op& op, const Op*& next);
  bool call_site(const Op& op);
  bool member(const Op& op);
  bool document_value(const Op& op);
  bool compare_vectors(const Op& op, const Op*& next);
  bool emit(const Value& value);
  bool read_source(const Op& op);
  bool value_of(const Json& json, Value& out, std::size_t depth);
  bool json_of(const Value& value, Json& out, std::size_t depth);
  const Method* found(const Site& site, Type type);
  bool missing_value();
  bool set_element(Value& object, const Value& key, const Value& value);
  bool element(const Value& object, const Value& key, Value& out);

  const Program& program_;
  const Compiled& code_;
  Document& document_;
  os::Steps& steps_;
  Heap heap_;
  std::vector<Value> values_;
  Value* registers_ = nullptr;
  std::uint64_t loops_ = 0;
  Emitted* emitted_ = nullptr;
  const Op* at_ = nullptr;
  /// The method that a site called last, and of which type.
  struct Last {
    Type type = Type::void_;
    const Method* method = nullptr;
  };
  std::vector<Last> last_;
};

}  // namespace cairn::script
