#!/usr/bin/env python3
"""Small templates, one construct each, rendered by Pagoda and by Jinja.

    test/long/jinja_snippets.py --tool build/bin/render-chat

Jinja is set up as in chat_templates.py.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from chat_templates import NOW, STRICT, LENIENT, expected

CONTEXT = {
    "s": "Hello, World! é你🙂 <b>\n x\t", "e": "", "n": 7, "neg": -7, "f": 2.5,
    "big": 1e20, "tiny": 1.5e-7, "t": True, "no": None,
    "l": [3, 1, 2], "ls": ["b", "A", "c", "a"], "nested": [[1, 2], [3, [4]]],
    "d": {"b": 1, "a": "x", "C": [1, {"k": None}], "items": 5},
    "people": [{"name": "Bo", "age": 3, "tag": None}, {"name": "al", "age": 1},
               {"name": "Cy", "age": 2, "tag": {"x": 1}}],
    "quote": "it's \"q\" \\ \u2028 \x07", "words": " a  b c ",
    "lines": "one\n  two\n\nthree\r\nfour",
}

SNIPPETS = r"""
{{ s }}|{{ e }}|{{ n }}|{{ f }}|{{ big }}|{{ tiny }}|{{ t }}|{{ no }}|{{ u }}
{{ l }}|{{ ls }}|{{ d }}|{{ nested }}|{{ people }}|{{ (1,) }}|{{ () }}|{{ [] }}
{{ [quote, s] }}|{{ {1: 2, none: true, 'a': 1.0} }}|{{ [1e16, 1e-5, 0.1, 100.0] }}
{{ 1 + 2 * 3 - 4 / 2 }}|{{ 7 // 2 }}|{{ -7 // 2 }}|{{ 7 % 3 }}|{{ -7 % 3 }}|{{ 2 ** 10 }}
{{ 7 / 2 }}|{{ 2 ** -1 }}|{{ 7.5 // 2 }}|{{ -7.5 % 2 }}|{{ 1_000 }}|{{ 0x1F }}|{{ 1e3 }}|{{ 1.5e-3 }}
{{ -n }}|{{ +n }}|{{ - - 3 }}|{{ -n|abs }}|{{ (-n)|abs }}|{{ true + true }}|{{ -true }}
{{ "a" ~ 1 ~ none ~ u ~ 2.0 ~ [1] }}|{{ "a" + "b" }}|{{ [1] + [2] }}|{{ (1,) + (2,) }}|{{ "ab" * 3 }}|{{ 2 * [1] }}
{{ 1 < 2 < 3 }}|{{ 1 < 2 > 3 }}|{{ 1 == 1.0 == true }}|{{ "a" < "b" }}|{{ [1, 2] < [1, 3] }}|{{ 1 != 2 }}
{{ "ell" in s }}|{{ 1 in l }}|{{ "a" in d }}|{{ "z" not in d }}|{{ not 1 in l }}|{{ 4 in u }}
{{ t and n }}|{{ no or "x" }}|{{ no and 1 }}|{{ not no }}|{{ e or 0 }}|{{ not not n }}
{{ "y" if t else "n" }}|{{ "y" if no }}|{{ 1 if no else 2 if no else 3 }}|{{ ("y" if no) is undefined }}
{{ s[0] }}|{{ s[-1] }}|{{ s[1:4] }}|{{ s[:-3] }}|{{ s[::-1] }}|{{ s[::2] }}|{{ s[100] }}|{{ s[14:17] }}
{{ l[0] }}|{{ l[-1] }}|{{ l[1:] }}|{{ l[::-1] }}|{{ l[5] }}|{{ l[:0] }}|{{ l[-2:] }}|{{ l[10:] }}|{{ (1,2,3)[1:] }}
{{ l[2:0:-1] }}|{{ l[-100:100] }}|{{ s[5:2] }}|{{ s[5:2:-1] }}|{{ l[none:2] }}
{{ d.a }}|{{ d["b"] }}|{{ d.zz }}|{{ d["zz"] is defined }}|{{ d.C[1].k }}|{{ d["items"] }}|{{ d.C.0 }}
{{ people[0].name }}|{{ people[0]["tag"] }}|{{ people[1].tag is defined }}|{{ people.0.age }}
{{ u.x }}
{{ u["x"] }}
{{ u + 1 }}
{{ u() }}
{{ none.x }}|{{ n.x is defined }}|{{ (none.x) is undefined }}
{{ none + 1 }}
{{ "a" + 1 }}
{{ 1 < "a" }}
{{ 1 / 0 }}
{{ 1 in 5 }}
{{ 'a\nb\t\\\'\"\x41\u00e9\q\101' }}|{{ "it's" }}|{{ 'a' 'b' }}
{{ s|upper }}|{{ s|lower }}|{{ s|title }}|{{ s|capitalize }}|{{ s|length }}|{{ s|trim }}|{{ s|string }}
{{ "straße ǆ ﬁ"|upper }}|{{ "ÀÉ"|lower }}|{{ "o'neil (x-ray) a"|title }}|{{ "hELLO wORLD"|capitalize }}
{{ s.upper() }}|{{ s.lower() }}|{{ "they're bill's".title() }}|{{ s.strip() }}|{{ "xxaxx".strip("x") }}|{{ "xxaxx".lstrip("x") }}|{{ "xxaxx".rstrip("x") }}
{{ words.split() }}|{{ words.split(" ") }}|{{ "a,b,c".split(",", 1) }}|{{ "a,b,c".rsplit(",", 1) }}|{{ words.split(none, 1) }}|{{ words.rsplit(none, 1) }}|{{ words.rsplit() }}
{{ "".split() }}|{{ "".split(",") }}|{{ "a\nb\r\nc\n".splitlines() }}|{{ "a\nb\n".splitlines(true) }}
{{ s.startswith("Hell") }}|{{ s.endswith(("x", "\t")) }}|{{ s.replace("l", "L") }}|{{ s.replace("l", "L", 1) }}|{{ "abc".replace("", "-") }}
{{ "abcabc".find("c") }}|{{ "abcabc".rfind("c") }}|{{ "é你x".find("x") }}|{{ "abc".find("z") }}|{{ "aXbXc".count("X") }}|{{ "abc".index("b") }}
{{ ", ".join(ls) }}|{{ "{} and {}".format(1, "b") }}|{{ "{1}{0}{a}{{}}".format(1, 2, a="x") }}|{{ "%s" is string }}
{{ "a-b".partition("-") }}|{{ "ab".partition("-") }}|{{ "ab".rpartition("-") }}|{{ "abc".removeprefix("a") }}|{{ "abc".removesuffix("c") }}
{{ "12".isdigit() }}|{{ "1a".isdigit() }}|{{ "ab".isalpha() }}|{{ "AB".isupper() }}|{{ "ab1".islower() }}|{{ " ".isspace() }}|{{ "".isdigit() }}
{{ l|join }}|{{ ls|join(", ") }}|{{ people|join("-", attribute="name") }}|{{ s|join("|") }}|{{ [1, none, true]|join(d="/") }}
{{ l|sort }}|{{ ls|sort }}|{{ ls|sort(case_sensitive=true) }}|{{ l|sort(reverse=true) }}|{{ people|sort(attribute="name")|map(attribute="name")|list }}|{{ people|sort(attribute="age", reverse=true)|map(attribute="age")|join(",") }}
{{ l|first }}|{{ l|last }}|{{ []|first is undefined }}|{{ l|min }}|{{ ls|max }}|{{ []|min is undefined }}|{{ people|max(attribute="age") }}|{{ l|sum }}|{{ people|sum(attribute="age") }}|{{ l|sum(start=10) }}
{{ l|reverse|list }}|{{ "abc"|reverse }}|{{ [1, 2, 1, 3]|unique|list }}|{{ ["a", "A", "b"]|unique|list }}|{{ ["a", "A"]|unique(case_sensitive=true)|list }}
{{ d|items|list }}|{{ d|dictsort }}|{{ d|length }}|{{ u|items|list }}|{{ {"B": 2, "a": 3}|dictsort }}|{{ {"B": 2, "a": 3}|dictsort(true) }}|{{ {"B": 2, "a": 3}|dictsort(by="value", reverse=true) }}
{{ d.get("a") }}|{{ d.get("q") }}|{{ d.get("q", 5) }}|{{ d.keys()|list }}|{{ d.values()|list }}|{{ {"x": 1}.items()|list }}|{{ d.copy() == d }}
{{ people|map(attribute="name")|list }}|{{ people|map(attribute="tag.x")|list }}
{{ people|map(attribute="zip", default="-")|list }}|{{ ls|map("upper")|join }}|{{ ["1", "2"]|map("int")|sum }}|{{ ls|map("replace", "a", "z")|list }}
{{ people|selectattr("tag")|map(attribute="name")|list }}|{{ people|selectattr("age", "gt", 1)|list|length }}|{{ people|rejectattr("tag", "defined")|map(attribute="name")|list }}|{{ people|selectattr("name", "equalto", "Bo")|list }}
{{ [1, 2, 3, 4]|select("even")|list }}|{{ [1, 2, 3, 4]|reject("odd")|list }}|{{ [0, 1, "", "a"]|select|list }}|{{ [1, 2]|select("==", 2)|list }}|{{ none|select|list }}|{{ none|map("upper")|list }}
{{ u|default("x") }}|{{ e|default("x") }}|{{ e|default("x", true) }}|{{ none|d("x") }}|{{ none|default("x", boolean=true) }}|{{ u.x|default("deep") }}
{{ "42"|int }}|{{ "4.7"|int }}|{{ "x"|int }}|{{ "x"|int(-1) }}|{{ "0x1f"|int(base=16) }}|{{ " 7 "|int }}|{{ 3.9|int }}|{{ true|int }}|{{ none|int }}|{{ "1_0"|int }}
{{ "4.5"|float }}|{{ "x"|float }}|{{ 3|float }}|{{ 2.567|round(2) }}|{{ 2.5|round }}|{{ 3.5|round }}|{{ 2.1|round(0, "ceil") }}|{{ 2.9|round(method="floor") }}|{{ 5|round }}|{{ -3|abs }}|{{ -2.5|abs }}
{{ "a b  c"|wordcount }}|{{ "a"|list }}|{{ d|list }}|{{ "x"|attr("upper") is callable }}|{{ d|attr("a") is defined }}
{{ lines|indent }}|{{ lines|indent(2, true) }}|{{ lines|indent(2, blank=true) }}|{{ lines|indent("> ") }}|{{ ""|indent }}|{{ "a\n"|indent(first=true) }}
{{ d|tojson }}|{{ d|tojson(indent=2) }}|{{ s|tojson }}|{{ s|tojson(ensure_ascii=true) }}|{{ quote|tojson }}|{{ d|tojson(sort_keys=true) }}|{{ d|tojson(separators=(",", ":")) }}|{{ []|tojson(indent=1) }}|{{ {}|tojson(2) }}
{{ [1.0, 1e20, true, none, "é", (1, 2)]|tojson }}|{{ {1: 1, true: 2, none: 3}|tojson }}|{{ [[], {}, [1]]|tojson(indent=2) }}
{{ u|tojson }}
{{ [u]|tojson }}
{{ "<b>"|escape }}|{{ "<b>"|safe }}|{{ ("<b>"|safe) + "<i>" }}|{{ "<i>" + ("<b>"|safe) }}|{{ ("<b>"|safe) ~ "<i>" }}|{{ ("<b>"|e)|upper }}|{{ "<b>"|e|e }}
{{ n is number }}|{{ n is integer }}|{{ f is float }}|{{ t is number }}|{{ t is integer }}|{{ s is string }}|{{ d is mapping }}|{{ l is sequence }}|{{ s is sequence }}|{{ d is sequence }}|{{ n is sequence }}
{{ l is iterable }}|{{ n is iterable }}|{{ u is iterable }}|{{ s is iterable }}|{{ no is none }}|{{ u is none }}|{{ u is undefined }}|{{ u is defined }}|{{ t is boolean }}|{{ t is true }}|{{ 1 is true }}|{{ no is false }}|{{ range is callable }}
{{ 4 is even }}|{{ 3 is odd }}|{{ 6 is divisibleby 3 }}|{{ 6 is divisibleby(4) }}|{{ 1 is eq 1 }}|{{ 1 is ne 1 }}|{{ 2 is gt 1 }}|{{ 1 is in [1] }}|{{ "a" is lower }}|{{ "A" is upper }}|{{ none is sameas none }}|{{ n is not none }}|{{ s is not string }}
{{ n is defined and s is string or false }}|{{ not u is defined }}|{{ u is not defined }}
{% if n > 5 %}big{% elif n %}small{% else %}zero{% endif %}|{% if u %}x{% endif %}|{% if l %}l{% endif %}|{% if {} %}d{% else %}empty{% endif %}
{% for x in l %}{{ x }},{% endfor %}|{% for x in s[:3] %}{{ x }}.{% endfor %}|{% for k in d %}{{ k }}{% endfor %}|{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}
{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}
{% for x in l %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {% endfor %}|{% for x in l %}{{ loop.cycle("a", "b") }}{{ loop.changed(x > 1) }}{% endfor %}
{% for x in [] %}x{% else %}none{% endfor %}|{% for x in u %}x{% else %}none{% endfor %}|{% for x in l if x > 1 %}{{ x }}{{ loop.last }}{{ loop.length }}{% endfor %}|{% for x in l if x > 9 %}x{% else %}none{% endfor %}
{% for x in l %}{% for y in ls %}{{ loop.depth }}{{ x }}{{ y }}{% endfor %}{{ loop.depth0 }}{% endfor %}
{% for x in [1,2,3,4] %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}
{% for a, (b, c) in [[1, [2, 3]]] %}{{ a }}{{ b }}{{ c }}{% endfor %}|{% for (a, b) in nested %}{{ a }};{{ b }}|{% endfor %}
{% for a, b in [[1]] %}{{ a }}{% endfor %}
{% for x in n %}{{ x }}{% endfor %}
{% for x in none %}{{ x }}{% endfor %}
{% set x = 1 %}{% for i in l %}{% set x = i %}{{ x }}{% endfor %}{{ x }}|{% set ns = namespace(x=1) %}{% for i in l %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}
{% for i in l %}{% if loop.first %}{% set y = i %}{% endif %}{{ y }},{% endfor %}{{ y }}|{% if t %}{% set z = 5 %}{% endif %}{{ z }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}|{% set c = 1, 2 %}{{ c }}|{% set (p, q) = l[:2] %}{{ p }}{{ q }}
{% set x %}a{{ n }}b{% endset %}{{ x }}|{% set y | upper | trim %} abc {% endset %}{{ y }}|{% set ns = namespace() %}{% set ns.v %}in{% endset %}{{ ns.v }}{{ ns.w is defined }}
{% set ns = namespace({"a": 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns["a"] }}{% set ns.a = ns.a + 1 %}{{ ns.a }}|{{ dict(a=1, b=2) }}
{% set n.x = 1 %}
{% macro m(a, b=2, c=b) %}{{ a }}-{{ b }}-{{ c }}{% endmacro %}{{ m(1) }}|{{ m(1, 3) }}|{{ m(a=5, c=6) }}|{{ m() }}|{{ m(1)|length }}
{% macro m(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}|{{ m() }}
{% macro m(a) %}x{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}x{% endmacro %}{{ m(b=2) }}
{% macro fact(k) %}{% if k < 2 %}1{% else %}{{ k * fact(k - 1)|int }}{% endif %}{% endmacro %}{{ fact(6) }}
{% macro m() %}{{ g }}{% endmacro %}{% set g = 1 %}{{ m() }}{% set g = 2 %}{{ m() }}|{% macro q() %}{% set inner = 1 %}{{ inner }}{% endmacro %}{{ q() }}{{ inner is defined }}
{% macro box() %}[{{ caller() }}]{% endmacro %}{% call box() %}x{{ n }}{% endcall %}|{% macro list(xs) %}{% for x in xs %}{{ caller(x) }}{% endfor %}{% endmacro %}{% call(v) list(l) %}<{{ v }}>{% endcall %}
{% filter upper %}abc {{ s[:2] }}{% endfilter %}|{% filter replace("a", "b")|title %}aaa{% endfilter %}
{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}|{% with %}{% set k = 1 %}{{ k }}{% endwith %}{{ k is defined }}
{% generation %}gen {{ n }}{% set inside = 1 %}{% endgeneration %}{{ inside is defined }}
{% raw %}{{ x }}{% y %}{% endraw %}|{%- raw -%} {{ a }} {%- endraw -%} z
a {#- c -#} b|{# x #}
{{- n -}} x |{%- if t -%} y {%- endif -%} z
{{ range(3)|list }}|{{ range(1, 4)|list }}|{{ range(5, 0, -2)|list }}|{{ range(0)|list }}
{{ range(1000000)|length }}
{{ raise_exception("no " ~ n) }}
{{ strftime_now("%d %B %Y %H:%M %% %A") }}|{{ strftime_now("") }}
{{ l.count(1) }}|{{ l.index(2) }}|{{ (1, 1).count(1) }}|{% set q = [1] %}{% set _ = q.append(2) %}{{ q }}{{ q.pop() }}{{ q.pop(0) }}{{ q }}
{% set q = {"a": 1} %}{% set _ = q.update({"b": 2}) %}{{ q }}{{ q.pop("a") }}{{ q.setdefault("c", 3) }}{{ q }}
{% set q = [1, 2] %}{% for x in q %}{% if x < 5 %}{% set _ = q.append(x + 2) %}{% endif %}{{ x }}{% endfor %}
{{ [1, 2] == [1, 2] }}|{{ {"a": 1} == {"a": 1.0} }}|{{ (1,) == [1] }}|{{ "1" == 1 }}|{{ none == false }}|{{ u == u2 }}|{{ nested == [[1, 2], [3, [4]]] }}
{{ x|nosuch }}
{{ 1 is nosuch }}
{% nosuch %}
{{ (1 }}
{% if %}{% endif %}
{{ "a" if }}
{% for x in l %}
{% endif %}
{{ 'abc }}
{{ {'a': {'b': 1}} }}|{{ {'a': 1,} }}|{{ [1,] }}|{{ {} }}|{{ {'a': 1}.a }}
{{ s|upper|lower|trim|replace("l", "")|length }}|{{ (l|length) + 1 }}|{{ l|length + 1 }}|{{ n|string + "x" }}|{{ 5 ~ 5|string }}
{{ 3 * "ab" ~ 1 }}|{{ 1 ~ 2 + 3 }}|{{ "a" ~ "b" in "abc" }}|{{ 2 ** 3 ** 2 }}|{{ -2 ** 2 }}|{{ not 1 == 2 }}
{{ 9007199254740993 }}|{{ 1.0 }}|{{ 1e22 }}|{{ 123456789012345680.0 }}|{{ 0.30000000000000004 }}|{{ 5e-324 }}|{{ -0.0 }}|{{ 100000.0 }}
"""

# What has line breaks, or space at its ends.
BLOCKS = [
    "{% if t %}\n  a\n{% endif %}\nb\n",
    "  {% if t %}\n  a\n  {% endif %}\n  b\n",
    "x {% if t %} y {% endif %} z\n",
    "{%+ if t %}\n  a{%+ endif +%}\n b",
    "  {%+ if t %}a{% endif %}  ",
    "a\n  {#- c -#}\n  b\n  {# d #}\n  e",
    "a\n\n  {%- if t -%}\n\n  b\n\n  {%- endif -%}\n\n c",
    "{{ n }}\n{{ n }}\n\n",
    "\n\n  {{ n }}  \n\n",
    "   {{- n }}\n   {{ n -}}   \n  x",
    "a\r\nb\r{% if t %}\r\nc\r\n{% endif %}d\r\n",
    "{% for x in l %}\n  {{ x }}\n{% endfor %}\n",
    "  {% for x in l %}\n    {% if x > 1 %}\n  {{ x }}\n    {% endif %}\n  {% endfor %}\n  end",
    "{% raw %}\n  {{ a }}\n  {% endraw %}\n  x",
    "  {%- raw %}\n a \n{% endraw -%}\n  x",
    "{% set x %}\n  a\n{% endset %}\n[{{ x }}]",
    "{% macro m() %}\n  a\n{% endmacro %}\n[{{ m() }}]\n",
    "{% if t %}{% if t %}\n\na\n{% endif %}\n{% endif %}\n",
    "{{ 'a' }}{% if t %}\n\u3000{% endif %}x",
    "{{\n n\n +\n 1 }}\n{% if\n t\n %}\ny{% endif\n%}z",
    "{{ 'a\nb' }}|{{ 'a\\\nb' }}",
    "{% if t -%}\n\n a {%- else -%} b {% endif -%}\n\n",
    "{{ n }}{# c #}\n{# d #}\nx{#- e #}\n",
    "{ { {x} %} }} #} {% if t %}{%{% endif %}",
    "a{{ '}}' }}b{{ \"%}\" }}{% set x = '%}' %}{{ x }}",
    "",
    "\n",
    "no tags at all\n\n",
]


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=here / "build/bin/render-chat")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    os.environ["TZ"] = "UTC"
    request = {"messages": [], "add_generation_prompt": False, "now": NOW,
               "bos_token": "<s>", "eos_token": "</s>", "extra": CONTEXT}
    sources = SNIPPETS.strip().split("\n") + BLOCKS
    # A line is one template, and so is each of its parts.
    for line in SNIPPETS.strip().split("\n"):
        if "%}" not in line and "'|'" not in line and '"|"' not in line:
            sources += line.replace("}}|{{", "}}\0{{").split("\0")
    wrong = 0
    for source in sources:
        with tempfile.NamedTemporaryFile("w", suffix=".jinja", newline="") as f:
            f.write(source)
            f.flush()
            run = subprocess.run([args.tool, f.name], text=True,
                                 input=json.dumps(request) + "\n",
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
        answer = json.loads(run.stdout) if run.returncode == 0 else {
            "error": f"exit status {run.returncode}", "text": "CRASH"}
        try:
            reference = expected(STRICT.from_string(source),
                                 LENIENT.from_string(source), request)
        except Exception as error:  # a template that does not compile
            reference = {"error": f"{type(error).__name__}: {error}"}
        if args.verbose and "error" in answer:
            print(repr(source), "|", answer["error"], "|",
                  reference.get("error"))
        if answer.get("text") != reference.get("text"):
            wrong += 1
            print("DIFFERS", repr(source))
            print("   ours  ", repr(answer.get("text", answer.get("error"))))
            print("   theirs", repr(reference.get("text",
                                                  reference.get("error"))))
    print(f"{len(sources)} snippets: {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
