// SPDX-License-Identifier: Apache-2.0
#include "index/query/script_program.h"

#include "index/query/script_fields.h"

namespace cairn::index {
namespace {

// As the language shows maps and lists.
std::string shown(const Json& value, std::size_t depth = 0) {
  constexpr std::size_t deepest = 20;
  if (depth > deepest) return "...";
  if (value.is_string()) return value.as_string();
  std::string out, between;
  if (value.is_array()) {
    for (const Json& element : value.as_array()) {
      out += between + shown(element, depth + 1);
      between = ", ";
    }
    return "[" + out + "]";
  }
  if (!value.is_object()) return value.dump();
  for (const auto& [name, member] : value.as_object()) {
    out += between + name + "=" + shown(member, depth + 1);
    between = ", ";
  }
  return "{" + out + "}";
}

class OpenScript final : public SegmentScript {
 public:
  OpenScript(const QueryContext& context, const script::Program& program, std::size_t segment)
      : document_(context, segment), run_(program, document_, context.steps) {}
  Status open(const script::Program& program) { return document_.open(program.fields()); }

  double number(std::uint32_t doc, float score) override {
    document_.go_to(doc);
    double out = 0;
    (void)run_.number(static_cast<double>(score), out);
    return out;
  }
  bool truth(std::uint32_t doc) override {
    document_.go_to(doc);
    bool out = false;
    (void)run_.truth(out);
    return out;
  }

 private:
  ScriptDocument document_;
  script::Run run_;
};

}  // namespace

Result<std::shared_ptr<const script::Program>> compile_script(const QueryContext& context,
                                                              const Script& script,
                                                              script::Use use) {
  const ScriptFields fields(context.view);
  // Compiling takes about as long as so many documents.
  CAIRN_CHECK(context.steps.take(16 + script.source.size() / 4));
  return script::Program::compile(script.source, use, script.params, &fields);
}

std::string script_text(const Script& script) {
  const bool kept = !script.id.empty();
  return std::string("Script{type=") + (kept ? "stored, lang=null" : "inline, lang='painless'") +
         ", idOrCode='" + (kept ? script.id : script.source) + "', options={}, params=" +
         (script.params.is_object() ? shown(script.params) : "{}") + "}";
}

Result<SegmentScriptPtr> open_script(const QueryContext& context, const script::Program& program,
                                     std::size_t segment) {
  auto out = std::make_unique<OpenScript>(context, program, segment);
  CAIRN_CHECK(out->open(program));
  return SegmentScriptPtr(std::move(out));
}

}  // namespace cairn::index
