// Templates that were made to harm, and templates that were damaged: each ends
// with a text or an error, soon, and without much memory.

#include "Rendering.h"

#include <chrono>
#include <gmock/gmock.h>
#include <random>

using namespace pagoda;
using namespace pagoda::rt;
using namespace pagoda::rt::test;
using testing::HasSubstr;

namespace {

/// Renders within small limits, and soon.
Status limited(std::string_view source) {
  auto begin = std::chrono::steady_clock::now();
  auto prompt = tryRender(source, {{"x", {1, 2, 3}}}, Json::array(),
                          {.maxSteps = 300'000,
                           .maxMemoryBytes = 16 << 20,
                           .maxOutputBytes = 1 << 20});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20))
      << source;
  return prompt.ok() ? Status() : prompt.status();
}

} // namespace

TEST(HostileTemplate, EndsAtALimit) {
  const char *sources[] = {
      // Steps.
      "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}"
      "{% endfor %}",
      "{% set l = [1] %}{% for x in l %}{% set _ = l.append(x) %}{% endfor %}",
      "{% macro m(d) %}{% if d %}{% for i in range(9) %}{{ m(d - 1) }}"
      "{% endfor %}{% endif %}{% endmacro %}{{ m(9) }}",
      // Output.
      "{% for a in range(99999) %}0123456789abcdef{% endfor %}",
      // Memory.
      "{{ 'a' * 9999999999 }}",
      "{{ [0] * 9999999999 }}",
      "{% set n = namespace(s='x') %}{% for i in range(99) %}"
      "{% set n.s = n.s ~ n.s %}{% endfor %}",
      "{% set n = namespace(s=[1]) %}{% for i in range(99) %}"
      "{% set n.s = n.s + n.s %}{% endfor %}",
      "{% set n = namespace(s='xx') %}{% for i in range(99) %}"
      "{% set n.s = n.s | replace('x', n.s) %}{% endfor %}",
      "{% set n = namespace(s=[1]) %}{% for i in range(60) %}"
      "{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}",
      "{% set n = namespace(s=[1]) %}{% for i in range(60) %}"
      "{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s | tojson }}",
      "{% set n = namespace(a=[1], b=[1]) %}{% for i in range(60) %}"
      "{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}"
      "{{ n.a == n.b }}",
      "{% set l = [] %}{% for i in range(99999) %}"
      "{% set _ = l.append('x' * 1000) %}{% endfor %}{{ l | join }}",
      "{{ ('a\n' * 10000) | indent(9999) }}",
      "{{ ('\n' * 100000) | indent('b' * 100000, blank=true) }}",
      "{{ ('a' * 1000000) | list | map('upper') | list | length }}",
  };
  for (const char *source : sources)
    EXPECT_EQ(limited(source).code(), StatusCode::ResourceExhausted) << source;
}

TEST(HostileTemplate, CirclesEnd) {
  const char *sources[] = {
      "{% set l = [] %}{% set _ = l.append(l) %}{{ l }}",
      "{% set l = [] %}{% set _ = l.append(l) %}{{ l | tojson }}",
      "{% set a = [] %}{% set _ = a.append(a) %}{% set b = [] %}"
      "{% set _ = b.append(b) %}{{ a == b }}",
      "{% set d = {} %}{% set _ = d.update({'d': d}) %}{{ d }}",
      "{% set a = [] %}{% set _ = a.append(a) %}{% set b = [] %}"
      "{% set _ = b.append(b) %}{{ [a, b] | sort }}",
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% macro m() %}{{ caller() }}{% endmacro %}"
      "{% macro n(i) %}{% call m() %}{{ n(i + 1) }}{% endcall %}{% endmacro %}"
      "{{ n(0) }}",
  };
  for (const char *source : sources)
    EXPECT_FALSE(limited(source).ok()) << source;
}

TEST(HostileTemplate, DeepNestingIsRefused) {
  auto repeated = [](const char *text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i)
      result += text;
    return result;
  };
  for (int depth : {30, 100000}) {
    bool fits = depth == 30;
    std::string sources[] = {
        "{{ " + repeated("(", depth) + "1" + repeated(")", depth) + " }}",
        "{{ " + repeated("[", depth) + repeated("]", depth) + " }}",
        "{{ " + repeated("{1:", depth) + "1" + repeated("}", depth) + " }}",
        "{{ " + repeated("not ", depth) + "1 }}",
        "{{ " + repeated("- ", depth) + "1 }}",
        "{{ 1" + repeated(" + 1", depth) + " }}",
        "{{ 1" + repeated(" if 1 else 1", depth) + " }}",
        "{{ x" + repeated(" | list", depth) + " }}",
        "{{ {}" + repeated(".a is defined", 1) + repeated(" and 1", depth) +
            " }}",
        repeated("{% if 1 %}", depth) + repeated("{% endif %}", depth),
        repeated("{% for a in x %}", fits ? 8 : depth) +
            repeated("{% endfor %}", fits ? 8 : depth),
        "{% set " + repeated("(", depth) + "a" + repeated(")", depth) +
            " = 1 %}",
    };
    for (const std::string &source : sources)
      EXPECT_EQ(limited(source).ok(), fits)
          << source.substr(0, 40) << limited(source).message();
  }
  // Long, but not deep.
  EXPECT_TRUE(limited("{{ 1" + repeated(" ~ 1", 10000) + " }}").ok());
  EXPECT_TRUE(limited("{{ [1" + repeated(", 1", 10000) + "]|length }}").ok());
  EXPECT_TRUE(limited(repeated("{{ 1 }}", 10000)).ok());
  EXPECT_TRUE(
      limited("{% if 0 %}" + repeated("{% elif 0 %}", 10000) + "{% endif %}")
          .ok());
}

TEST(HostileTemplate, ALargeTemplateIsRefused) {
  auto chat = ChatTemplate::parse(std::string(2 << 20, 'x'));
  EXPECT_EQ(chat.status().code(), StatusCode::ResourceExhausted);
}

TEST(HostileTemplate, DamagedTemplatesAreRenderedOrRefused) {
  std::string good = R"({%- macro args(p, n=2) -%}
  {%- for k, v in p|dictsort if v is defined %}
    {{- k ~ ": " ~ (v|tojson(indent=n) if v is mapping else v|string) }}
    {%- if not loop.last %}, {% endif %}
  {%- endfor %}
{%- endmacro %}
{% set ns = namespace(i=0, seen=[]) %}{{ bos_token }}
{% for m in messages[::-1] %}
  {%- set content = m.content.split('</think>')[-1].lstrip('\n') %}
  {%- if m['role'] == "user" and loop.index0 % 2 == 0 or not ns.seen %}
    {%- set ns.i = ns.i + 1 %}{% set _ = ns.seen.append(m.role|upper) %}
    {{- '<|im_start|>' + m.role + '\n' + content[1:-1]|trim + '<|im_end|>\n' }}
  {%- elif m.tool_calls is iterable %}
    {%- for c in m.tool_calls|selectattr('f', 'defined') %}{{ args(c.f, n=1) }}
    {%- else %}{% continue %}{% endfor %}
  {%- endif %}
{% endfor %}{% filter replace("a", "b") %}{{ ns.seen|join(', ') }}{% endfilter %}
{%- set text %}x{{ [1, 2.5, none, true]|tojson }}{% endset %}{{ text|length // 3 }}
{% raw %}{{ x }}{% endraw %}{# c -#} {{ "%s"|format if false }}{{ range(3)|sum }}
)";
  // One construct here is not supported, so that damage can repair it.
  std::mt19937 random(7);
  Json messages = {message("user", "a</think>\nbcd"),
                   message("assistant", "e"),
                   {{"role", "tool"},
                    {"content", "f"},
                    {"tool_calls", {{{"f", {{"k", {{"z", 1}}}}}}}}}};
  static constexpr const char *scraps[] = {
      "{{",  "}}", "{%", "%}", "-%}", "{%-", "(",    ")",   "[",      "]",
      "|",   ".",  ",",  "~",  "'",   "\"",  "not ", "is ", " if ",   " else ",
      "ns.", "m",  "0",  "**", "%",   ":",   "=",    "\\",  "{% end", "loop"};
  size_t rendered = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string source = good;
    if (round % 2) // without the unsupported construct
      source.erase(source.find("{{ \"%s\""), 29);
    for (unsigned i = 0, count = 1 + random() % 4; i < count; ++i) {
      size_t at = random() % source.size();
      switch (random() % 4) {
      case 0:
        source.erase(at, 1 + random() % 12);
        break;
      case 1:
        source.insert(at, scraps[random() % std::size(scraps)]);
        break;
      case 2:
        source.insert(at,
                      source.substr(random() % source.size(), random() % 60));
        break;
      case 3:
        source[at] = static_cast<char>(random() % 128);
        break;
      }
    }
    auto prompt = tryRender(source, Json::object(), messages,
                            {.maxSteps = 20'000,
                             .maxMemoryBytes = 4 << 20,
                             .maxOutputBytes = 1 << 16});
    rendered += prompt.ok();
  }
  EXPECT_GT(rendered, 100u);
}
