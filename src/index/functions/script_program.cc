// SPDX-License-Identifier: Apache-2.0
#include "index/functions/script_program.h"

#include "index/functions/script_fields.h"

namespace cairn::index {
namespace {

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
  bool json(std::uint32_t doc, Json& out) override {
    document_.go_to(doc);
    return run_.json(out);
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

Result<SegmentScriptPtr> open_script(const QueryContext& context, const script::Program& program,
                                     std::size_t segment) {
  auto out = std::make_unique<OpenScript>(context, program, segment);
  CAIRN_CHECK(out->open(program));
  return SegmentScriptPtr(std::move(out));
}

}  // namespace cairn::index
