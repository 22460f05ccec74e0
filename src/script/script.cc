// SPDX-License-Identifier: Apache-2.0
#include "script/script.h"

#include <utility>

#include "script/compiler.h"
#include "script/errors.h"
#include "script/lexer.h"
#include "script/parser.h"

namespace cairn::script {

Program::Program(std::string source, Use use, const Limits& limits)
    : source_(std::move(source)), use_(use), limits_(limits), heap_(SIZE_MAX) {}

Result<std::shared_ptr<const Program>> Program::compile(std::string_view source, Use use,
                                                        const Json& params, const Fields* fields,
                                                        const Limits& limits) {
  if (source.size() > limits.source_bytes)
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "illegal_argument_exception",
                 .message = "exceeded max allowed inline script size in bytes [" +
                            std::to_string(limits.source_bytes) + "] with size [" +
                            std::to_string(source.size()) + "]"};
  auto out = std::make_shared<Program>(std::string(source), use, limits);
  const std::string_view kept = out->source_;
  Fault fault;
  std::vector<Token> tokens;
  Syntax syntax;
  if (!read_tokens(kept, tokens, fault) || !Parser(tokens, limits, syntax, fault).run() ||
      !Compiler(syntax, use, params, fields, limits, out->heap_, out->code_, fault).run())
    return compile_error(kept, fault);
  return std::shared_ptr<const Program>(std::move(out));
}

}  // namespace cairn::script
