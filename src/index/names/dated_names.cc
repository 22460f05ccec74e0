// SPDX-License-Identifier: Apache-2.0
#include "index/names/dated_names.h"

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::string_view dated_name_format = "yyyy.MM.dd";

/// What stands between < and > of one name.
class DatedName {
 public:
  DatedName(std::string_view inside, std::int64_t now_ms) : inside_(inside), now_ms_(now_ms) {}

  Result<std::string> resolve() {
    while (at_ < inside_.size()) {
      const char c = inside_[at_++];
      if (c == '\\' && at_ < inside_.size()) {
        out_ += inside_[at_++];
      } else if (c == '{') {
        CAIRN_CHECK(date());
      } else if (c == '}') {
        return bad("invalid character at position [" + std::to_string(at_) +
                   "]. `{` and `}` are reserved characters and should be escaped when used as "
                   "part of the index name using `\\` (e.g. `\\{text\\}`)");
      } else {
        out_ += c;
      }
    }
    if (out_.empty()) return bad("nothing captured");
    return std::move(out_);
  }

 private:
  Error bad(std::string_view why) const {
    return {.kind = ErrorKind::invalid_argument,
            .code = "parse_exception",
            .message = "invalid dynamic name expression [" + std::string(inside_) + "]. " +
                       std::string(why)};
  }

  /// What stands between { and }: date math, and a format with a zone in braces of its own.
  Status date() {
    const std::size_t end = inside_.find_first_of("{}", at_);
    if (end == std::string_view::npos) return bad("date math placeholder is open ended");
    const std::string_view math = inside_.substr(at_, end - at_);
    std::string_view format = dated_name_format, zone = "UTC";
    at_ = end + 1;
    if (inside_[end] == '{') CAIRN_CHECK(form(format, zone));
    if (math.empty()) return bad("missing date math");
    return write(math, format, zone);
  }

  Status form(std::string_view& format, std::string_view& zone) {
    const std::size_t end = inside_.find('}', at_);
    if (end == std::string_view::npos) return bad("date math placeholder is open ended");
    format = inside_.substr(at_, end - at_);
    if (format.find('{') != std::string_view::npos)
      return bad("invalid character in placeholder at position [" +
                 std::to_string(at_ + format.find('{') + 1) + "]");
    if (end + 1 >= inside_.size() || inside_[end + 1] != '}')
      return bad("missing closing `}` for date math format");
    at_ = end + 2;
    const std::size_t bar = format.find('|');
    if (bar != std::string_view::npos) {
      zone = format.substr(bar + 1);
      format = format.substr(0, bar);
    }
    if (format.empty()) return bad("missing date format");
    return ok_status();
  }

  Status write(std::string_view math, std::string_view format, std::string_view zone) {
    CAIRN_TRY(const DateFormat written, DateFormat::parse(format));
    CAIRN_TRY(const text::TimeZone place, read_zone(zone));
    CAIRN_TRY(const std::int64_t ms,
              resolve_date(Json(std::string(math)), written, now_ms_, place, false));
    const std::string text = written.write(ms, place);
    if (text.find(',') != std::string::npos) return bad("a name has no comma");
    out_ += text;
    return ok_status();
  }

  const std::string_view inside_;
  const std::int64_t now_ms_;
  std::size_t at_ = 0;
  std::string out_ = {};
};

}  // namespace

Result<std::string> resolve_dated_names(std::string_view expression, std::int64_t now_ms) {
  if (!has_dated_names(expression)) return std::string(expression);
  std::string out;
  bool first = true;
  for (const std::string_view piece : split(expression, ',')) {
    if (!first) out += ',';
    first = false;
    std::string_view name = trim(piece);
    const bool takes_away = name.starts_with("-<");
    if (takes_away) name.remove_prefix(1);
    if (!name.starts_with('<') || !name.ends_with('>')) {
      out += piece;
      continue;
    }
    if (takes_away) out += '-';
    CAIRN_TRY(const std::string plain, DatedName(name.substr(1, name.size() - 2), now_ms).resolve());
    out += plain;
  }
  return out;
}

}  // namespace cairn::index
