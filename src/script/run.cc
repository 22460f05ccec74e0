// SPDX-License-Identifier: Apache-2.0
// The interpreter: the operations of numbers, jumps and documents.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "script/arithmetic.h"
#include "script/errors.h"
#include "script/methods.h"
#include "script/operations.h"
#include "script/script.h"

namespace cairn::script {

Run::Run(const Program& program, Document& document, os::Steps& steps)
    : program_(program),
      code_(program.code()),
      document_(document),
      steps_(steps),
      heap_(program.limits().value_bytes) {
  values_.resize(code_.constants.size() + code_.registers + 1);
  // Constant -1 lies just below register 0.
  registers_ = values_.data() + code_.constants.size();
  for (std::size_t i = 0; i < code_.constants.size(); ++i)
    values_[code_.constants.size() - 1 - i] = code_.constants[i];
  last_.resize(code_.sites.size());
}

bool Run::fail(std::string type, std::string reason) {
  const auto at = static_cast<std::size_t>(at_ - code_.ops.data());
  steps_.fail(runtime_error(program_.source(),
                            {.type = std::move(type),
                             .reason = std::move(reason),
                             .at = code_.places[std::min(at, code_.places.size() - 1)]},
                            code_.statements));
  return false;
}

bool Run::execute(double score, Value& out) {
  heap_.clear();
  loops_ = 0;
  registers_[0] = Value::of(score);
  return steps_.go_on(1 + code_.ops.size() / 64) && go(out) && steps_.status().ok();
}

bool Run::number(double score, double& out) {
  Value value;
  if (!execute(score, value)) return false;
  out = value.real;
  return true;
}

bool Run::truth(bool& out) {
  Value value;
  if (!execute(0, value)) return false;
  out = value.whole != 0;
  return true;
}

bool Run::text(std::string& out, double score) {
  Value value;
  out.clear();
  if (!execute(score, value)) return false;
  if (value.is_null() && program_.use() == Use::sort_text)
    return fail("null_pointer_exception", "a script of a sort key gives back a text, and not null");
  return append_text(*this, value, out);
}

bool Run::missing_value() {
  return fail("illegal_state_exception",
              "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if "
              "a document is missing a field!");
}

// One operation after another. What takes more than a few instructions is elsewhere.
bool Run::go(Value& out) {
  Value* const r = registers_;
  const Op* const start = code_.ops.data();
  const Op* next = start;
  const auto whole = [&](const Op& op, std::int64_t v) { r[op.a] = Value::whole_of(Type::long_, v); };
  const auto real = [&](const Op& op, double v) { r[op.a] = Value::real_of(Type::double_, v); };
  const auto truth = [&](const Op& op, bool v) { r[op.a] = Value::of(v); };
  for (;;) {
    const Op& op = *next++;
    at_ = &op;
    switch (op.code) {
      case Code::move: r[op.a] = r[op.b]; break;
      case Code::add_l: whole(op, wrapping_add(r[op.b].whole, r[op.c].whole)); break;
      case Code::sub_l: whole(op, wrapping_sub(r[op.b].whole, r[op.c].whole)); break;
      case Code::mul_l: whole(op, wrapping_mul(r[op.b].whole, r[op.c].whole)); break;
      case Code::div_l:
      case Code::rem_l:
        if (r[op.c].whole == 0) return fail("arithmetic_exception", "/ by zero");
        whole(op, op.code == Code::div_l ? whole_quotient(r[op.b].whole, r[op.c].whole)
                                         : whole_rest(r[op.b].whole, r[op.c].whole));
        break;
      case Code::and_l: whole(op, r[op.b].whole & r[op.c].whole); break;
      case Code::or_l: whole(op, r[op.b].whole | r[op.c].whole); break;
      case Code::xor_l: whole(op, r[op.b].whole ^ r[op.c].whole); break;
      case Code::shl_i: whole(op, static_cast<std::int64_t>(static_cast<std::uint64_t>(r[op.b].whole) << (r[op.c].whole & 31))); break;
      case Code::shr_i: whole(op, r[op.b].whole >> (r[op.c].whole & 31)); break;
      case Code::ushr_i: whole(op, static_cast<std::uint32_t>(r[op.b].whole) >> (r[op.c].whole & 31)); break;
      case Code::shl_l: whole(op, static_cast<std::int64_t>(static_cast<std::uint64_t>(r[op.b].whole) << (r[op.c].whole & 63))); break;
      case Code::shr_l: whole(op, r[op.b].whole >> (r[op.c].whole & 63)); break;
      case Code::ushr_l: whole(op, static_cast<std::int64_t>(static_cast<std::uint64_t>(r[op.b].whole) >> (r[op.c].whole & 63))); break;
      case Code::add_d: real(op, r[op.b].real + r[op.c].real); break;
      case Code::sub_d: real(op, r[op.b].real - r[op.c].real); break;
      case Code::mul_d: real(op, r[op.b].real * r[op.c].real); break;
      case Code::div_d: real(op, r[op.b].real / r[op.c].real); break;
      case Code::rem_d: real(op, std::fmod(r[op.b].real, r[op.c].real)); break;
      case Code::neg_l: whole(op, wrapping_sub(0, r[op.b].whole)); break;
      case Code::neg_d: real(op, -r[op.b].real); break;
      case Code::bit_not: whole(op, ~r[op.b].whole); break;
      case Code::wrap_int: r[op.a] = Value::whole_of(Type::int_, as_int(r[op.a].whole)); break;
      case Code::round_float: r[op.a] = Value::real_of(Type::float_, as_float(r[op.a].real)); break;
      case Code::to_double: real(op, static_cast<double>(r[op.b].whole)); break;
      case Code::eq_l: truth(op, r[op.b].whole == r[op.c].whole); break;
      case Code::ne_l: truth(op, r[op.b].whole != r[op.c].whole); break;
      case Code::lt_l: truth(op, r[op.b].whole < r[op.c].whole); break;
      case Code::le_l: truth(op, r[op.b].whole <= r[op.c].whole); break;
      case Code::gt_l: truth(op, r[op.b].whole > r[op.c].whole); break;
      case Code::ge_l: truth(op, r[op.b].whole >= r[op.c].whole); break;
      case Code::eq_d: truth(op, r[op.b].real == r[op.c].real); break;
      case Code::ne_d: truth(op, r[op.b].real != r[op.c].real); break;
      case Code::lt_d: truth(op, r[op.b].real < r[op.c].real); break;
      case Code::le_d: truth(op, r[op.b].real <= r[op.c].real); break;
      case Code::gt_d: truth(op, r[op.b].real > r[op.c].real); break;
      case Code::ge_d: truth(op, r[op.b].real >= r[op.c].real); break;
      case Code::not_: truth(op, r[op.b].whole == 0); break;
      case Code::jump: next = start + op.c; break;
      case Code::jump_if: if (r[op.b].whole != 0) next = start + op.c; break;
      case Code::jump_unless: if (r[op.b].whole == 0) next = start + op.c; break;
      case Code::jump_null: if (r[op.b].is_null()) next = start + op.c; break;
      case Code::jump_value: if (!r[op.b].is_null()) next = start + op.c; break;
      case Code::loop:
        if (++loops_ > program_.limits().loops)
          return fail("painless_error",
                      "The maximum number of statements that can be executed in a loop has been "
                      "reached.");
        if (!steps_.go_on(1 + static_cast<std::uint64_t>(&op - (start + op.c)) / 8)) return false;
        next = start + op.c;
        break;
      case Code::math_1:
        real(op, math_function(static_cast<std::size_t>(op.c)).of_one(r[op.b].real));
        break;
      case Code::math_2:
        real(op, math_function(static_cast<std::size_t>(op.c)).of_two(r[op.b].real, r[op.b + 1].real));
        break;
      case Code::first_whole: {
        std::int64_t v = 0;
        if (!document_.first_whole(static_cast<std::size_t>(op.b), v)) return missing_value();
        whole(op, v);
        break;
      }
      case Code::first_real: {
        double v = 0;
        if (!document_.first_real(static_cast<std::size_t>(op.b), v)) return missing_value();
        real(op, v);
        break;
      }
      case Code::give: out = r[op.b]; return true;
      default:
        if (!slow(op, next)) return false;
    }
  }
}

bool Run::document_value(const Op& op) {
  Value& out = registers_[op.a];
  const auto field = static_cast<std::size_t>(op.b);
  std::int64_t v = 0;
  switch (op.code) {
    case Code::first_boolean:
    case Code::first_date:
      if (!document_.first_whole(field, v)) return missing_value();
      out = Value::whole_of(op.code == Code::first_date ? Type::date : Type::boolean, v);
      return true;
    case Code::first_value:
      if (document_.count(field) == 0) return missing_value();
      out = field_value(*this, field, 0);
      return true;
    case Code::count_values:
      out = Value::whole_of(Type::int_, static_cast<std::int64_t>(field_count(*this, field)));
      return true;
    case Code::is_empty:
      out = Value::of(field_count(*this, field) == 0);
      return true;
    default:
      out = Value::of(document_.chance(registers_[op.b].whole,
                                       op.c < 0 ? std::nullopt
                                                : std::optional(static_cast<std::size_t>(op.c))));
      return true;
  }
}

bool Run::compare_vectors(const Op& op, const Op*& next) {
  const auto which = static_cast<VectorFunction>((next++)->a);
  const auto& query = registers_[op.b].object->numbers;
  const auto vector = document_.vector(static_cast<std::size_t>(op.c));
  if (vector.size() != query.size())
    return steps_.status().ok() && fail("illegal_argument_exception",
                                        "A document doesn't have a value for a vector field!");
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const auto q = static_cast<double>(query[i]), d = static_cast<double>(vector[i]);
    if (which == VectorFunction::l1) sum += std::abs(q - d);
    if (which == VectorFunction::l2) sum += (q - d) * (q - d);
    if (which <= VectorFunction::dot) sum += q * d;
    if (which == VectorFunction::cosine) squares += d * d;
    if (which == VectorFunction::hamming)
      sum += __builtin_popcount((static_cast<unsigned>(static_cast<int>(q)) ^
                                 static_cast<unsigned>(static_cast<int>(d))) & 0xFF);
  }
  if (which == VectorFunction::l2) sum = std::sqrt(sum);
  if (which == VectorFunction::cosine)
    sum /= registers_[op.b].object->items[0].real * std::sqrt(squares);
  registers_[op.a] = Value::of(sum);
  return work(query.size());
}

}  // namespace cairn::script
