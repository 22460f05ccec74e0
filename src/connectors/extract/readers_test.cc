// SPDX-License-Identifier: Apache-2.0
// Readers on files that other programs made (tests/data/files), and on small pieces of each
// grammar.
#include "connectors/extract/readers.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>

#include "connectors/extract/mime.h"
#include "connectors/extract/sheet_cells.h"

namespace cairn::connectors::readers_test {

namespace {

std::string sample(const std::string& name) {
  const std::string path = "tests/data/files/samples/" + name;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rb"),
                                                                std::fclose);
  REQUIRE_MESSAGE(file != nullptr, path);
  std::string out;
  char piece[4096];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, file.get())) > 0;)
    out.append(piece, n);
  return out;
}

ExtractedFile read(const std::string& name, std::string_view bytes, ExtractOptions options = {}) {
  auto file = extract_file(name, bytes, options);
  REQUIRE_MESSAGE(file.ok(), (file.ok() ? std::string() : name + ": " + file.error().message));
  return *std::move(file);
}

std::string fault_of(const std::string& name, std::string_view bytes, ExtractOptions options = {}) {
  const auto file = extract_file(name, bytes, options);
  return file.ok() ? "none" : file.error().message;
}

bool has(const ExtractedFile& file, std::string_view words) {
  return file.body.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("kinds: by names, by first bytes, and what is skipped says what it is") {
  CHECK(kind_by_name("a/b.DOCX").kind == FileKind::word);
  CHECK(kind_by_name("notes.txt.gz").kind == FileKind::plain);
  CHECK(kind_by_name("open.2").kind == FileKind::manual_page);
  CHECK(kind_by_name("README").kind == FileKind::unknown);
  CHECK(kind_by_name("README").skipped.empty());
  CHECK(kind_by_name("photo.JPG").skipped == "an image");
  CHECK(kind_by_name("all.tar.gz").skipped == "an archive");
  CHECK(kind_by_name("a.7z").skipped == "an archive");
  CHECK(kind_by_bytes("%PDF-1.7") == FileKind::pdf);
  CHECK(kind_by_bytes("  <!DOCTYPE HTML>") == FileKind::html);
  CHECK(kind_by_bytes("words") == FileKind::plain);
}

TEST_CASE("documents in ZIP files: text, notes and titles") {
  const auto word = read("a.docx", sample("report.docx"));
  CHECK(word.title == "The aardvark");
  CHECK(has(word, "The aardvark is an animal of this folder."));
  CHECK(has(word, "The note of the aardvark."));
  CHECK(has(word, "naïve, façade"));
  const auto letter = read("a.odt", sample("letter.odt"));
  CHECK(letter.title == "The bandicoot");
  CHECK(has(letter, "The bandicoot is an animal of this folder."));
  const auto book = read("a.epub", sample("book.epub"));
  CHECK(book.title == "The capybara");
  CHECK(has(book, "leaves"));
  CHECK(has(read("a.pptx", sample("talk.pptx")), "dugong"));
  CHECK(has(read("a.odp", sample("slides.odp")), "ratel"));
}

TEST_CASE("sheets: rows as lines, with comments and the names of sheets") {
  const auto table = read("a.xlsx", sample("table.xlsx"));
  CHECK(has(table, "Animals"));
  CHECK(has(table, "animal legs since"));
  CHECK(has(table, "uakari 4 1847"));
  CHECK(has(table, "seen by the river"));
  CHECK(has(read("a.ods", sample("sheet.ods")), "tapir 4 eats leaves, and reeds"));
}

TEST_CASE("documents in ZIP files: what is cut off or something else is damaged") {
  const std::string whole = sample("report.docx");
  for (std::size_t cut = 0; cut < whole.size(); cut += 97)
    CHECK(fault_of("a.docx", std::string_view(whole).substr(0, cut)) ==
          "the ZIP file is damaged: it has no directory, or is cut off");
  CHECK(fault_of("a.docx", sample("talk.pptx")) == "it has no word/document.xml");
  CHECK(fault_of("a.xlsx", whole) == "it has no xl/workbook.xml");
  CHECK(fault_of("a.docx", whole, {.unpacked_bytes_max = 1000}) ==
        "the ZIP file unpacks to more than is allowed");
  for (std::size_t at = 0; at < whole.size(); at += 61) {  // any byte may be another one
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    (void)extract_file("a.docx", changed);
  }
}

TEST_CASE("rtf: words, code pages, Unicode, and groups that hold no text") {
  CHECK(has(read("a.rtf", sample("memo.rtf")), "The echidna is an animal of this folder."));
  CHECK(has(read("a.rtf", sample("office.rtf")), "saiga"));
  const auto text = [](std::string_view rtf) { return read("a.rtf", rtf).body; };
  CHECK(text("{\\rtf1\\ansi\\ansicpg1251 \\'ef\\'f0\\'e8\\par two}") == "при\ntwo");
  CHECK(text("{\\rtf1 a\\u233?b\\uc2\\u8364\\'80\\'80c}") == "aéb€c");
  CHECK(text("{\\rtf1{\\fonttbl{\\f0 Hidden;}}{\\*\\generator Hidden;}shown\\{\\}\\\\}") ==
        "shown{}\\");
  CHECK(text("{\\rtf1 \\u-10179?\\u-8704?}") == "😀");
  CHECK(read("a.rtf", "{\\rtf1{\\info{\\title The title}}body}").title == "The title");
  CHECK(text("{\\rtf1 {\\bin5 abcde}x{{{").ends_with("x"));
  CHECK(fault_of("a.rtf", "plain") == "it does not begin as RTF does");
  CHECK(fault_of("a.rtf", "{\\rtf1" + std::string(20'000, '{')) ==
        "its groups are nested deeper than 10000");
}

TEST_CASE("messages: words of headers, the plain one of two texts, attachments one level deep") {
  const auto mail = read("a.eml", sample("mail.eml"));
  CHECK(mail.title == "Über das Vicuña");
  CHECK(has(mail, "From: Zoë Keeper <zoe@example.org>"));
  CHECK(has(mail, "The vicuna is well. Grüße, Zoë"));
  CHECK(has(mail, "The aardvark is an animal"));
  REQUIRE(mail.enclosed.size() == 1);
  CHECK(mail.enclosed[0].name == "späte Post.pdf");
  CHECK(mail.enclosed[0].bytes.starts_with("%PDF-"));
  CHECK(mail.fields_json ==
        "{\"from\":\"Zoë Keeper <zoe@example.org>\",\"to\":\"all@example.org\","
        "\"date\":\"2026-03-02T08:00:00.000Z\"}");
  CHECK(decode_words("=?utf-8?q?a=C3=A9?= =?iso-8859-1?B?6Q==?= end =?broken") ==
        "aéé end =?broken");
  CHECK(fault_of("a.eml", "no header\n\nbody") == "it has no header of a message");
  std::string nested = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n";
  for (int i = 0; i < 5'000; ++i) nested += "--b\nContent-Type: multipart/mixed; boundary=b\n\n";
  (void)read("a.eml", nested);
  std::string attached = "Subject: x\n";
  for (int i = 0; i < 5'000; ++i)
    attached +=
        "Content-Type: x/y; name=\"a.eml\"\nContent-Disposition: attachment\n\nSubject: y\n";
  (void)read("a.eml", attached);
}

TEST_CASE("encodings: what the sender of a file says counts before what a page says") {
  const std::string page = "<meta charset=\"koi8-r\"><title>\xEF\xF0\xE8</title>";
  CHECK(read("a.html", page).title == "ОПХ");
  CHECK(read("a.html", page, {.charset = "windows-1251"}).title == "при");
  CHECK(read("a.html", page, {.charset = "none-such"}).title.empty() == false);
  CHECK(read("a.txt", "\xEF\xF0\xE8", {.charset = "windows-1251"}).body == "при");
  CHECK(read("a.txt", "caf\xC3\xA9", {.charset = "iso-8859-1"}).body == "café");  // valid UTF-8
  CHECK(read("a.eml",
             "Subject: x\nContent-Type: text/plain; charset=ISO-2022-JP\n\n\x1B$BF|K\\\x1B(B end")
            .body.find("日本 end") != std::string::npos);
}

TEST_CASE("mailboxes: each message is a document, as it would be alone") {
  const auto box = read("a.mbox", sample("box.mbox"));
  CHECK(box.body.empty());
  REQUIRE(box.rows.size() == 2);
  CHECK(box.rows[0].title == "First");
  CHECK(box.rows[0].label == "message 1");
  CHECK(box.rows[0].fields_json.find("\"from\":\"Zoë Keeper <zoe@example.org>\"") == 1);
  CHECK(box.rows[0].body.find("The wombat is well. Grüße, Zoë") != std::string::npos);
  CHECK(box.rows[0].body.find("xerus") == std::string::npos);
  CHECK(box.rows[1].title == "Second");
  const std::string mail = sample("mail.eml");
  const auto one = read("a.eml", mail);
  for (const std::string before : {"", "\n", "From a\nSubject: before\n\nx\n\n"}) {
    const auto held = read("a.mbox", before + "From zoe Mon Mar  2 09:00:00 2026\r\n" + mail);
    REQUIRE(held.rows.size() == (before.size() > 1 ? 2 : 1));
    CHECK(held.rows.back().title == one.title);
    CHECK(held.rows.back().body == one.body);
    CHECK(held.rows.back().fields_json == one.fields_json);
    REQUIRE(held.enclosed.size() == 1);
    CHECK(held.enclosed[0].row == held.rows.size());
  }
}

TEST_CASE("mailboxes: sentences that begin with From are no messages, and marks before it go") {
  const auto box = read("a.mbox",
                        "From a Mon Mar  2 09:00:00 2026\nSubject: one\n\n>From me\n>>From him\n"
                        "From here: on\nFrom there\n\nFrom now on\nNo header: here\n"
                        "From b Mon Mar  2 09:01:00 2026\nX-Note: no subject\n\n\n"
                        "From c\nSubject: three\n\n");
  REQUIRE(box.rows.size() == 3);
  CHECK(box.rows[0].body ==
        "From me\n>From him\nFrom here: on\nFrom there\n\nFrom now on\nNo header: here");
  CHECK(box.rows[1].title.empty());
  CHECK(box.rows[2].title == "three");
  CHECK(read("a.mbox", "From here on\nwe walk").body == "From here on\nwe walk");
  CHECK(fault_of("a.mbox",
                 "From a\nSubject: x\n\n12345\n\nFrom a\nSubject: y\n\n" + std::string(50, 'x'),
                 {.text_bytes_max = 40}) ==
        "message 2 is beyond the text that is taken of one file");
  const auto within = read("a.eml",
                           "Subject: x\nContent-Type: text/plain; name=\"old.mbox\"\n"
                           "Content-Disposition: attachment\n\nFrom a\nSubject: inner\n\nwords");
  CHECK(has(within, "inner"));
  CHECK(has(within, "words"));
}

TEST_CASE("messages: dates as programs write them") {
  CHECK(message_date_ms("Fri, 02 Jan 2026 03:04:05 GMT") == 1767323045000);
  CHECK(message_date_ms("2 Jan 26 03:04:05 -0000 (UTC)") == 1767323045000);
  CHECK(message_date_ms("Thu,  1 Jan 2026 22:04:05 EST") == 1767323045000);
  for (const auto* text : {"", "yesterday", "Fri, 02 Foo 2026 03:04:05 GMT", "1 2 3 4 5",
                           "Fri, 02 Jan 2026 03:04:05 +2", "2 Jan 2026 25:61:05 GMT"})
    CHECK(message_date_ms(text) == 0);
}

TEST_CASE("reStructuredText: marks go, words stay") {
  const auto page = read("a.rst", sample("page.rst"));
  CHECK(has(page, "The hoatzin is an animal of this folder."));
  const auto text =
      read("a.rst",
           "=====\nTitle\n=====\n\nSee :ref:`the page <target>` and ``code``.\n\n"
           ".. image:: hidden.png\n\n.. note:: Take **care**.\n\n`Link <http://x>`_ |x| 2*3\n");
  CHECK(text.title == "Title");
  CHECK(text.body == "Title\n\nSee the page and code.\n\nTake care.\n\nLink x 2*3");
}

TEST_CASE("latex: commands go, what they are given stays") {
  CHECK(has(read("a.tex", sample("paper.tex")), "is an"));
  const auto text =
      read("a.tex",
           "\\documentclass{article}\\title{The \\emph{title}}\\begin{document}\n"
           "\\section{Head} A \\textbf{bold} w\\\"{o}rd, 5\\% off. % hidden\n"
           "\\cite{hidden} caf\\'e \\begin{itemize}\\item one\\end{itemize}\\end{document}");
  CHECK(text.title == "The title");
  CHECK(has(text, "A bold wörd, 5% off."));
  CHECK(has(text, "café"));
  CHECK_FALSE(has(text, "hidden"));
  (void)read("a.tex", std::string(100'000, '{') + "\\a" + std::string(100'000, '['));
}

TEST_CASE("json: names and values; what is none is text as it stands") {
  CHECK(read("a.json", "{\"title\":\"T\",\"a\":[1,{\"b\":\"caf\\u00e9\"}]}").body ==
        "title: T\na: 1\nb: café\n");
  CHECK(read("a.json", "{broken").body == "{broken");
  CHECK(read("a.ndjson", "{\"a\":1}\nbroken\n").body == "a: 1\nbroken\n");
}

TEST_CASE("rows: tables, lines and lists become documents with fields") {
  const ExtractOptions rows{.rows = true};
  const auto table =
      read("a.csv", "name;legs;since;_id;a.b;\n\"Ad;dax\";4;1.5;x;y;z\nheron;2;;;;\n\n", rows);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].fields_json ==
        "{\"name\":\"Ad;dax\",\"legs\":4,\"since\":1.5,\"column_id\":\"x\",\"a_b\":\"y\","
        "\"column_6\":\"z\"}");
  CHECK(table.rows[0].body == "Ad;dax\n4\n1.5\nx\ny\nz\n");
  CHECK(table.rows[1].fields_json == "{\"name\":\"heron\",\"legs\":2}");
  CHECK(read("a.csv", "zip,n\n007,1\n8,x\n", rows).rows[0].fields_json ==
        "{\"zip\":\"007\",\"n\":\"1\"}");
  CHECK(read("a.ndjson", "{\"a\":1}\n{\"a\":2}\n", rows).rows.size() == 2);
  CHECK(read("a.json", "[{\"a\":1},{\"a\":2}]", rows).rows[1].fields_json == "{\"a\":2}");
  CHECK(read("a.json", "[1,2]", rows).rows.empty());
  CHECK(read("a.csv", "a,b\n\"never ended", rows).rows.size() == 1);
}

TEST_CASE("rows: sheets become documents with the fields that their first row names") {
  const ExtractOptions rows{.rows = true};
  const auto book = read("a.xlsx", sample("stock.xlsx"), rows);
  REQUIRE(book.rows.size() == 5);
  CHECK(book.rows[0].fields_json ==
        "{\"sheet\":\"Stock\",\"item\":\"tahr\",\"price\":1.5,\"count\":4,"
        "\"since\":\"2026-03-02\",\"code\":\"007\",\"sold\":\"true\"}");
  CHECK(book.rows[0].body == "tahr\n1.5\n4\n2026-03-02\n007\ntrue\n");
  CHECK(book.rows[0].label == "Stock, row 2");
  CHECK(book.rows[1].fields_json ==
        "{\"sheet\":\"Stock\",\"item\":\"urial\",\"price\":0.3,"
        "\"since\":\"2026-03-02T09:30:00Z\",\"code\":\"x\",\"sold\":\"false\"}");
  CHECK(book.rows[1].label == "Stock, row 4");
  CHECK(book.rows[1].body.ends_with("\nno head above\n"));
  CHECK(book.rows[2].fields_json ==
        "{\"sheet\":\"Stock\",\"price\":1.8,\"count\":12,\"code\":\"12\"}");
  CHECK(book.rows[3].fields_json == "{\"sheet\":\"Stock\",\"code\":\"ab\"}");
  CHECK(book.rows[4].fields_json ==
        "{\"sheet\":\"Keepers & co\",\"name\":\"Zoë\",\"sheet_2\":\"night\"}");
  CHECK(has(book, "on leave"));
  const auto open = read("a.ods", sample("stock.ods"), rows);
  REQUIRE(open.rows.size() == 3);
  CHECK(open.rows[0].fields_json ==
        "{\"sheet\":\"Stock\",\"item\":\"nilgai\",\"price\":1.5,\"count\":4,"
        "\"since\":\"2026-03-02\",\"sold\":\"true\"}");
  CHECK(open.rows[1].fields_json == "{\"sheet\":\"Stock\",\"item\":\"kob\",\"count\":7}");
  CHECK(open.rows[1].label == "Stock, row 6");
  CHECK(open.rows[2].label == "Stock, row 7");
  const auto inlined = read("a.xlsx", sample("table.xlsx"), rows);
  REQUIRE(inlined.rows.size() == 2);
  CHECK(inlined.rows[0].fields_json ==
        "{\"sheet\":\"Animals\",\"animal\":\"uakari\",\"legs\":4,\"since\":1847}");
  const auto office = read("a.ods", sample("sheet.ods"), rows);
  REQUIRE(office.rows.size() == 2);
  CHECK(office.rows[1].fields_json.find("\"note\":\"says \\\"kra\\\"\"") != std::string::npos);
  CHECK(read("a.odt", sample("letter.odt"), rows).rows.empty());
  CHECK(fault_of("a.xlsx", sample("stock.xlsx"), {.rows = true, .text_bytes_max = 60}) ==
        "it holds more text than is taken of one file");
  CHECK(fault_of("a.ods", sample("stock.ods"), {.rows = true, .text_bytes_max = 60}) ==
        "it holds more text than is taken of one file");
  for (const auto* name : {"stock.xlsx", "stock.ods"}) {
    const std::string whole = sample(name);
    for (std::size_t at = 0; at < whole.size(); at += 7) {  // any byte may be another one
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      (void)extract_file(name, changed, rows);
    }
  }
}

TEST_CASE("sheets: columns, dates and numbers as cells have them") {
  CHECK(column_of_reference("A1") == 0);
  CHECK(column_of_reference("Z9") == 25);
  CHECK(column_of_reference("AB12") == 27);
  CHECK(column_of_reference("XFD1") == 16'383);
  for (const auto* none : {"", "12", "XFE1", "AAAA1", "a1"}) CHECK_FALSE(column_of_reference(none));
  for (const auto* code : {"yyyy-mm-dd", "d/m/yy h:mm", "[$-409]h:mm AM/PM;@", "mmm\\ yy"})
    CHECK(is_date_format(code));
  for (const auto* code :
       {"General", "0.00", "#,##0.00 \"days\"", "[h]:mm:ss", "[Red]0;\\d0", "@", "_-* #,##0_-", ""})
    CHECK_FALSE(is_date_format(code));
  CHECK(is_date_format(std::size_t{14}));
  CHECK_FALSE(is_date_format(std::size_t{46}));
  CHECK(date_of_number(46083, false) == "2026-03-02");
  CHECK(date_of_number(46083.39583333334, false) == "2026-03-02T09:30:00Z");
  CHECK(date_of_number(0.5, false) == "12:00:00");
  CHECK(date_of_number(1, false) == "1900-01-01");
  CHECK(date_of_number(61, false) == "1900-03-01");
  CHECK(date_of_number(44621, true) == "2026-03-02");
  CHECK(date_of_number(2'958'465, false) == "9999-12-31");
  for (const double none : {-1.0, 2'958'466.0, 1e300}) CHECK_FALSE(date_of_number(none, false));
  CHECK(plain_number("0.30000000000000004") == "0.3");
  CHECK(plain_number("1E-3") == "0.001");
  CHECK(plain_number("4.0") == "4");
  CHECK(plain_number("-12.5") == "-12.5");
  CHECK(plain_number("1e300") == "1e300");
  CHECK(plain_number("x") == "x");
  CHECK(plain_number("nan") == "nan");
}

TEST_CASE("xml: the text of elements; what is not well-formed is text as it stands") {
  CHECK(read("a.rss", sample("feed.rss")).title == "News");
  CHECK(read("a.xml", "<a>one<b>two</b></a>").body == "one\ntwo");
  CHECK(read("a.xml", "<a>one").body == "<a>one");
}

TEST_CASE("gzip: unpacked first, within a bound") {
  CHECK(has(read("a.log.gz", sample("old.log.gz")), "oribi"));
  CHECK(fault_of("a.log.gz", sample("old.log.gz"), {.unpacked_bytes_max = 5}).find("5") !=
        std::string::npos);
}

}  // namespace cairn::connectors::readers_test
