// SPDX-License-Identifier: Apache-2.0
#include "index/script_values.h"

#include "index/functions/script_program.h"
#include "index/query/view_state.h"

namespace cairn::index {

Result<ScriptValues> ScriptValues::make(std::shared_ptr<const View> view,
                                        const std::vector<Script>& scripts,
                                        const os::Deadline& deadline) {
  ScriptValues out;
  const QueryContext context{.view = *view->state_, .deadline = deadline};
  for (const Script& script : scripts) {
    CAIRN_TRY(auto program, compile_script(context, script, script::Use::value));
    out.programs_.push_back(std::move(program));
  }
  out.view_ = std::move(view);
  return out;
}

Result<Json> ScriptValues::of(std::size_t script, DocAddress doc,
                              const os::Deadline& deadline) const {
  const QueryContext context{.view = *view_->state_, .deadline = deadline};
  CAIRN_TRY(const auto open, open_script(context, *programs_[script], doc.segment));
  Json out;
  if (open->json(doc.doc, out)) return out;
  CAIRN_CHECK(context.steps.status());
  return Json();
}

}  // namespace cairn::index
