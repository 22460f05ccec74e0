// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/objects/console.h"
#include "cli/search/printable.h"
#include "cli/search/search_request.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view search_usage =
    "usage: cairn search WORDS... [--index NAME[,NAME...]] [--size N] [--json]\n"
    "                    [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n"
    "Answers by words and by meaning. Without --index: from all that connectors brought in.\n"
    "exit status: 0 found, 3 nothing found, 1 the server refused, 64 wrong usage,\n"
    "66 no such index or key file, 69 no server, 75 over a limit: later, 77 not allowed\n";

constexpr std::size_t usual_size = 5;
constexpr std::int64_t size_max = 1000;
constexpr std::size_t title_characters = 120;
constexpr std::size_t snippet_characters_shown = 240;

struct Look {
  std::string_view title = "", plain = "", dim = "", mark = "*", mark_off = "*";
};

/// Colours where a person reads; https://no-color.org where that is not wanted.
Look look_of(const Console& console, const Environment& environment) {
  if (!console.out_is_terminal || !environment("NO_COLOR").value_or("").empty()) return {};
  return {.title = "\x1b[1m",
          .plain = "\x1b[0m",
          .dim = "\x1b[2m",
          .mark = "\x1b[1;33m",
          .mark_off = "\x1b[0m"};
}

/// Words that were found, or the passage that is nearest in meaning.
std::string snippet_of(const Json& hit) {
  for (const auto* field : {"body", "meaning"}) {
    const Json* parts = hit.find_path(std::string("highlight.") + field);
    if (parts != nullptr && parts->is_array() && !parts->as_array().empty() &&
        parts->as_array()[0].is_string())
      return on_one_line(parts->as_array()[0].as_string());
  }
  return {};
}

std::string source_text(const Json& hit, std::string_view field) {
  const Json* source = hit.find("_source");
  const Json* value = source == nullptr ? nullptr : source->find(field);
  return value != nullptr && value->is_string() ? on_one_line(value->as_string()) : std::string();
}

Json as_json(const std::string& words, const Json& answer, const Json::Array& hits) {
  Json list = Json::array();
  for (const Json& hit : hits) {
    Json one = Json::object({{"index", hit.string_or("_index")},
                             {"id", hit.string_or("_id")},
                             {"score", hit.double_or("_score")},
                             {"title", source_text(hit, "title")},
                             {"path", source_text(hit, "path")},
                             {"snippet", with_marks(snippet_of(hit), "<em>", "</em>")}});
    list.push(std::move(one));
  }
  return Json::object(
      {{"query", words}, {"took", answer.int_or("took")}, {"hits", std::move(list)}});
}

void print_hits(const Json::Array& hits, bool name_index, const Look& look) {
  std::string out;
  for (const Json& hit : hits) {
    std::string title = source_text(hit, "title");
    std::string path = source_text(hit, "path");
    if (path.empty()) path = on_one_line(hit.string_or("_id"));
    if (title.empty()) title = path;
    if (name_index) path = hit.string_or("_index") + ": " + path;
    out += std::string(look.title) + cut_to(title, title_characters) + std::string(look.plain) +
           "\n  " + std::string(look.dim) + path + std::string(look.plain) + "\n";
    if (const std::string snippet = snippet_of(hit); !snippet.empty())
      out += "  " +
             with_marks(cut_to(snippet, snippet_characters_shown), look.mark, look.mark_off) + "\n";
  }
  std::fputs(out.c_str(), stdout);
}

Result<std::vector<std::string>> chosen_indices(const Arguments& arguments,
                                                Connection& connection) {
  std::vector<std::string> out;
  for (const auto& option : arguments.options("--index"))
    for (const auto name : split(option, ','))
      if (!trim(name).empty()) out.emplace_back(trim(name));
  if (!out.empty()) return out;
  auto all = filled_indices(connection);
  if (!all.ok()) {
    if (all.error().kind != ErrorKind::permission_denied) return all;
    return with_context(all.error(), "name an index with --index; to look for one");
  }
  if (all->empty())
    return Error{.kind = ErrorKind::not_found,
                 .message =
                     "there is nothing to search yet: `cairn add FOLDER` brings a folder "
                     "in, and --index names an index of your own"};
  return all;
}

int run_search(const Arguments& arguments, const Environment& environment, std::size_t size) {
  auto connection = Connection::open(arguments, environment);
  if (!connection.ok()) return explain(connection.error());
  const auto indices = chosen_indices(arguments, *connection);
  if (!indices.ok()) return explain(indices.error());
  const auto mapping = connection->ask("GET", index_path(*indices, "/_mapping"));
  if (!mapping.ok()) return explain(mapping.error());
  if (mapping->status == 404) {
    std::fprintf(stderr,
                 "cairn: %s; `cairn add FOLDER` makes an index of a folder, and GET /_cat/indices "
                 "names those that are there\n",
                 reason_of(*mapping).c_str());
    return no_input;
  }
  if (mapping->status != 200) return explain(*mapping);
  const std::string words = join(arguments.words(), " ");
  const Json request = hybrid_request(words, mapping->body, size);
  const auto answer = connection->ask("POST", index_path(*indices, "/_search"), &request);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* list = answer->body.find_path("hits.hits");
  const Json::Array hits = list != nullptr && list->is_array() ? list->as_array() : Json::Array();
  if (arguments.flag("--json")) {
    print_json(as_json(words, answer->body, hits));
  } else {
    print_hits(hits, mapping->body.as_object().size() > 1,
               look_of(system_console([] {}), environment));
    if (hits.empty()) std::fprintf(stderr, "cairn: nothing found\n");
  }
  return hits.empty() ? nothing_found : success;
}

}  // namespace

int search_command(const std::vector<std::string>& words, const Environment& environment) {
  if (asks_for_help(words)) {
    std::fputs(std::string(search_usage).c_str(), stdout);
    return success;
  }
  Syntax syntax{
      .options = {"--index", "--size"}, .flags = {"--json"}, .words_min = 1, .words_max = 1000};
  Connection::add_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  if (!arguments.ok()) return misused(arguments.error().message, search_usage);
  const auto given = arguments->option("--size");
  const auto size = given ? parse_number<std::int64_t>(*given)
                          : std::optional<std::int64_t>(static_cast<std::int64_t>(usual_size));
  if (!size || *size < 1 || *size > size_max)
    return misused("--size must be a number from 1 to " + std::to_string(size_max), search_usage);
  return run_search(*arguments, environment, static_cast<std::size_t>(*size));
}

CommandPage search_page() { return {"search", std::string(search_usage)}; }

}  // namespace cairn::cli
