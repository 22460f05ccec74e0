// SPDX-License-Identifier: Apache-2.0
// What scripts give for documents, to be shown with them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/query.h"
#include "index/view.h"
#include "os/deadline.h"

namespace cairn::script {
class Program;
}

namespace cairn::index {

/// Scripts, compiled for one view, which this keeps alive. One thread.
class ScriptValues {
 public:
  /// Errors: script_exception, `compile error`; illegal_argument_exception.
  static Result<ScriptValues> make(std::shared_ptr<const View> view,
                                   const std::vector<Script>& scripts,
                                   const os::Deadline& deadline);
  /// What the script of this number gives for a document of the view. Errors: script_exception,
  /// `runtime error`; timeout, cancelled, and those of the store.
  Result<Json> of(std::size_t script, DocAddress doc, const os::Deadline& deadline) const;

 private:
  std::shared_ptr<const View> view_;
  std::vector<std::shared_ptr<const script::Program>> programs_;
};

}  // namespace cairn::index
