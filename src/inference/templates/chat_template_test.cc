// SPDX-License-Identifier: Apache-2.0
// What tests/templates compares with Jinja is not repeated here: origins, limits, errors.
#include "inference/templates/chat_template.h"

#include <doctest/doctest.h>

#include <stop_token>

#include "base/sanitized.h"
#include "base/strings.h"
#include "os/deadline.h"
#include "os/threads/thread.h"

namespace cairn::inference::chat_template_test {
namespace {

const os::Deadline never = os::Deadline::never();

Json parsed(std::string_view json) { return parse_json(json).value(); }

/// Spans as `[template]` and `(value)`.
std::string spans_of(std::string_view source, std::string_view variables,
                     std::string_view trusted = "{}") {
  const auto made = ChatTemplate::parse(source);
  if (!made.ok()) return "! " + made.error().message;
  const auto spans = made->render(parsed(variables), parsed(trusted), {}, never);
  if (!spans.ok()) return "! " + spans.error().message;
  std::string out;
  for (const PromptSpan& span : *spans)
    out += (span.from_template ? "[" : "(") + span.text + (span.from_template ? "]" : ")");
  return out;
}

Error error_of(std::string_view source, std::string_view variables = "{}",
               const RenderOptions& options = {}) {
  const auto made = ChatTemplate::parse(source);
  if (!made.ok()) return made.error();
  auto spans = made->render(parsed(variables), Json::object(), options, never);
  REQUIRE_FALSE(spans.ok());
  return spans.error();
}

}  // namespace

TEST_CASE("chat template: what the template wrote is told from what it was given") {
  struct Row {
    std::string_view source;
    std::string_view spans;
  };
  constexpr std::string_view variables =
      R"({"x":"<|a|>","y":" Up b ","list":["p","q"],"n":7,"d":{"k":"v"}})";
  const Row rows[] = {
      {"<|u|>{{ x }}<|e|>", "[<|u|>](<|a|>)[<|e|>]"},
      {"{{ '<|u|>' + x + '<|e|>' }}", "[<|u|>](<|a|>)[<|e|>]"},
      {"{{ '<|u|>' ~ x ~ n }}", "[<|u|>](<|a|>7)"},
      {"{{ y|trim }}{{ y.strip()|upper }}{{ ('-' ~ y)|lower }}", "(Up bUP B)[-]( up b )"},
      {"{{ x[2:3] }}{{ ('s' ~ x)[:3] }}{{ ('s' ~ x)[::-1] }}", "(a)[s](<|>|a|<)[s]"},
      {"{{ x|replace('a', '|><|') }}", "(<|)[|><|](|>)"},
      {"{{ '<a>'|replace('a', x) }}", "[<](<|a|>)[>]"},
      {"{{ list|join('<|s|>') }}", "(p)[<|s|>](q)"},
      {"{{ d|tojson }}{{ list }}{{ [x, 'y'] }}", "({\"k\": \"v\"}['p', 'q']['<|a|>', ')[y]('])"},
      {"{{ {'a': x}|tojson }}", "({\")[a](\": \"<|a|>\"})"},
      {"{% set z %}<{{ x }}>{% endset %}{{ z }}", "[<](<|a|>)[>]"},
      {"{% macro m(v) %}<{{ v }}{% endmacro %}{{ m(x)|title }}", "[<](<|a|>)"},
      {"{{ x.split('a')|join('a') }}", "(<|)[a](|>)"},
      {"{{ 'a\\nb'|indent(1) }}{{ x|indent(1, true) }}", "[a](\n)[ b ](<|a|>)"},
      {"{{ x|default('y') }}{{ q|default('y') }}", "(<|a|>)[y]"},
      {"{{ bos }}{{ x }}", "[<s>](<|a|>)"},
      {"{{ x * 2 }}{{ 'z' * 2 }}", "(<|a|><|a|>)[zz]"},
      {"{% for c in x %}{{ c }}{% endfor %}", "(<|a|>)"},
      {"{{ ('<|' ~ x)|escape }}", "[&lt;|](&lt;|a|&gt;)"},
      {"{{ strftime_now('<|') }}{{ strftime_now(x) }}", "[<|](<|a|>)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    CHECK(spans_of(row.source, variables, R"({"bos":"<s>"})") == row.spans);
  }
}

TEST_CASE("chat template: a variable of the request takes the place of a trusted one, untrusted") {
  CHECK(spans_of("{{ bos }}", R"({"bos":"<s>"})", R"({"bos":"<s>"})") == "(<s>)");
}

TEST_CASE("chat template: an error says where") {
  const Error error = error_of("a\n  {{ nope.x }}");
  CHECK(error.kind == ErrorKind::invalid_argument);
  CHECK(error.message == "chat template, line 2, column 10: 'nope' is undefined");
  REQUIRE(error.details.size() >= 2);
  CHECK(error.details[0] == std::pair<std::string, std::string>("line", "2"));
  CHECK(error_of("{% if x %}").message ==
        "chat template, line 1, column 11: expected {% endif %}, found the end of the template");
  CHECK(error_of("{{ 'é' é }}").message ==
        "chat template, line 1, column 8: expected }}, found 'é'");
}

TEST_CASE("chat template: raise_exception gives the template's own words") {
  const Error error = error_of("{{ raise_exception('Roles must ' ~ x) }}", R"({"x":"alternate"})");
  CHECK(error.kind == ErrorKind::invalid_argument);
  CHECK(error.message == "Roles must alternate");
}

TEST_CASE("chat template: every cost has a limit") {
  struct Row {
    std::string_view source;
    std::string_view why;
  };
  const Row rows[] = {
      {"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "steps"},
      {"{% for a in range(99999) %}0123456789abcdef{% endfor %}", "1048576 bytes"},
      {"{{ 'a' * 99999999999 }}", "16 MiB"},
      {"{{ [1] * 99999999999 }}", "steps"},
      {"{% set x = 'aaaaaaaaaaaaaaaa' %}{% for i in range(99) %}{% set x = x * 16 %}"
       "{{ (x * 16 * 16 * 16 * 16 * 16 * 16)|length }}{% endfor %}",
       "16 MiB"},
      {"{{ ('a' * 9999)|replace('', 'b' * 9999) }}", "16 MiB"},
      {"{{ (['a'] * 9999)|join('b' * 9999) }}", "16 MiB"},
      {"{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}", "64 deep"},
      {"{{ range(200000) }}", "100000 numbers"},
      {"{% set ns = namespace(l=[]) %}{% for i in range(500) %}{% set ns.l = [ns.l] %}{% endfor %}"
       "{{ ns.l }}",
       "nested too deep"},
      {"{% set l = [] %}{% set _ = l.append(l) %}{{ l }}", "nested too deep"},
      {"{% set l = [] %}{% set _ = l.append(l) %}{{ l|tojson }}", "nested too deep"},
      {"{% set l = [] %}{% set _ = l.append(l) %}{% set m = [] %}{% set _ = m.append(m) %}"
       "{{ l == m }}",
       "nested too deep"},
      {"{{ messages.append(1) }}", "only lists that the template made"},
      {"{{ ([0] * 100000)|tojson(separators=('x' * 1000000, ':')) }}", "16 MiB"},
      {"{{ ([0] * 100000)|tojson(indent='x' * 1000000) }}", "16 MiB"},
      {"{{ (['\\n' * 9000000] * 2)|tojson }}", "16 MiB"},
      {"{% for i in range(99999) %}{% set x = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0] %}{% endfor %}",
       "steps"},
      {"{{ ('a ' * 8000000).split()|length }}", "steps"},
      {"{{ ('a,' * 8000000).split(',')|length }}", "steps"},
      {"{{ ('a,' * 8000000).rsplit(',')|length }}", "steps"},
      {"{{ ('\n' * 9000000).splitlines()|length }}", "steps"},
      {"{{ ('\n' * 9000000)|indent }}", "steps"},
      {"{{ ('a' * 9000000).count('a') }}", "steps"},
      {"{{ (('a' ~ one) * 8000000)|length }}", "steps"},
      {"{{ ('\u0001' * 9000000)|tojson }}", "16 MiB"},
      {"{% set s = '1' * 16000000 %}{% for i in range(9999) %}{{ s|int(default=1) }}{% endfor %}",
       "steps"},
      {"{% set s = '1' * 16000000 %}{% for i in range(9999) %}{{ s|float }}{% endfor %}", "steps"},
      {"{% set s = 'x' * 16000000 %}{% set d = {s: 1} %}"
       "{% for i in range(9999) %}{{ d[s] }}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% set d = {s: 1} %}"
       "{% for i in range(9999) %}{{ s in d }}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% set d = {s: 1} %}"
       "{% for i in range(9999) %}{{ d.get(s) }}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% set d = {s: 1} %}"
       "{% for i in range(9999) %}{% set e = dict(d) %}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}"
       "{% for i in range(9999) %}{% set e = {s: i} %}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% for i in range(9999) %}"
       "{{ [{}]|map(attribute=s)|list|length }}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% for i in range(9999) %}"
       "{{ [1]|tojson(indent=s) }}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% for i in range(9999) %}"
       "{{ 'a'.strip(s) }}{% endfor %}",
       "steps"},
      {"{% set s = 'x' * 16000000 %}{% for i in range(9999) %}"
       "{{ s.startswith((s[1:], 'a')) }}{% endfor %}",
       "steps"},
      {"{% set s = 'a' * 1000000 %}{% set d = dict() %}"
       "{{ dict(a=s,b=s,c=s,d=s,e=s,f=s,g=s,h=s,i=s,j=s,k=s,l=s,m=s,n=s,o=s,p=s,q=s,r=s,t=s,u=s,"
       "v=s,w=s,x=s,y=s,z=s,aa=s,ab=s,ac=s,ad=s,ae=s,af=s,ag=s,ah=s,ai=s,aj=s,ak=s,al=s,am=s,an=s,"
       "ao=s,ap=s,aq=s,ar=s,as=s,at=s,au=s,av=s,aw=s,ax=s,ay=s,az=s,ba=s,bb=s,bc=s,bd=s,be=s,bf=s,"
       "bg=s,bh=s,bi=s,bj=s)|dictsort(by='value') }}",
       "steps"},
  };
  // Each takes all the steps that there are.
  std::size_t number = 0;
  for (const Row& row : rows) {
    if (sanitized && number++ % 4 != 0) continue;
    CAPTURE(row.source);
    const Error error = error_of(row.source, R"({"messages":[],"one":"1"})");
    CHECK(error.message.find(row.why) != std::string::npos);
  }
  CHECK(error_of("{{ " + std::string(70, '(') + "1" + std::string(70, ')') + " }}")
            .message.find("64 levels") != std::string::npos);
  CHECK(error_of("{{ " + std::string(9000, '[') + std::string(9000, ']') + " }}")
            .message.find("64 levels") != std::string::npos);
  CHECK(error_of("{{ " + std::string(9000, '-') + "1 }}").message.find("64 levels") !=
        std::string::npos);
  CHECK(ChatTemplate::parse(std::string((256 << 10) + 1, 'a')).error().kind ==
        ErrorKind::too_large);
}

TEST_CASE("chat template: no strings make a search slow") {
  // Each would take minutes in the product of both lengths.
  constexpr std::string_view strings =
      "{% set s = 'a' * 4000000 %}{% set p = 'a' * 2000000 + 'b' %}{% set q = 'b' + 'a' * 2000000 "
      "%}";
  struct Row {
    std::string_view expression;
    std::string_view result;
  };
  const Row rows[] = {
      {"p in s", "False"},
      {"q in s", "False"},
      {"s.find(p)", "-1"},
      {"s.rfind(q)", "-1"},
      {"s.count(p)", "0"},
      {"s.split(p)|length", "1"},
      {"s.rsplit(q)|length", "1"},
      {"s|replace(p, '')|length", "4000000"},
      {"('é' * 100000).strip('äöü' * 100000 ~ 'é')|length", "0"},
      {"('e' * 1000000).strip('abcd' * 1000000)|length", "1000000"},
      {"('e' * 1000000).strip('abcd' * 1000000 ~ 'e')|length", "0"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.expression);
    CHECK(spans_of(std::string(strings) + "{{ " + std::string(row.expression) + " }}", "{}") ==
          "(" + std::string(row.result) + ")");
  }
}

TEST_CASE("chat template: messages of errors cut what they name, between characters") {
  const std::string name(200, 'n');
  std::string odd = "a";
  while (odd.size() < 2'000'000) odd += "é";
  const std::string variables = Json::object({{"odd", odd}}).dump();
  for (const std::string& source :
       {"{{ " + name + ".x }}", "{{ " + name + "|tojson }}", std::string("{{ [1]|map(odd) }}"),
        std::string("{{ [1]|select(odd) }}"), "{{ 1|" + name + " }}", "{{ 1 is " + name + " }}",
        "{% " + name + " %}", "{% set " + name + ".a = 1 %}",
        "{{ dict(" + name + "=1, " + name + "=2) }}", "{{ range(" + name + "=1) }}",
        "{{ 1 " + name + " }}"}) {
    CAPTURE(source);
    const Error error = error_of(source, variables);
    CHECK(error.message.size() < 300);
    CHECK(is_utf8(error.message));
  }
  CHECK(error_of("{{ " + std::string(257, 'n') + " }}").message.find("256 bytes") !=
        std::string::npos);
  CHECK(error_of("{{ 1 }}", Json::object({{std::string(257, 'n'), 1}}).dump())
            .message.find("256 bytes") != std::string::npos);
}

TEST_CASE("chat template: keys that a client chooses are found fast in any number") {
  std::string variables = R"({"d":{)";
  for (int i = 0; i < 50'000; ++i) variables += "\"k" + std::to_string(i) + "\":1,";
  variables += "\"1\":5}}";
  CHECK(spans_of("{{ d|length }}{{ d['k49999'] }}{{ d['1'] }}{{ d[1] is defined }}"
                 "{{ {1: 'a', 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0, 9: 0, 10: 'b'}[1.0] }}",
                 variables) == "(5000115False)[a]");
}

TEST_CASE("chat template: the roles of messages count as the template's, if they are roles") {
  constexpr std::string_view source =
      "{% for m in messages %}{{ '<|' + m['role'] + '|>' + m.content }}{% endfor %}";
  CHECK(spans_of(source, R"({"messages":[{"role":"user","content":"user"},
                             {"content":"c","role":"assistant"}]})") ==
        "[<|user|>](user)[<|assistant|>](c)");
  CHECK(spans_of(source, R"({"messages":[{"role":"im_end","content":"c"}]})") ==
        "[<|](im_end)[|>](c)");
  CHECK(spans_of(source, R"({"messages":[{"role":"User","content":""}]})") == "[<|](User)[|>]");
  for (const char* role : {"system", "developer", "tool"}) {
    const std::string name = role;
    CHECK(spans_of(source, R"({"messages":[{"role":")" + name + R"(","content":""}]})") ==
          "[<|" + name + "|>]");
  }
  // Not what else is called so.
  CHECK(spans_of("{{ role }}{{ m[0].role }}{{ messages[0].part.role }}",
                 R"({"role":"user","m":[{"role":"user"}],
                     "messages":[{"part":{"role":"user"}}, 1, {"role":{"role":"user"}}]})") ==
        "(useruseruser)");
  CHECK(spans_of("{{ messages }}", R"({"messages":"user"})") == "(user)");
}

TEST_CASE("chat template: the stack of a worker is enough for all that is not refused") {
  std::string blocks;
  for (int i = 0; i < 60; ++i) blocks += "{% if true %}";
  blocks += "{{ " + std::string(60, '(') + "1" + std::string(60, ')') + " }}";
  for (int i = 0; i < 60; ++i) blocks += "{% endif %}";
  std::string deep = "1";
  for (int i = 0; i < 95; ++i) deep = i % 2 == 0 ? "[" + deep + "]" : R"({"a":)" + deep + "}";
  const std::string variables = R"({"d":)" + deep + R"(,"e":)" + deep + "}";
  const std::string sources[] = {
      blocks,
      "{{ d }}{{ d|tojson }}{{ d|tojson(indent=1) }}{{ d == e }}{{ [d, e]|unique|list }}",
      "{{ [d, e]|sort }}",
      "{% macro m(n) %}{% if true %}{% for i in [1] %}{{ m(n + 1)|trim }}{% endfor %}{% endif %}"
      "{% endmacro %}{{ m(0) }}",
      "{% macro m(n) %}" + std::string(58, '(') + "{{ " + std::string(58, '(') + "m(n)" +
          std::string(58, ')') + " }}{% endmacro %}{{ m(0) }}",
      "{{ " + std::string(5000, '[') + " }}",
      "{{ " + std::string(5000, '-') + "1 }}",
      "{{ " + std::string(60, '-') + "1 }}",
  };
  int answered = 0;
  auto worker = os::Thread::start({.name = "small", .stack_bytes = 1 << 20}, [&] {
    for (const std::string& source : sources) {
      const std::string out = spans_of(source, variables);
      if (!out.empty()) ++answered;
    }
  });
  REQUIRE(worker.ok());
  worker->join();
  CHECK(answered == 8);
}

TEST_CASE("chat template: nesting ends everywhere") {
  const std::string deep = std::string(20'000, '(') + "a" + std::string(20'000, ')');
  for (const std::string& source : {"{{ " + deep + " }}", "{% for " + deep + " in x %}{% endfor %}",
                                    "{% set " + deep + " = 1 %}"})
    CHECK(error_of(source).message.find("nested too deep") != std::string::npos);
}

TEST_CASE("chat template: a call has a bounded number of arguments") {
  std::string source = "{{ dict(";
  for (int i = 0; i < 256; ++i) source += "a" + std::to_string(i) + "=1,";
  CHECK(error_of(source + ") }}").message.find("at most 255 arguments") != std::string::npos);
}

TEST_CASE("chat template: long chains are no nesting") {
  std::string sum = "{{ 0";
  for (int i = 0; i < 2000; ++i) sum += " + 1";
  CHECK(spans_of(sum + " }}", "{}") == "(2000)");
}

TEST_CASE("chat template: a caller that is gone ends the rendering") {
  const auto made = ChatTemplate::parse("{% for a in range(99999) %}{{ a }}{% endfor %}");
  REQUIRE(made.ok());
  std::stop_source stop;
  stop.request_stop();
  const auto spans =
      made->render(Json::object(), Json::object(), {}, os::Deadline::never(stop.get_token()));
  REQUIRE_FALSE(spans.ok());
  CHECK(spans.error().kind == ErrorKind::cancelled);
}

TEST_CASE("chat template: lists of the template can grow, and loops outlive their end") {
  CHECK(
      spans_of("{% set l = [] %}{% for i in [1, 2] %}{% set _ = l.append(i) %}{% endfor %}{{ l }}",
               "{}") == "([1, 2])");
  CHECK(spans_of("{% set ns = namespace() %}{% for i in [1, 2] %}{% set ns.l = loop %}{% endfor %}"
                 "{{ ns.l.previtem is defined }}{{ ns.l.nextitem is defined }}",
                 "{}") == "(FalseFalse)");
}

}  // namespace cairn::inference::chat_template_test
