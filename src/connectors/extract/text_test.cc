// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/text.h"

#include <doctest/doctest.h>

using namespace cairn::connectors;

TEST_CASE("text kinds: by the file's name, compressed or not") {
  CHECK(text_kind_of("open.2.gz") == TextKind::manual_page);
  CHECK(text_kind_of("printf.3") == TextKind::manual_page);
  CHECK(text_kind_of("socket.7ssl") == TextKind::manual_page);
  CHECK(text_kind_of("README.md") == TextKind::markdown);
  CHECK(text_kind_of("index.HTML") == TextKind::html);
  CHECK(text_kind_of("notes.txt.gz") == TextKind::plain);
  CHECK(text_kind_of("README") == TextKind::plain);
  for (const char* name : {"a.png", "a.so", "a.tar.gz", ".profile", "program", "a.o"})
    CHECK_FALSE(text_kind_of(name).has_value());
}

TEST_CASE("text: bytes with a NUL are none; bytes that are not UTF-8 are Latin-1") {
  CHECK_FALSE(extract_text(TextKind::plain, std::string_view("a\0b", 3)).has_value());
  CHECK(extract_text(TextKind::plain, "caf\xe9")->body == "café");
  CHECK(extract_text(TextKind::plain, "\xEF\xBB\xBFHello\nyou")->title == "Hello");
}

TEST_CASE("text: a long first line is cut between two characters") {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "яж";
  const std::string title = extract_text(TextKind::plain, "a" + line)->title;
  CHECK(title.size() == 119);
  CHECK(title.ends_with("я"));
}

TEST_CASE("markdown: title, words without marks, code as it is") {
  const auto text = extract_markdown(
      "# The *title* #\n\nSee [the page](http://x/y) and `code`.\n\n```c\nint a = b * c;\n```\n");
  CHECK(text.title == "The title");
  CHECK(text.body == "The title\n\nSee the page and code.\n\nint a = b * c;");
  CHECK(extract_markdown("Under\n=====\ntext").title == "Under");
  CHECK(extract_markdown("---\ntitle: \"Front\"\n---\nbody").title == "Front");
  CHECK(extract_markdown("").title.empty());
}

TEST_CASE("markdown: brackets, stars and underscores that are no marks stay") {
  const auto body = [](std::string_view text) { return extract_markdown(text).body; };
  CHECK(body("argv[0] is `argv[0]`, 2*3*4 is `2*3*4`, 2 * 3 * 4") ==
        "argv[0] is argv[0], 2*3*4 is 2*3*4, 2 * 3 * 4");
  CHECK(body("a **b** c*d* __e__ snake_case_name a**b**c") == "a b cd e snake_case_name a**b**c");
  CHECK(body("[x] a[i][j] [word] [link][r] ![picture](p.png)\n\n[r]: http://x\n") ==
        "[x] a[i][j] [word] link picture");
  CHECK(body("a \\* b \\[c\\]") == "a * b [c]");
  CHECK(body("- one\n- two\n  - three\n\n> said\n") == "one\n\ntwo\n\nthree\n\nsaid");
  CHECK(body("    int a[2];\n\n~~~\nx*y*z\n~~~\n") == "int a[2];\n\nx*y*z");
  CHECK(body("<div>in <b>a</b> block</div>\n\nand <i>within</i>") == "in a block\n\nand within");
  CHECK(body("| a | b |\n|---|---|\n| 1*2 | x_y |\n").find("| 1*2 | x_y |") != std::string::npos);
}

TEST_CASE("markdown: what nests very deep or never ends is read without a deep stack") {
  for (const char* piece : {"> ", "- ", "[", "*a ", "![", "`a ", "<", "(", "**"}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += piece;
    text += "bottom";
    CHECK_MESSAGE(extract_markdown(text).body.find("bottom") != std::string::npos, piece);
  }
}

TEST_CASE("html: title and text, no scripts, blocks on lines") {
  const auto text = extract_html(
      "<html><head><title> A &amp; B </title><style>p{}</style></head><body><h1>Head</h1>"
      "<p>One <b>bold</b> word.</p><script>var x;</script><ul><li>first<li>second</ul>");
  CHECK(text.title == "A & B");
  CHECK(text.body == "Head\n\nOne bold word.\n\nfirst\n\nsecond");
}

TEST_CASE("html: a page that nests very deep is read without a deep stack") {
  std::string page;
  for (int i = 0; i < 50'000; ++i) page += "<div>";
  page += "bottom";
  CHECK(extract_html(page).body.find("bottom") != std::string::npos);
}

TEST_CASE("manual page: man(7)") {
  const auto page = extract_manual_page(
      ".\\\" a comment\n.TH OPEN 2 2026-01-01 \"Linux\"\n.SH NAME\nopen \\- open a file\n"
      ".SH SYNOPSIS\n.nf\n.BI \"int open(const char *\" path \", int \" flags );\n.fi\n"
      ".SH DESCRIPTION\nThe\n.BR open (2)\ncall \\fIopens\\fP a\\~file\\(emor not.\n"
      ".TP\n.B O_RDONLY\nRead only.\n.ig\nhidden words\n..\nEnd\\&.\n");
  CHECK(page.title == "open(2) - open a file");
  CHECK(page.body.find("int open(const char *path, int flags);") != std::string::npos);
  CHECK(page.body.find("The\nopen(2)\ncall opens a file—or not.") != std::string::npos);
  CHECK(page.body.find("hidden") == std::string::npos);
  CHECK(page.body.find("\\") == std::string::npos);
}

TEST_CASE("manual page: mdoc(7), tables, pointers to other pages") {
  const auto page = extract_manual_page(
      ".Dd January 1, 2026\n.Dt LS 1\n.Os\n.Sh NAME\n.Nm ls\n.Nd list files\n.Sh DESCRIPTION\n"
      ".Nm\nlists with\n.Fl l\nmore.\n.TS\nl l.\na\tb\n.TE\n");
  CHECK(page.title == "ls(1) - list files");
  CHECK(page.body.find("lists with") != std::string::npos);
  CHECK(page.body.find("a b") != std::string::npos);
  CHECK(page.body.find("l l.") == std::string::npos);
  CHECK(extract_manual_page(".so man2/open.2\n").body == "See open.2.");
}

TEST_CASE("manual page: odd and cut-off source neither hangs nor crashes") {
  for (const char* text :
       {"", ".", "\\", ".TH", ".TH A", "\\(", "\\[", "\\[u", "\\f", "\\s", "\\h'", ".B \"", ".B \\",
        ".ig\nnever ended", ".TS\nnever ended", "\\*[", "'"})
    (void)extract_manual_page(text);
  CHECK(extract_manual_page("plain words").body == "plain words");
}
