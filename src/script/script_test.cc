// SPDX-License-Identifier: Apache-2.0
#include "script/script.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "script/operations.h"
#include "script/testing.h"

namespace cairn::script_test {

using namespace script;

std::string told(const Error& error) {
  std::string at;
  for (const auto& [name, value] : error.details)
    if (name == "line" || name == "col") at += (at.empty() ? "" : ":") + value;
  return error.message + " at " + at + ": " + error.cause->code + ": " + error.cause->message;
}

/// What a script gives back, as a text, or what went wrong.
std::string value_of(std::string_view source, std::string_view params = "{}",
                     std::string_view doc = "{}", Use use = Use::value) {
  const TestFields fields;
  const Json given = *parse_json(params), values = *parse_json(doc);
  const auto program = Program::compile(source, use, given, &fields);
  if (!program.ok()) return told(program.error());
  TestDocument document(**program, values);
  const os::Deadline deadline = os::Deadline::never();
  os::Steps steps(deadline);
  Run run(**program, document, steps);
  std::string text;
  bool done = false;
  if (is_emitting(use)) {
    Emitted emitted{.field = "f"};
    done = run.emitted(emitted);
    for (const std::int64_t one : emitted.whole) text += (text.empty() ? "" : " ") + std::to_string(one);
    for (const double one : emitted.real) text += (text.empty() ? "" : " ") + number_text(one, false);
    for (const std::string& one : emitted.texts) text += (text.empty() ? "" : " ") + one;
  } else if (gives_number(use)) {
    double score = 0;
    done = run.number(1.5, score);
    text = number_text(score, false);
  } else if (use == Use::filter) {
    bool passes = false;
    done = run.truth(passes);
    text = passes ? "true" : "false";
  } else {
    done = run.text(text);
  }
  if (done) return text;
  const auto& status = steps.status();
  return status.ok() ? "ended" : told(status.error());
}

struct Row {
  std::string_view source, out;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO("source: ", row.source);
    CHECK(value_of(row.source) == row.out);
  }
}

TEST_CASE("script: numbers have the types and the ranges of the language") {
  check({
      {"1 + 2", "3"},
      {"7 / 2", "3"},
      {"-7 / 2", "-3"},
      {"-7 % 3", "-1"},
      {"7 / 2.0", "3.5"},
      {"7 / 2f", "3.5"},
      {"1 / 3f", "0.33333334"},
      {"1 / 3.0", "0.3333333333333333"},
      {"2147483647 + 1", "-2147483648"},
      {"2147483647 + 1L", "2147483648"},
      {"-2147483648 / -1", "-2147483648"},
      {"9223372036854775807L + 1", "-9223372036854775808"},
      {"Long.MIN_VALUE / -1", "-9223372036854775808"},
      {"46341 * 46341", "-2147479015"},
      {"1 << 33", "2"},
      {"1L << 33", "8589934592"},
      {"-1 >>> 28", "15"},
      {"-1 >> 28", "-1"},
      {"-1L >>> 60", "15"},
      {"6 & 3 | 8 ^ 1", "11"},
      {"~5", "-6"},
      {"0x7f + 010", "135"},
      {"1e10", "1.0E10"},
      {"1e7 - 1", "9999999.0"},
      {"0.001", "0.001"},
      {"0.0001", "1.0E-4"},
      {"1.0 / 0", "Infinity"},
      {"0.0 / 0", "NaN"},
      {"0.0 / 0 == 0.0 / 0", "false"},
      {"5.5 % 2", "1.5"},
      {"(int) 3.9", "3"},
      {"(int) -3.9", "-3"},
      {"(int) 1e20", "2147483647"},
      {"(long) 1e20", "9223372036854775807"},
      {"(int) (0.0 / 0)", "0"},
      {"(int) 4294967297L", "1"},
      {"(float) 0.1", "0.1"},
      {"(double) (float) 0.1", "0.10000000149011612"},
      {"16777217 + 0f", "1.6777216E7"},
      {"1 + 2 * 3 - 4", "3"},
      {"(1 + 2) * 3", "9"},
      {"2 - 3 - 4", "-5"},
      {"-(-5)", "5"},
      {"- -2147483648", "-2147483648"},
      {"-0.0", "-0.0"},
      {"def x = 0.0; -x", "-0.0"},
      {".5", "compile error at 1:1: illegal_argument_exception: unexpected token ['.']."},
  });
}

TEST_CASE("script: comparisons and logic") {
  check({
      {"1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3", "true"},
      {"1 == 1.0", "true"},
      {"1 == 1L", "true"},
      {"'a' == 'a'", "true"},
      {"'a' + 'b' == 'ab'", "true"},
      {"null == null", "true"},
      {"'a' == null", "false"},
      {"def x = 1; def y = 1.0; x == y", "true"},
      {"def x = 1; x == '1'", "false"},
      {"[1, 2] == [1, 2]", "true"},
      {"[1] == [1.0]", "false"},
      {"!(1 > 2)", "true"},
      {"false && 1 / 0 > 0", "false"},
      {"true || 1 / 0 > 0", "true"},
      {"true ^ true", "false"},
      {"1 > 2 ? 'a' : 'b'", "b"},
      {"true ? 1 : 2.0", "1.0"},
      {"false ? 1 : 2L", "2"},
      {"true ? 1 : 'a'", "1"},
      {"null ?: 5", "5"},
      {"def x = 3; x ?: 5", "3"},
      {"def m = null; m?.size()", "null"},
      {"def m = ['a': null]; m.a?.b ?: 'none'", "none"},
      {"1 instanceof Integer", "true"},
      {"'a' instanceof String", "true"},
      {"[] instanceof List && [:] instanceof Map && !(1 instanceof Long)", "true"},
      {"1.0 instanceof Number", "true"},
  });
}

TEST_CASE("script: statements") {
  check({
      {"int x = 5; x += 2; x *= 3; return x", "21"},
      {"int x = 5; x += 2.7; x", "7"},
      {"int x = 2147483647; x++; x", "-2147483648"},
      {"int x = 1; int y = x++ + ++x; y * 10 + x", "43"},
      {"int i = 5; i + (i = 7)", "12"},
      {"int i = 5; int j = i-- - --i; j", "2"},
      {"int i = 1; i = i++ + i; i", "3"},
      {"int a, b = 3; a + b", "3"},
      {"int s = 0; for (int i = 0; i < 10; i++) { s += i } return s", "45"},
      {"int s = 0; for (int i = 0; i < 10; ++i) { if (i == 3) continue; if (i == 6) break; s += i; } s", "12"},
      {"int s = 0; for (def v : [1, 2, 3]) s += v; s", "6"},
      {"double s = 0; for (v in [1, 2.5]) { s += v } s", "3.5"},
      {"int i = 0; while (i < 5) i++; i", "5"},
      {"int i = 0; do { i++ } while (i < 5); i", "5"},
      {"int i = 0; while (true) { if (++i > 7) { break } } i", "8"},
      {"if (1 > 2) { 'a' } else if (2 > 1) { 'b' } else { 'c' }", "b"},
      {"if (1 > 2) return 5;", "null"},
      {"int x; x", "0"},
      {"String s; s", "null"},
      {"String s = 'a'; s += 1; s += 2.0; s", "a12.0"},
      {"def x = 1; x = 'text'; x", "text"},
      {"// a comment\n/* another */ 1", "1"},
      {"{ int x = 1 } { int x = 2; x }", "2"},
      {"for (int i = 0; i < 3; i++) { } for (int i = 0; i < 2; i++) { } 7", "7"},
      {"int n = 0; for (a in [1, 2]) for (b in [3, 4]) n += a * b; n", "21"},
      {"int x = 0; for (;;) { x++; if (x == 3) return x; }", "3"},
  });
}

TEST_CASE("script: lists, maps and texts") {
  check({
      {"[1, 'a', 2.0, null, true]", "[1, a, 2.0, null, true]"},
      {"['a': 1, 'b': [2]]", "{a=1, b=[2]}"},
      {"[:].isEmpty() && [].isEmpty()", "true"},
      {"def l = [3, 1, 2]; l.add(0); l.sort(null); l", "[0, 1, 2, 3]"},
      {"List l = new ArrayList(); l.add(5); l.add(0, 6); l[1] = 7; l", "[6, 7]"},
      {"def l = [1, 2, 3]; l[-1]", "3"},
      {"def l = [1, 2, 3]; l.1", "2"},
      {"def l = [1, 2]; l.length", "2"},
      {"def l = [1, 2]; l[0] += 5; l[1]++; l", "[6, 3]"},
      {"def m = ['a': 1]; m.b = 2; m['c'] = 3; m.a += 10; m", "{a=11, b=2, c=3}"},
      {"Map m = new HashMap(); m.put('x', 1); m.getOrDefault('y', 9) + m.get('x')", "10"},
      {"def m = ['a': 1, 'b': 2]; int s = 0; for (e in m.entrySet()) s += e.value; s", "3"},
      {"def m = ['a': 1, 'b': 2]; m.remove('a'); m.keySet().contains('b') && !m.containsKey('a')", "true"},
      {"def m = [1: 'a']; m[1] + m[1L]", "anull"},
      {"[1, 2, 3].subList(1, 3).indexOf(3)", "1"},
      {"Collections.max([1, 3, 2]) + Collections.min([1, 3, 2])", "4"},
      {"String.join('-', ['a', 'b'])", "a-b"},
      {"'hello'.substring(1, 3) + 'hello'.length()", "el5"},
      {"'añ😀b'.length()", "5"},
      {"'añ😀b'.substring(4)", "b"},
      {"'añ😀b'.indexOf('b')", "4"},
      {"'a,b,,c,,'.splitOnToken(',')", "[a, b, , c]"},
      {"'aXbX'.replace('X', '-') + 'ab'.replace('', '.')", "a-b-.a.b."},
      {"' a '.trim().toUpperCase()", "A"},
      {"'abc'.contains('b') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc')", "true"},
      {"'hello'.hashCode()", "99162322"},
      {"'b'.compareTo('a')", "1"},
      {"'a' + 1 + 2", "a12"},
      {"1 + 2 + 'a'", "3a"},
      {"'it\\'s' + \"a \\\"b\\\"\"", "it'sa \"b\""},
      {"Integer.parseInt('-12') + Long.parseLong('5') + Double.parseDouble('1e1')", "3.0"},
      {"Integer.toString(5) + String.valueOf(null)", "5null"},
      {"def x = 5; x.toString() + x.doubleValue()", "55.0"},
      {"Math.round(2.5) + Math.round(-2.5)", "1"},
      {"Math.max(1, 2) + Math.pow(2, 10) + Math.abs(-1)", "1027.0"},
      {"Math.floor(-1.5) + Math.sqrt(16)", "2.0"},
      {"Integer.MAX_VALUE + Math.signum(-2)", "2.147483646E9"},
  });
}

TEST_CASE("script: documents and parameters") {
  struct Case {
    std::string_view source, params, doc, out;
  };
  const Case cases[] = {
      {"doc['l'].value + 1", "{}", R"({"l": [4, 5]})", "5"},
      {"doc['l'].value / 3", "{}", R"({"l": [10]})", "3"},
      {"doc.l.value", "{}", R"({"l": [10]})", "10"},
      {"doc['d'].value * 2", "{}", R"({"d": [1.5]})", "3.0"},
      {"doc['b'].value ? 'yes' : 'no'", "{}", R"({"b": [true]})", "yes"},
      {"doc['k'].value + doc['k'].values", "{}", R"({"k": ["a", "b"]})", "a[a, b]"},
      {"doc['l'].size() + doc['l'].length", "{}", R"({"l": [1, 2, 3]})", "6"},
      {"doc['l'].size() == 0 ? -1 : doc['l'].value", "{}", "{}", "-1"},
      {"doc['l'].empty && doc['l'].isEmpty()", "{}", "{}", "true"},
      {"doc['l'].get(1) + doc['l'][0]", "{}", R"({"l": [1, 2]})", "3"},
      {"int s = 0; for (v in doc['l']) s += v; s", "{}", R"({"l": [1, 2]})",
       "3"},
      {"int s = 0; for (v in doc['l']) s = v; s", "{}", R"({"l": [1, 2]})",
       "runtime error at 1:34: class_cast_exception: Cannot cast from [java.lang.Long] to [int]."},
      {"long s = 0; for (v in doc['l']) s += v; s", "{}", R"({"l": [1, 2]})", "3"},
      {"doc.containsKey('l') && !doc.containsKey('q')", "{}", "{}", "true"},
      {"double s = 0; for (f in params.f) if (doc.containsKey(f)) s += doc[f].value; s",
       R"({"f": ["l", "d", "q"]})", R"({"l": [1], "d": [2.5]})", "3.5"},
      {"doc['t'].value.year + '-' + doc['t'].value.monthValue + '-' + doc['t'].value.dayOfMonth", "{}",
       R"({"t": ["2026-02-28T23:59:58.500Z"]})", "2026-2-28"},
      {"def t = doc['t'].value; t.hour + ':' + t.minute + ':' + t.second + ' ' + t.dayOfYear", "{}",
       R"({"t": ["2026-02-28T23:59:58.500Z"]})", "23:59:58 59"},
      {"doc['t'].value.toInstant().toEpochMilli() - doc['t'].value.getMillis()", "{}",
       R"({"t": ["1969-12-31T23:59:59.999Z"]})", "0"},
      {"def t = doc['t'].value; t + ' ' + t.getDayOfWeekEnum() + t.dayOfWeekEnum.value", "{}",
       R"({"t": ["1970-01-01"]})", "1970-01-01T00:00Z THURSDAY4"},
      {"ZonedDateTime t = doc['t'].value; t.plusDays(1).isAfter(t)", "{}", R"({"t": ["1970-01-01"]})", "true"},
      {"params.a + params['b'] + params.get('c')", R"({"a": 1, "b": 2.5, "c": 3000000000})", "{}", "3.0000000035E9"},
      {"params.missing == null && params.containsKey('a')", R"({"a": 1})", "{}", "true"},
      {"params.list[1] + params.map.x", R"({"list": [1, 2], "map": {"x": 3}})", "{}", "5"},
      {"def p = params; p.a", R"({"a": "t"})", "{}", "t"},
      {"doc['v'].vectorValue[1] + doc['v'].magnitude", "{}", R"({"v": [0, 3, 4]})", "8.0"},
  };
  for (const Case& one : cases) {
    INFO("source: ", one.source);
    CHECK(value_of(one.source, one.params, one.doc) == one.out);
  }
}

TEST_CASE("script: functions for scores") {
  struct Case {
    std::string_view source, params, doc, out;
  };
  const Case cases[] = {
      {"_score * 2", "{}", "{}", "3.0"},
      {"_score * Math.log(2 + doc['l'].value)", "{}", R"({"l": [0]})", "1.0397207708399179"},
      {"saturation(doc['l'].value, 1)", "{}", R"({"l": [3]})", "0.75"},
      {"sigmoid(2, 1, 1)", "{}", "{}", "0.6666666666666666"},
      {"randomScore(7)", "{}", "{}", "0.7"},
      {"randomScore(7, 'l')", "{}", "{}", "0.5"},
      {"decayNumericLinear(0, 10, 0, 0.5, 10)", "{}", "{}", "0.5"},
      {"decayNumericExp(params.o, 10, 5, 0.5, doc['l'].value)", R"({"o": 0})", R"({"l": [15]})", "0.5"},
      {"decayNumericGauss(0, 10, 0, 0.5, doc['d'].value)", "{}", R"({"d": [10]})", "0.5"},
      {"decayDateGauss('2026-01-01', '10d', '0d', 0.5, doc['t'].value)", "{}", R"({"t": ["2026-01-11"]})", "0.5"},
      {"decayDateLinear(params.o, params.s, '0', 0.5, doc['t'].value)",
       R"({"o": "2026-01-01", "s": "10d"})", R"({"t": ["2026-01-11"]})", "0.5"},
      {"dotProduct(params.q, 'v')", R"({"q": [1, 2, 3]})", R"({"v": [1, 1, 1]})", "6.0"},
      {"cosineSimilarity(params.q, 'v') + 1.0", R"({"q": [2, 0, 0]})", R"({"v": [3, 0, 0]})", "2.0"},
      {"l1norm([1, 2, 3], 'v')", "{}", R"({"v": [1, 1, 1]})", "3.0"},
      {"l2norm(params.q, 'v')", R"({"q": [1, 2, 3]})", R"({"v": [1, 2, 5]})", "2.0"},
      {"hamming(params.q, 'y')", R"({"q": [1, 0, -1]})", R"({"y": [0, 0, 0]})", "9.0"},
      {"hamming('0100ff', 'y')", "{}", R"({"y": [0, 0, 0]})", "9.0"},
      {"if (doc['l'].size() == 0) return 0; return doc['l'].value", "{}", "{}", "0.0"},
      {"doc['l'].size() == 0 ? 0 : doc['l'].value", "{}", R"({"l": [9]})", "9.0"},
      {"int x = 1;", "{}", "{}", "0.0"},
  };
  for (const Case& one : cases) {
    INFO("source: ", one.source);
    CHECK(value_of(one.source, one.params, one.doc, Use::score) == one.out);
  }
}

TEST_CASE("script: what is none says where and why") {
  check({
      {"", "compile error at 1:1: illegal_argument_exception: Cannot generate an empty script."},
      {"1 +", "compile error at 1:4: illegal_argument_exception: unexpected end of script."},
      {"x + 1", "compile error at 1:1: illegal_argument_exception: cannot resolve symbol [x]"},
      {"int x = 1;\nint x = 2; 1", "compile error at 2:5: illegal_argument_exception: variable [x] is already defined"},
      {"int x = 1.5; x", "compile error at 1:9: class_cast_exception: Cannot cast from [double] to [int]."},
      {"String s = 1; s", "compile error at 1:12: class_cast_exception: Cannot cast from [int] to [String]."},
      {"2147483648", "compile error at 1:1: illegal_argument_exception: Invalid int constant [2147483648]. If you want a long constant then change it to [2147483648L]."},
      {"'a' * 2", "compile error at 1:5: class_cast_exception: Cannot apply [*] operation to types [String] and [int]."},
      {"if (1) 2", "compile error at 1:5: class_cast_exception: Cannot cast from [int] to [boolean]."},
      {"break", "compile error at 1:1: illegal_argument_exception: Break statement outside of a loop."},
      {"'a'.foo()", "compile error at 1:5: illegal_argument_exception: member method [java.lang.String, foo/0] not found"},
      {"'a'.split(',')", "compile error at 1:5: illegal_argument_exception: member method [java.lang.String, split/1] not found: regular expressions are not offered in scripts here"},
      {"[1].forEach(x -> x)", "compile error at 1:15: illegal_argument_exception: lambdas are not offered in scripts here"},
      {"'a' =~ /b/", "compile error at 1:5: illegal_argument_exception: regular expressions are not offered in scripts here"},
      {"int f(int x) { x } f(1)", "compile error at 1:1: illegal_argument_exception: functions of its own are not offered in scripts here"},
      {"Integer x = 1; x", "compile error at 1:1: illegal_argument_exception: the type [Integer] is not offered in scripts here: use a type such as [int] or [double], or [def]"},
      {"Foo x = 1; x", "compile error at 1:1: illegal_argument_exception: cannot resolve type [Foo]"},
      {"try { 1 } catch (Exception e) { 2 }", "compile error at 1:1: illegal_argument_exception: [try] is not offered in scripts here"},
      {"int[] a = new int[2]; 1", "compile error at 1:1: illegal_argument_exception: arrays are not offered in scripts here: use [List]"},
      {"'a\\n'", "compile error at 1:1: illegal_argument_exception: unexpected character [\\n]. The only valid escape sequences in strings starting with ['] are [\\\\] and [\\']."},
      {"Math.random()", "compile error at 1:6: illegal_argument_exception: static method [Math, random/0] not found: use [randomScore], which is the same when it is asked again"},
      {"params = 1", "compile error at 1:1: illegal_argument_exception: [params] is read-only"},
      {"_score", "compile error at 1:1: illegal_argument_exception: cannot resolve symbol [_score]: there are no scores here"},
      {"ctx._source.x", "compile error at 1:1: illegal_argument_exception: cannot resolve symbol [ctx]: scripts see [doc], [params] and [_score] here"},
      {"foo(1)", "compile error at 1:1: illegal_argument_exception: Unknown call [foo] with [1] arguments."},
      {"1 # 2", "compile error at 1:3: illegal_argument_exception: unexpected character [#]."},
      {"1 2", "compile error at 1:3: illegal_argument_exception: unexpected token ['2'], expected [;]."},
      {"5 === 5", "compile error at 1:3: illegal_argument_exception: comparing identities with [===] is not offered in scripts here"},
      {"5 = 5", "compile error at 1:3: illegal_argument_exception: only variables, members and elements can be assigned to"},
  });
}

TEST_CASE("script: what goes wrong in a run says where and why") {
  check({
      {"int x = 0; 1 / x", "runtime error at 1:14: arithmetic_exception: / by zero"},
      {"def x = 0; 1 / x", "runtime error at 1:14: arithmetic_exception: / by zero"},
      {"def x = null; x.y", "runtime error at 1:17: null_pointer_exception: Cannot access [y]: the value before it is null"},
      {"def x = 1; int y = 1; x.foo()", "runtime error at 1:25: illegal_argument_exception: dynamic method [java.lang.Integer, foo/0] not found"},
      {"[1][1]", "runtime error at 1:4: index_out_of_bounds_exception: Index 1 out of bounds for length 1"},
      {"'abc'.substring(4)", "runtime error at 1:7: string_index_out_of_bounds_exception: begin 4, end 3, length 3"},
      {"Integer.parseInt('a1')", "runtime error at 1:9: number_format_exception: For input string: \"a1\""},
      {"def x = 'a'; int y = x; y", "runtime error at 1:22: class_cast_exception: Cannot cast from [java.lang.String] to [int]."},
      {"def x = [1]; x < 2", "runtime error at 1:16: class_cast_exception: Cannot apply [<] operation to types [java.util.ArrayList] and [java.lang.Integer]."},
      {"doc['l'].value", "runtime error at 1:10: illegal_state_exception: A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is missing a field!"},
      {"doc['q'].value", "runtime error at 1:4: illegal_argument_exception: No field found for [q] in mapping"},
      {"doc['x'].value", "runtime error at 1:4: illegal_argument_exception: no doc values"},
      {"int i = 0; while (true) { i++ }", "runtime error at 1:12: painless_error: The maximum number of statements that can be executed in a loop has been reached."},
      {"def s = 'abcdefgh'; while (true) { s += s } 1", "runtime error at 1:38: circuit_breaking_exception: a script may make texts, lists and maps of [4194304] bytes together"},
      {"def l = []; while (true) { l.add(l) }", "runtime error at 1:30: circuit_breaking_exception: a script may make texts, lists and maps of [4194304] bytes together"},
      {"def l = []; l.add(l); l + ''", "runtime error at 1:25: circuit_breaking_exception: lists and maps are too deep to become a text"},
      {"'É'.toLowerCase()", "runtime error at 1:5: illegal_argument_exception: [toLowerCase] and [toUpperCase] take texts of ASCII here"},
      {"params.x = 1", "runtime error at 1:8: unsupported_operation_exception: [params] are read-only: make a list or a map of your own"},
      {"def p = params; p.put('a', 1)", "runtime error at 1:19: unsupported_operation_exception: [params] are read-only: make a list or a map of your own"},
  });
}

TEST_CASE("script: bounds") {
  const TestFields fields;
  const auto compiled = [&](const std::string& source) {
    const auto made = Program::compile(source, Use::value, {}, &fields);
    return made.ok() ? std::string("ok") : made.error().cause ? made.error().cause->message
                                                               : made.error().message;
  };
  std::string chain = "1", deep, calls = "'a'", blocks, elses = "if (1 > 2) { 1 }";
  for (int i = 0; i < 15'000; ++i) chain += "+1";
  for (int i = 0; i < 30'000; ++i) deep += "(";
  for (int i = 0; i < 5'000; ++i) calls += ".trim()";
  for (int i = 0; i < 60'000; ++i) blocks += "{";
  for (int i = 0; i < 500; ++i) elses += " else if (1 > 2) { 1 }";
  CHECK(compiled(chain) == "ok");
  CHECK(value_of(chain) == "15001");
  const std::string too_deep = "a script has at most [100] statements and expressions in one another";
  CHECK(compiled(deep) == too_deep);
  CHECK(compiled(blocks) == too_deep);
  CHECK(compiled(elses) == too_deep);
  CHECK(compiled(calls) == "a script has at most [100] members and calls one behind another");
  CHECK(compiled(std::string(65'536, ' ')) ==
        "exceeded max allowed inline script size in bytes [65535] with size [65536]");
  std::string many = "int x = 0;";
  for (int i = 0; i < 10'000; ++i) many += "x+=x;";
  CHECK(compiled(many) == "ok");
}

TEST_CASE("script: scripts of fields emit values of one type, and give nothing back") {
  const auto emits = [](std::string_view source, Use use, std::string_view doc = R"({"l":[2,5]})") {
    return value_of(source, R"({"by":3})", doc, use);
  };
  CHECK(emits("for (x in doc['l']) { emit(x * params.by) }", Use::emit_long) == "6 15");
  CHECK(emits("emit(1); emit(2L); if (doc['l'].size() == 2) { return } emit(3)", Use::emit_long) ==
        "1 2");
  CHECK(emits("int x = 5; x += 1", Use::emit_long) == "");
  CHECK(emits("emit(1); emit(2.5f); emit(doc['l'].value / 4.0)", Use::emit_double) == "1.0 2.5 0.5");
  CHECK(emits("emit(doc['l'].value > 1); emit(false)", Use::emit_boolean) == "1 0");
  CHECK(emits("emit('a' + doc['l'].value)", Use::emit_keyword) == "a2");
  CHECK(emits("emit(1.5)", Use::emit_long) ==
        "compile error at 1:6: class_cast_exception: Cannot cast from [double] to [long].");
  CHECK(emits("emit(doc['l'].value)", Use::emit_keyword)
            .find("class_cast_exception") != std::string::npos);
  CHECK(emits("emit(params.none)", Use::emit_keyword).find("null_pointer_exception") !=
        std::string::npos);
  CHECK(emits("return 1", Use::emit_long).find("class_cast_exception") != std::string::npos);
  CHECK(emits("emit()", Use::emit_long).find("Unknown call [emit] with [0] arguments") !=
        std::string::npos);
  CHECK(value_of("emit(1)").find("[emit] is for scripts of runtime fields") != std::string::npos);
  CHECK(emits("_score", Use::emit_long).find("there are no scores here") != std::string::npos);
  CHECK(emits("for (int i = 0; i < 101; ++i) { emit(i) }", Use::emit_long)
            .find("Runtime field [f] is emitting [101] values") != std::string::npos);
  const std::string long_text(1 << 19, 'x');
  CHECK(value_of("emit(params.t); emit(params.t); emit('x')", R"({"t":")" + long_text + "\"}", "{}",
                 Use::emit_keyword)
            .find("Runtime field [f] is emitting [1048577] characters") != std::string::npos);
}

TEST_CASE("script: sources are read where fields and hits are made, and nowhere else") {
  constexpr std::string_view doc = R"({"l":[2],"o":{"a":[1,"x",null,2.5]},"t":"é"})";
  const auto shows = [&](std::string_view source) { return value_of(source, "{}", doc); };
  CHECK(shows("params._source.t") == "é");
  CHECK(shows("params['_source']['o']['a'][3] + params._source.o.a[0]") == "3.5");
  CHECK(shows("params._source.none == null && params._source.size() == 3") == "true");
  CHECK(shows("params._source") == "{l=[2], o={a=[1, x, null, 2.5]}, t=é}");
  CHECK(shows("params._source.o.b = 1").find("runtime error") == 0);
  CHECK(value_of("for (x in params._source.o.a) { if (x instanceof String) { emit(x) } }", "{}", doc,
                 Use::emit_keyword) == "x");
  CHECK(value_of("params._source == null ? 1.0 : 2.0", "{}", doc, Use::number) == "1.0");
}

TEST_CASE("script: what is given back becomes JSON") {
  const auto json_of = [](std::string_view source) {
    const TestFields fields;
    const Json values = *parse_json(R"({"l":[3,1],"t":["2026-01-31T08:05:09.123Z"]})");
    const auto program = Program::compile(source, Use::value, {}, &fields);
    REQUIRE(program.ok());
    TestDocument document(**program, values);
    const os::Deadline deadline = os::Deadline::never();
    os::Steps steps(deadline);
    Run run(**program, document, steps);
    Json out;
    return run.json(out) ? out.dump() : steps.status().error().cause->message;
  };
  CHECK(json_of("[1, 2.5, 'a', null, true, ['k': [:], 3: 1f]]") ==
        R"([1,2.5,"a",null,true,{"k":{},"3":1.0}])");
  CHECK(json_of("doc['l']") == "[3,1]");
  CHECK(json_of("doc['t'].value") == R"("2026-01-31T08:05:09.123Z")");
  CHECK(json_of("def x = []; x.add(x); x").find("too deep in itself") != std::string::npos);
  CHECK(json_of("def x = []; for (int i = 0; i < 90; ++i) { def y = []; y.add(x); y.add(x); x = y } x")
            .find("too large") != std::string::npos);
}

TEST_CASE("script: an error shows the source around it, as the field's engine does") {
  const auto made = Program::compile("def a = 1;\n_score * a + doc['l'].value * nothing.here + 1",
                                     Use::score, {}, nullptr);
  REQUIRE(!made.ok());
  const Error& error = made.error();
  CHECK(error.code == "script_exception");
  CHECK(error.kind == ErrorKind::invalid_argument);
  const auto detail = [&](std::string_view wanted) {
    for (const auto& [name, value] : error.details)
      if (name == wanted) return value;
    return std::string();
  };
  CHECK(detail("position:json") == R"({"offset":41,"start":16,"end":57})");
  CHECK(detail("script_stack:json") ==
        R"(["... e * a + doc['l'].value * nothing.here + 1","                             ^---- HERE"])");
  CHECK(detail("lang") == "painless");
  CHECK(detail("line") == "2");
  CHECK(detail("col") == "31");
}

}  // namespace cairn::script_test
