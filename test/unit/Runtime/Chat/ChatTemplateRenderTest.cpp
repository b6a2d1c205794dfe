// Templates with values worked out by hand. Whole templates of real models,
// and one construct after the other, are compared with Jinja itself by
// test/long/chat_templates.py and test/long/jinja_snippets.py.

#include "Rendering.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace pagoda;
using namespace pagoda::rt;
using namespace pagoda::rt::test;
using testing::HasSubstr;

TEST(Render, AConversationBecomesAPrompt) {
  const char *source =
      "{% for message in messages %}\n"
      "{% if loop.first and messages[0]['role'] != 'system' %}\n"
      "<|im_start|>system\nBe kind.<|im_end|>\n"
      "{% endif %}\n"
      "{{ '<|im_start|>' + message['role'] + '\\n' + message.content | trim + "
      "'<|im_end|>' + '\\n' }}"
      "{% endfor %}\n"
      "{%- if add_generation_prompt %}\n"
      "{{- '<|im_start|>assistant\\n' }}\n"
      "{%- endif %}\n";
  Json messages = {message("user", " Hi "), message("assistant", "Yo")};
  EXPECT_EQ(render(source, Json::object(), messages),
            "<|im_start|>system\nBe kind.<|im_end|>\n"
            "<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\nYo<|im_end|>\n");
  EXPECT_EQ(render(source, Json::object(),
                   Json::array({message("system", "s")}),
                   {.addGenerationPrompt = true}),
            "<|im_start|>system\ns<|im_end|>\n<|im_start|>assistant\n");
}

TEST(Render, BlocksTakeTheSpaceAroundThemAway) {
  EXPECT_EQ(render("  {% if true %}\n  a\n  {% endif %}\nb\n"), "  a\nb");
  EXPECT_EQ(render("x {% if true %} y {% endif %} z"), "x  y  z");
  EXPECT_EQ(render("a \n {%- if true -%} \n b {%- endif %}\n c"), "ab c");
  EXPECT_EQ(render("  {%+ if true +%}\na{% endif %}"), "  \na");
  EXPECT_EQ(render("a\n  {# c #}\n  {{ 1 }}\n"), "a\n  1");
  EXPECT_EQ(render("{% raw %}{{ x }}{% endraw %}"), "{{ x }}");
  EXPECT_EQ(render("a\r\nb"), "a\nb");
}

TEST(Render, ExpressionsFollowPython) {
  EXPECT_EQ(render("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }}"),
            "3 -4 2 3.5");
  EXPECT_EQ(render("{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }}"), "64 4");
  EXPECT_EQ(render("{{ 1 < 2 < 3 }} {{ not 1 in [1] }}"), "True False");
  EXPECT_EQ(render("{{ 'a' ~ 1 ~ none ~ nothing }}"), "a1None");
  EXPECT_EQ(render("{{ 'é你x'[1] }}{{ 'abcdef'[1:-1:2] }}{{ [1,2,3][::-1] }}"),
            "你bd[3, 2, 1]");
  EXPECT_EQ(render("{{ ['it\\'s', \"a\\n\", 1.0, 1e16, true] }}"),
            "[\"it's\", 'a\\n', 1.0, 1e+16, True]");
  EXPECT_EQ(render("{{ 'y' if x is defined else 'n' }}", {{"x", nullptr}}),
            "y");
  EXPECT_EQ(render("{{ [] or {} or 'last' }}"), "last");
}

TEST(Render, LoopsKeepWhatTheySetToThemselves) {
  EXPECT_EQ(render("{% set x = 0 %}{% for i in [1, 2] %}{% set x = x + i %}"
                   "{{ x }}{% endfor %}{{ x }}"),
            "120");
  EXPECT_EQ(render("{% set n = namespace(x=0) %}{% for i in [1, 2] %}"
                   "{% set n.x = n.x + i %}{% endfor %}{{ n.x }}"),
            "3");
  EXPECT_EQ(render("{% for k, v in {'a': 1, 'b': 2}.items() if v > 1 %}"
                   "{{ k }}{{ loop.last }}{% else %}none{% endfor %}"),
            "bTrue");
  EXPECT_EQ(
      render("{% for x in [1, 2, 3, 4] %}{% if x == 2 %}{% continue %}"
             "{% elif x == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}"),
      "13");
  EXPECT_EQ(render("{% for x in [] %}{% else %}empty{% endfor %}"), "empty");
}

TEST(Render, ALoopThatIsKeptCanStillBeAsked) {
  EXPECT_EQ(render("{% set n = namespace() %}{% for x in [1, 2] if x %}"
                   "{% set n.l = loop %}{% endfor %}"
                   "{{ n.l.index }}{{ n.l.length }}{{ n.l.previtem }}"),
            "221"); // the last round
}

TEST(Render, MacrosSeeWhereTheyWereDefined) {
  EXPECT_EQ(
      render("{% macro m(a, b=a + 1) %}{{ a }}{{ b }}{{ g }}{% endmacro %}"
             "{% set g = 'x' %}{{ m(1) }}{% set g = 'y' %}{{ m(b=5, a=2) }}"),
      "12x25y");
  EXPECT_EQ(render("{% macro box() %}[{{ caller(2) }}]{% endmacro %}"
                   "{% call(n) box() %}{{ n * 2 }}{% endcall %}"),
            "[4]");
  EXPECT_EQ(render("{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}"
                   "{{ m(1, k=2) }}"),
            "(1,){'k': 2}");
  // A macro that was defined in a round of a loop keeps that round.
  EXPECT_EQ(render("{% set n = namespace(m=none) %}{% for x in [1, 2] %}"
                   "{% macro m() %}{{ x }}{% endmacro %}"
                   "{% if x == 1 %}{% set n.m = m %}{% endif %}{% endfor %}"
                   "{{ n.m() }}"),
            "1");
}

TEST(Render, JsonIsWrittenAsTransformersDoes) {
  Json tool = {
      {"b", "é<\"\n"}, {"a", {1, 2.0, nullptr, true}}, {"e", Json::array()}};
  EXPECT_EQ(render("{{ t | tojson }}", {{"t", tool}}),
            "{\"b\": \"é<\\\"\\n\", \"a\": [1, 2.0, null, true], \"e\": []}");
  EXPECT_EQ(render("{{ t | tojson(indent=2) }}", {{"t", tool}}),
            "{\n  \"b\": \"é<\\\"\\n\",\n  \"a\": [\n    1,\n    2.0,\n    "
            "null,\n    true\n  ],\n  \"e\": []\n}");
  EXPECT_EQ(render("{{ '🙂é' | tojson(ensure_ascii=true) }}"),
            "\"\\ud83d\\ude42\\u00e9\"");
}

TEST(Render, SafeTextEscapesWhatIsAddedToIt) {
  EXPECT_EQ(render("{{ '<a>'|safe + x }}", {{"x", "<b> & 'c'"}}),
            "<a>&lt;b&gt; &amp; &#39;c&#39;");
  EXPECT_EQ(render("{{ '<a>'|safe ~ x }}", {{"x", "<b>"}}), "<a><b>");
}

TEST(Render, TheTimeIsTheCallersTime) {
  ::setenv("TZ", "UTC", 1);
  EXPECT_EQ(render("{{ strftime_now('%d %b %Y') }}", Json::object(),
                   Json::array(), {.now = 86400 * 365}),
            "01 Jan 1971");
}

TEST(Render, NamesThatTheCallerGives) {
  EXPECT_EQ(render("{{ bos_token }}{{ eos_token }}{{ tools is none }}"
                   "{{ documents }}{{ add_generation_prompt }}",
                   Json::object(), Json::array(),
                   {.bosToken = "<s>", .eosToken = "</s>"}),
            "<s></s>TrueNoneFalse");
  EXPECT_EQ(render("{{ bos_token is defined }}"), "False");
}

TEST(RenderErrors, NameTheLineAndWhatIsWrong) {
  EXPECT_EQ(render("a\n\n{{ x.y.z }}"),
            "chat template, line 3: 'x' is undefined");
  EXPECT_EQ(render("\n{{ raise_exception('no ' + 'tools') }}"),
            "chat template, line 2: the template refuses the conversation: no "
            "tools");
  EXPECT_EQ(render("{{ 1 +\n 'a' }}"),
            "chat template, line 1: '+' does not go with int and str");
  EXPECT_EQ(render("{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}\n{{ m() }}"),
            "chat template, line 2: division by zero");
  EXPECT_EQ(render("{{ 'x' | join(1, 2, 3) }}"),
            "chat template, line 1: 'join' takes at most 2 arguments, not 3");
  EXPECT_EQ(render("{{ 'x' | replace('a') }}"),
            "chat template, line 1: 'replace' needs 'new'");
  EXPECT_EQ(render("{{ 'x' | trim(char='a') }}"),
            "chat template, line 1: 'trim' has no parameter 'char'");
  EXPECT_EQ(render("{{ 9223372036854775807 + 1 }}"),
            "chat template, line 1: an integer does not fit in 64 bits");
  EXPECT_EQ(render("x", Json::object(), Json::object()),
            "messages: the document must be an array of messages");
}

TEST(RenderErrors, WhatIsNotSupportedIsRefusedWhenParsing) {
  struct {
    const char *source, *says;
  } rows[] = {
      {"\n{% include 'x' %}",
       "line 2: the statement 'include' is not supported"},
      {"{% extends 'x' %}", "the statement 'extends'"},
      {"{% do x %}", "the statement 'do'"},
      {"{{ x | xmlattr }}", "line 1: the filter 'xmlattr' is not supported"},
      {"{% if false %}{{ x | nosuch }}{% endif %}", "the filter 'nosuch'"},
      {"{{ x is nosuch }}", "the test 'nosuch' is not supported"},
      {"{% for x in y recursive %}{% endfor %}", "a recursive loop"},
      {"{{ f(*x) }}", "'*' in a call is not supported"},
      {"{{ '\\N{DASH}' }}", "the escape '\\N'"},
  };
  for (auto &[source, says] : rows) {
    auto chat = ChatTemplate::parse(source);
    EXPECT_EQ(chat.status().code(), StatusCode::Unsupported) << source;
    EXPECT_THAT(chat.status().message(), HasSubstr(says));
  }
}

TEST(RenderErrors, WhatIsNoTemplateIsRefused) {
  struct {
    const char *source, *says;
  } rows[] = {
      {"{{ x", "a tag without its '}}'"},
      {"{# x", "a comment without its '#}'"},
      {"{% raw %}", "'raw' without 'endraw'"},
      {"{{ 'x }}", "a string without its '"},
      {"{{ (1 }}", "unexpected '}'"},
      {"{{ }}", "expected an expression, found the end of the expression"},
      {"{{ 1 2 }}", "expected '}}', found '2'"},
      {"{{ $ }}", "unexpected character '$'"},
      {"a\n{% if x %}\nb", "line 2: the block that begins here has no 'endif'"},
      {"{% endif %}", "'endif' does not belong here"},
      {"{% break %}", "'break' outside of a loop"},
      {"{% for x in y %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
       "'break' outside of a loop"},
      {"{% for 1 in y %}{% endfor %}", "expected a name, found '1'"},
      {"{% set true = 1 %}", "'true' cannot be assigned to"},
      {"{% macro m(a=1, b) %}{% endmacro %}", "'b' has no default"},
      {"{{ f(a=1, 2) }}", "an argument without a name"},
      {"{{ 99999999999999999999 }}", "cannot be represented"},
      {"{{ '\\ud800' }}", "the escape '\\u'"},
      {"{{ x is string is string }}", "cannot be chained"},
  };
  for (auto &[source, says] : rows) {
    auto chat = ChatTemplate::parse(source);
    EXPECT_EQ(chat.status().code(), StatusCode::InvalidArgument) << source;
    EXPECT_THAT(chat.status().message(), HasSubstr(says));
  }
  EXPECT_EQ(ChatTemplate::parse("\xff").status().message(),
            "the chat template is not UTF-8");
}
