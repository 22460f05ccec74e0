// SPDX-License-Identifier: Apache-2.0
// What a script is compiled to: operations on registers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "script/doc_values.h"
#include "script/options.h"
#include "script/value.h"

namespace cairn::script {

struct Method;
struct StaticFunction;

/// `a` is where the result goes, `b` and `c` are operands, unless it says otherwise. Registers
/// below zero are constants. Operations of a type (`_l` whole, `_d` real) look at no types.
enum class Code : std::uint16_t {
  move,
  convert,       // b to the type c, as a cast does
  require,       // b to the type c, as an assignment does
  add_l, sub_l, mul_l, div_l, rem_l,
  and_l, or_l, xor_l, shl_i, shr_i, ushr_i, shl_l, shr_l, ushr_l,
  add_d, sub_d, mul_d, div_d, rem_d,
  neg_l, neg_d, bit_not,
  wrap_int,      // a, which became long, is an int
  round_float,   // a, which became double, is a float
  to_double,     // b, a whole number
  eq_l, ne_l, lt_l, le_l, gt_l, ge_l,
  eq_d, ne_d, lt_d, le_d, gt_d, ge_d,
  not_,
  // of values whose types are known when they are there
  add, sub, mul, div, rem, and_, or_, xor_, shl, shr, ushr,
  negate, complement, plus,
  eq, ne, lt, le, gt, ge,
  is_a,          // whether b is of the type class c
  // where to go on: at c
  jump,
  jump_if,       // b is true
  jump_unless,
  jump_null,
  jump_value,    // b is not null
  loop,          // back to c, counted
  each,          // a: the next of the list b, whose place is in the register behind it; else to c
  to_list,       // of anything that has elements
  // functions of numbers
  math_1,        // c: which
  math_2,        // of b and the register behind it
  call_static,   // arguments from a on, result in a; b: how many, c: which
  call,          // object and arguments from a on, result in a; c: which site
  member,        // b, c: which site
  set_member,    // a.c = b
  element,       // b[c]
  set_element,   // a[b] = c
  new_list, new_map,
  append,        // b to the list a
  put,           // in the map a, b: key, c: value
  // documents; b: the field
  first_whole, first_real, first_boolean, first_date, first_value,
  count_values,
  is_empty,
  open_field,    // by the name b
  compare_vectors,  // the constant b, with the field c; the function is in the operation behind it
  chance,        // seed b, field c; below zero: none
  emit,          // b, of the type that the use says
  source,        // of the document: all of it, or its member b
  fail,          // c: which message
  give,          // back b
};

struct Op {
  Code code;
  std::int16_t a = 0, b = 0, c = 0;
};

/// A call or a member of a value whose type is known when it is there.
struct Site {
  std::string name;
  std::uint16_t arguments = 0;
  const Method* method = nullptr;  // where the type is known
};

struct UsedField {
  std::string name;
  FieldFacts facts;
};

/// Everything that a run needs. Immutable once it is compiled.
struct Compiled {
  std::vector<Op> ops = {};
  std::vector<std::uint32_t> places = {};      // of each operation in the source
  std::vector<std::uint32_t> statements = {};  // where they begin, ascending
  std::vector<Value> constants = {};           // register -1 is the first
  std::vector<Site> sites = {};
  std::vector<std::pair<std::string, std::string>> faults = {};  // type and message
  std::vector<UsedField> fields = {};
  std::size_t registers = 1;  // 0: _score
  bool uses_score = false;
};

/// How vectors are compared.
enum class VectorFunction : std::uint8_t { cosine, dot, l1, l2, hamming };

}  // namespace cairn::script
