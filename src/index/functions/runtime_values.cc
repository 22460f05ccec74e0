// SPDX-License-Identifier: Apache-2.0
#include "index/functions/runtime_values.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "index/errors.h"
#include "index/functions/script_fields.h"
#include "index/mapping/values.h"

namespace cairn::index {
namespace {

using script::Use;

constexpr std::size_t chain_max = 5;  // fields that read from one another

std::string chain_text(const std::vector<std::string>& chain, const std::string& last) {
  std::string out;
  for (const std::string& name : chain) out += name + " -> ";
  return out + last;
}

/// Compiles a field and, along the chain of who reads from whom, those below it.
class Compiling {
 public:
  Compiling(const QueryContext& context) : context_(context) {}

  Result<std::shared_ptr<const script::Program>> compile(const Field& field) {
    if (!field.runtime->has_script) return std::shared_ptr<const script::Program>();
    if (std::find(chain_.begin(), chain_.end(), field.name) != chain_.end())
      return illegal_argument("Cyclic dependency detected while resolving runtime fields: " +
                              chain_text(chain_, field.name));
    if (chain_.size() >= chain_max)
      return illegal_argument("Field requires resolving too many dependent fields: " +
                              chain_text(chain_, field.name));
    const ScriptFields fields(context_.view);
    const RuntimeScript& script = *field.runtime;
    CAIRN_CHECK(context_.steps.take(16 + script.source.size() / 4));
    CAIRN_TRY(auto program,
              script::Program::compile(script.source, script.use, script.params, &fields));
    chain_.push_back(field.name);
    CAIRN_CHECK(compile_used(*program));
    chain_.pop_back();
    return program;
  }

 private:
  Status compile_used(const script::Program& program) {
    for (const script::UsedField& used : program.fields()) {
      const Field* below = context_.view.mapping->find(used.name);
      if (below == nullptr || below->runtime == nullptr) continue;
      // One that was in order with a longer chain above it is in order with this one.
      const auto [place, is_new] = seen_.try_emplace(below->name, chain_.size());
      if (!is_new && place->second >= chain_.size() && !is_in_chain(below->name)) continue;
      place->second = std::max(place->second, chain_.size());
      CAIRN_TRY(const auto own, compile(*below));
      (void)own;
    }
    return ok_status();
  }
  bool is_in_chain(const std::string& name) const {
    return std::find(chain_.begin(), chain_.end(), name) != chain_.end();
  }

  const QueryContext& context_;
  std::vector<std::string> chain_;
  std::map<std::string, std::size_t> seen_;
};

}  // namespace

Result<std::shared_ptr<const script::Program>> runtime_program(const QueryContext& context,
                                                               const Field& field) {
  RuntimePrograms& known = context.view.runtime;
  {
    const MutexLock lock(known.mutex);
    const auto found = known.by_field.find(field.name);
    if (found != known.by_field.end()) return found->second;
  }
  CAIRN_TRY(auto made, Compiling(context).compile(field));
  const MutexLock lock(known.mutex);
  return known.by_field.try_emplace(field.name, std::move(made)).first->second;
}

/// A script at work on the documents of one segment.
struct RuntimeValues::Script {
  Script(const QueryContext& context, std::size_t segment, RuntimeSet& set,
         std::shared_ptr<const script::Program> made, bool goes_on, const std::string& field)
      : program(std::move(made)), document(context, segment, &set), deadline(context.deadline) {
    if (goes_on) own.emplace(deadline);
    emitted.field = field;
    begin(context);
  }
  // A script that may fail counts apart, so that an error does not end the search.
  void begin(const QueryContext& context) {
    if (own) own.emplace(deadline);
    run.emplace(*program, document, own ? *own : context.steps);
  }

  std::shared_ptr<const script::Program> program;
  ScriptDocument document;
  const os::Deadline& deadline;
  std::optional<os::Steps> own;
  std::optional<script::Run> run;
  script::Emitted emitted;
  std::string text;
};

RuntimeValues::RuntimeValues(const QueryContext& context, const Field& field, RuntimeSet& set)
    : context_(context), field_(field), set_(set) {}
RuntimeValues::~RuntimeValues() = default;

Status RuntimeValues::open(std::size_t segment) {
  // Fields are of whole documents; a sort key is of what is sorted.
  is_none_ = context_.view.objects != nullptr && script::is_emitting(field_.runtime->use);
  if (is_none_) return ok_status();
  CAIRN_TRY(auto program, runtime_program(context_, field_));
  if (program == nullptr) return ok_status();
  const auto& fields = program->fields();
  script_ = std::make_unique<Script>(context_, segment, set_, std::move(program),
                                     field_.runtime->goes_on, field_.name);
  return script_->document.open(fields);
}

bool RuntimeValues::uses_score() const {
  return script_ != nullptr && script_->program->uses_score();
}

bool RuntimeValues::go_to(std::uint32_t doc, float score) {
  if (doc == doc_) return true;
  numbers_.clear();
  texts_.clear();
  doc_ = UINT32_MAX;
  if (is_none_) return true;
  if (!context_.steps.go_on()) return false;
  if (script_ == nullptr) {
    const Json* source = set_.sources().of(doc);
    if (source == nullptr) return false;
    read_source(*source);
  } else {
    script_->document.go_to(doc);
    const bool is_emitting = script::is_emitting(script_->program->use());
    if (!(is_emitting ? run_script() : run_sort_key(score))) return false;
  }
  if (numbers_.size() > 1) std::sort(numbers_.begin(), numbers_.end());
  if (texts_.size() > 1) std::sort(texts_.begin(), texts_.end());
  doc_ = doc;
  return true;
}

bool RuntimeValues::run_script() {
  Script& script = *script_;
  if (!script.run->emitted(script.emitted)) {
    if (!script.own) return false;
    Error error = script.own->status().error();
    if (error.code != "script_exception") {
      context_.steps.fail(std::move(error));
      return false;
    }
    script.begin(context_);
    return context_.steps.go_on(64);
  }
  for (const double one : script.emitted.real) numbers_.push_back(double_key(one));
  numbers_.insert(numbers_.end(), script.emitted.whole.begin(), script.emitted.whole.end());
  texts_.swap(script.emitted.texts);
  return true;
}

bool RuntimeValues::run_sort_key(float score) {
  Script& script = *script_;
  if (script.program->use() == Use::sort_text) {
    if (!script.run->text(script.text, static_cast<double>(score))) return false;
    texts_.push_back(script.text);
    return true;
  }
  double number = 0;
  if (!script.run->number(static_cast<double>(score), number)) return false;
  if (std::isnan(number)) {
    context_.steps.fail(
        illegal_argument("a script of a sort key gave back a value that is not a "
                         "number"));
    return false;
  }
  numbers_.push_back(double_key(number));
  return true;
}

// What the field does not take it does not have.
void RuntimeValues::read_source(const Json& source) {
  each_scalar(source, field_.name, [&](const Json& value) {
    if (numbers_.size() + texts_.size() >= script::Limits().emitted_values) {
      context_.steps.fail(
          illegal_argument("Runtime field [" + field_.name + "] is emitting [" +
                           std::to_string(script::Limits().emitted_values + 1) +
                           "] values while the maximum number of values allowed is [" +
                           std::to_string(script::Limits().emitted_values) + "]"));
      return;
    }
    if (field_.type == FieldType::keyword) {
      texts_.push_back(value.is_string() ? value.as_string() : value.dump());
    } else if (const auto number = column_value(field_, value); number.ok()) {
      numbers_.push_back(*number);
    }
  });
}

RuntimeSet::~RuntimeSet() = default;

Result<RuntimeValues*> RuntimeSet::open(const Field& field) {
  auto& known = fields_[field.name];
  if (known != nullptr) return known.get();
  auto made = std::make_unique<RuntimeValues>(context_, field, *this);
  known = std::move(made);
  RuntimeValues* const out = known.get();
  CAIRN_CHECK(out->open(segment_));
  return out;
}

Result<std::shared_ptr<RuntimeReader>> open_runtime(const QueryContext& context,
                                                    std::size_t segment, const Field& field) {
  auto set = std::make_shared<RuntimeSet>(context, segment);
  CAIRN_TRY(RuntimeValues* const values, set->open(field));
  return std::shared_ptr<RuntimeReader>(std::move(set), values);
}

}  // namespace cairn::index
