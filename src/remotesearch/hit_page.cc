// SPDX-License-Identifier: Apache-2.0
#include "remotesearch/hit_page.h"

#include <optional>

#include "base/strings.h"
#include "format/json.h"
#include "format/json_spans.h"

namespace cairn::remotesearch {
namespace {

constexpr std::size_t most_id_bytes = 512;  // of a document; of a route as well
constexpr std::size_t most_scroll_id_bytes = 256 << 10;
constexpr std::size_t most_total_bytes = 4 << 10;
constexpr std::size_t most_shown_bytes = 200;

Error wrong(std::string what) {
  return {.kind = ErrorKind::corrupt, .message = "the answer is no page of a scroll: " + what};
}

/// A text of at most `most` bytes that is UTF-8.
Result<std::string> short_text(std::string_view name, std::string_view value, std::size_t most) {
  if (value.size() > 6 * most + 2) return wrong("[" + std::string(name) + "] is too long");
  const auto read = parse_json(value);
  if (!read.ok() || !read->is_string()) return wrong("[" + std::string(name) + "] is no text");
  if (read->as_string().size() > most) return wrong("[" + std::string(name) + "] is too long");
  return read->as_string();
}

std::string shown(std::string_view text) {
  text = text.substr(0, most_shown_bytes);
  return std::string(text.substr(0, valid_utf8_prefix(text)));
}

/// 12, or {"value": 12, "relation": "eq"}.
Result<std::uint64_t> total_of(std::string_view value) {
  const auto read = value.size() <= most_total_bytes ? parse_json(value) : Result<Json>(Error{});
  const Json* number = read.ok() && read->is_object() ? read->find("value") : nullptr;
  if (read.ok() && read->is_integer()) number = &*read;
  if (number == nullptr || !number->is_integer() || number->as_int() < 0)
    return wrong("[hits.total] is no number of documents");
  if (read->is_object() && read->string_or("relation", "eq") != "eq")
    return wrong("[hits.total] is not exact, although that was asked for");
  return static_cast<std::uint64_t>(number->as_int());
}

Result<RemoteHit> hit_of(std::string_view text) {
  RemoteHit out;
  std::string index;
  std::optional<std::string_view> source;
  CAIRN_CHECK(
      for_each_json_member(text, [&](std::string_view name, std::string_view value) -> Status {
        if (name == "_id") {
          CAIRN_TRY(out.id, short_text("_id", value, most_id_bytes));
        } else if (name == "_routing" && value != "null") {
          CAIRN_TRY(out.routing, short_text("_routing", value, most_id_bytes));
        } else if (name == "_index") {
          CAIRN_TRY(index, short_text("_index", value, most_id_bytes));
        } else if (name == "_source") {
          source = value;
        }
        return ok_status();
      }));
  if (out.id.empty()) return wrong("a document has no [_id]");
  if (!source)
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "illegal_argument_exception",
                 .message = "[" + index + "][" + out.id + "] didn't store _source"};
  const auto read = parse_json(*source);
  if (!read.ok())
    return wrong("[_source] of [" + shown(out.id) + "]: " + shown(read.error().message));
  if (!read->is_object()) return wrong("[_source] of [" + shown(out.id) + "] is no object");
  out.source = std::string(*source);
  return out;
}

Status read_hits(std::string_view text, std::size_t most_hits, HitPage& out) {
  bool counted = false, listed = false;
  CAIRN_CHECK(
      for_each_json_member(text, [&](std::string_view name, std::string_view value) -> Status {
        if (name == "total") {
          CAIRN_TRY(out.total, total_of(value));
          counted = true;
        } else if (name == "hits") {
          out.hits.clear();
          listed = true;
          return for_each_json_element(value, [&](std::string_view hit) -> Status {
            if (out.hits.size() == most_hits)
              return wrong("it has more than the [" + std::to_string(most_hits) +
                           "] documents that were asked for");
            CAIRN_TRY(RemoteHit read, hit_of(hit));
            out.hits.push_back(std::move(read));
            return ok_status();
          });
        }
        return ok_status();
      }));
  if (!counted) return wrong("there is no [hits.total]");
  if (!listed) return wrong("there is no [hits.hits]");
  return ok_status();
}

/// Whether all shards gave what they have.
Status check_shards(std::string_view text) {
  return for_each_json_member(text, [](std::string_view name, std::string_view value) -> Status {
    if (name != "failed" || value == "0") return ok_status();
    return Error{.kind = ErrorKind::unavailable,
                 .message = "[" + shown(value) + "] shards failed, and documents would be missing"};
  });
}

/// Errors of JSON are about the answer, not about a request.
Error as_answer(Error error) {
  if (error.code != "x_content_parse_exception") return error;
  return wrong(shown(error.message));
}

}  // namespace

std::string scroll_id_in(std::string_view text) {
  std::string out;
  static_cast<void>(
      for_each_json_member(text, [&](std::string_view name, std::string_view value) -> Status {
        if (name != "_scroll_id") return ok_status();
        CAIRN_TRY(out, short_text(name, value, most_scroll_id_bytes));
        return ok_status();
      }).ok());
  return out;
}

Result<HitPage> read_hit_page(std::string_view text, std::size_t most_hits) {
  HitPage out;
  bool found = false;
  const Status read =
      for_each_json_member(text, [&](std::string_view name, std::string_view value) -> Status {
        if (name == "_scroll_id") {
          CAIRN_TRY(out.scroll_id, short_text("_scroll_id", value, most_scroll_id_bytes));
        } else if (name == "_shards") {
          return check_shards(value);
        } else if (name == "timed_out" && value != "false") {
          return Error{.kind = ErrorKind::unavailable,
                       .message = "its search timed out, so that documents would be missing"};
        } else if (name == "hits") {
          found = true;
          return read_hits(value, most_hits, out);
        }
        return ok_status();
      });
  if (!read.ok()) return as_answer(read.error());
  if (!found) return wrong("there are no [hits]");
  if (out.scroll_id.empty()) return wrong("there is no [_scroll_id]");
  return out;
}

}  // namespace cairn::remotesearch
