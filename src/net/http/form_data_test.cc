// SPDX-License-Identifier: Apache-2.0
#include "net/http/form_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace cairn::net::form_data_test {
namespace {

/// Gives a text in pieces of `step` bytes.
class Pieces final : public BodyReader {
 public:
  Pieces(std::string_view text, std::size_t step) : text_(text), step_(step) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), step_, text_.size()});
    std::memcpy(into.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  const Headers& trailers() const override { return none_; }

 private:
  std::string_view text_;
  std::size_t step_;
  Headers none_;
};

struct Part {
  FormPart said = {};
  std::string bytes = {};
};

Result<std::vector<Part>> read_form(std::string_view text, std::size_t step = SIZE_MAX,
                                    std::size_t buffer_bytes = 1000) {
  Pieces pieces(text, step);
  FormDataReader reader(pieces, "XX");
  std::vector<Part> parts;
  std::string buffer(buffer_bytes, '\0');
  while (true) {
    CAIRN_TRY(auto said, reader.next());
    if (!said) return parts;
    Part part{.said = std::move(*said)};
    while (true) {
      CAIRN_TRY(const std::size_t count, reader.read(buffer));
      if (count == 0) break;
      part.bytes.append(buffer, 0, count);
    }
    parts.push_back(std::move(part));
  }
}

std::string part(std::string_view disposition, std::string_view bytes) {
  return "--XX\r\nContent-Disposition: " + std::string(disposition) + "\r\n\r\n" +
         std::string(bytes) + "\r\n";
}

TEST_CASE("form data: parts of every kind, in pieces of every size") {
  const std::string hard = "\r\n--X\r\r\n--\r\n-\r\n--XY\r\n--XX";  // all but the last is content
  const std::string text =
      part("form-data; name=\"key\"", "a/${filename}") + part("form-data; name=empty", "") +
      part("form-data; name=\"near\"", hard.substr(0, hard.size() - 6)) +
      "--XX\t \r\ncontent-type: image/png\r\n"
      "content-disposition: FORM-DATA; name=\"file\"; filename=\"C:\\a b\\\"c\\\".png\"\r\n"
      "X-Other: 1\r\n\r\n" +
      std::string(3000, '\r') + "\r\n" + part("form-data; name=after", "x") +
      "--XX--\r\nwhat follows is dropped\r\n--XX\r\n";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    CAPTURE(step);
    const auto parts = read_form(text, step, step % 7 + 1);
    REQUIRE(parts.ok());
    REQUIRE(parts->size() == 5);
    CHECK((*parts)[0].said.name == "key");
    CHECK(!(*parts)[0].said.filename);
    CHECK((*parts)[0].bytes == "a/${filename}");
    CHECK((*parts)[1].said.name == "empty");
    CHECK((*parts)[1].bytes.empty());
    CHECK((*parts)[2].bytes == hard.substr(0, hard.size() - 6));
    CHECK((*parts)[3].said.content_type == "image/png");
    CHECK((*parts)[3].said.filename == "C:\\a b\"c\".png");
    CHECK((*parts)[3].bytes == std::string(3000, '\r'));
    CHECK((*parts)[4].bytes == "x");
  }
}

TEST_CASE("form data: parts that nobody reads are passed over, and the window does not grow") {
  const std::string text = part("form-data; name=a", std::string(3 << 20, 'a')) +
                           part("form-data; name=b", "b") + "--XX--";
  Pieces pieces(text, 70'001);
  FormDataReader reader(pieces, "XX");
  REQUIRE((*reader.next())->name == "a");
  char byte = 0;
  REQUIRE(*reader.read({&byte, 1}) == 1);
  REQUIRE((*reader.next())->name == "b");
  CHECK(reader.passed_bytes() > 3u << 20);
  CHECK(!reader.next()->has_value());
  CHECK(!reader.next()->has_value());
  CHECK(*reader.read({&byte, 1}) == 0);
}

TEST_CASE("form data: what is not well-formed is refused, whatever pieces it comes in") {
  const std::string rest = "\r\n\r\nx\r\n--XX--";
  const std::string good = part("form-data; name=a", "x");
  const struct {
    const char* what;
    std::string text;
    ErrorKind kind = ErrorKind::invalid_argument;
  } rows[] = {
      {"nothing", ""},
      {"no delimiter", "key=value"},
      {"another boundary", "--XY\r\nContent-Disposition: form-data; name=a" + rest},
      {"text before the form", "preamble\r\n" + good + "--XX--"},
      {"no end", good},
      {"a delimiter that ends in the body", good + "--XX"},
      {"half an end", good + "--XX-"},
      {"a delimiter with more in its line",
       "--XXY\r\nContent-Disposition: form-data; name=a" + rest},
      {"a part that does not end", "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nx"},
      {"a head that does not end", "--XX\r\nContent-Disposition: form-data; name=a"},
      {"no head", "--XX\r\n\r\nx\r\n--XX--"},
      {"no disposition", "--XX\r\nContent-Type: text/plain" + rest},
      {"two dispositions",
       "--XX\r\nContent-Disposition: form-data; name=a\r\n"
       "Content-Disposition: form-data; name=b" +
           rest},
      {"another disposition", "--XX\r\nContent-Disposition: attachment; name=a" + rest},
      {"no name", "--XX\r\nContent-Disposition: form-data; filename=a" + rest},
      {"two names", "--XX\r\nContent-Disposition: form-data; name=a; name=b" + rest},
      {"a name that does not end", "--XX\r\nContent-Disposition: form-data; name=\"a" + rest},
      {"a parameter without a value", "--XX\r\nContent-Disposition: form-data; name" + rest},
      {"a parameter behind quotes", "--XX\r\nContent-Disposition: form-data; name=\"a\"b=c" + rest},
      {"a line that is no field", "--XX\r\nContent-Disposition: form-data; name=a\r\nnone" + rest},
      {"a control character",
       std::string("--XX\r\nContent-Disposition: form-data; name=\"a\n\"") + rest},
      {"a broken name*", "--XX\r\nContent-Disposition: form-data; name*=UTF-8''%f" + rest},
      {"a name* of another coding",
       "--XX\r\nContent-Disposition: form-data; name*=latin1''a" + rest},
      {"a long head",
       "--XX\r\nContent-Disposition: form-data; name=a\r\nX: " + std::string(9000, 'x') + rest,
       ErrorKind::too_large},
      {"a long line behind a delimiter",
       "--XX" + std::string(9000, ' ') + "\r\nContent-Disposition: form-data; name=a" + rest},
  };
  for (const auto& row : rows)
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}, SIZE_MAX}) {
      CAPTURE(row.what);
      CAPTURE(step);
      const auto parts = read_form(row.text, step);
      REQUIRE(!parts.ok());
      CHECK(parts.error().kind == row.kind);
      CHECK(parts.error().message.starts_with("multipart/form-data: "));
    }
}

TEST_CASE("form data: names that programs write in other ways") {
  const auto name_of = [](std::string_view disposition) {
    const auto parts = read_form(part(disposition, "x") + "--XX--");
    return parts.ok() ? (*parts)[0].said.name + "|" + (*parts)[0].said.filename.value_or("-")
                      : parts.error().message;
  };
  CHECK(name_of("form-data;name=a;filename=b c;") == "a|b c");
  CHECK(name_of("form-data ; NAME = \"a\" ; FileName=\"\"") == "a|");
  CHECK(name_of("form-data; name=\"file\"; filename=\"x\"; filename*=UTF-8''%C3%A9%20.txt") ==
        "file|\xc3\xa9 .txt");
  CHECK(name_of("form-data; name=\"semi;colon\"") == "semi;colon|-");
  CHECK(read_form("\r\n" + part("form-data; name=a", "x") + "--XX--").ok());
}

TEST_CASE("form data: the boundary of a Content-Type") {
  CHECK(is_form_data("multipart/form-data; boundary=x"));
  CHECK(is_form_data("Multipart/Form-Data"));
  CHECK(!is_form_data("multipart/mixed; boundary=x"));
  CHECK(!is_form_data(""));
  CHECK(*form_boundary("multipart/form-data; boundary=----WebKitFormBoundaryAbC") ==
        "----WebKitFormBoundaryAbC");
  CHECK(*form_boundary("multipart/form-data; charset=utf-8; BOUNDARY=\"a b=c\"") == "a b=c");
  for (const std::string& bad :
       {std::string("multipart/form-data"), std::string("multipart/form-data; boundary="),
        "multipart/form-data; boundary=" + std::string(71, 'x'),
        std::string("multipart/form-data; boundary=\"a \""),
        std::string("multipart/form-data; boundary=\"a\r\nb\""),
        std::string("multipart/form-data; boundary=a; boundary=b"),
        std::string("multipart/form-data; boundary=\"a")}) {
    CAPTURE(bad);
    CHECK(!form_boundary(bad).ok());
  }
}

}  // namespace
}  // namespace cairn::net::form_data_test
