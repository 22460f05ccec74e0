// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/presign_post.h"

#include <utility>
#include <vector>

#include "base/strings.h"
#include "cli/exit_codes.h"
#include "cli/objects/amounts.h"
#include "cli/objects/failure.h"
#include "format/html.h"
#include "format/json.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

using Field = objectclient::PresignedPostOptions::Field;

Error post_fault(std::string text) { return {ErrorKind::invalid_argument, {}, std::move(text)}; }

// "NAME=VALUE", the value as it stands.
Result<Field> field_of(std::string_view option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return post_fault(std::string(option) + " takes FIELD=VALUE: " + text);
  return Field(text.substr(0, equals), text.substr(equals + 1));
}

Result<objectclient::PresignedPostOptions::LengthRange> range_of(const std::string& text) {
  const auto pieces = split(text, ',');
  const auto least = pieces.size() == 2 ? parse_bytes(trim(pieces[0])) : std::nullopt;
  const auto most = pieces.size() == 2 ? parse_bytes(trim(pieces[1])) : std::nullopt;
  if (!least || !most || *least > *most)
    return post_fault("--content-length-range takes MIN,MAX, as 0,10MiB: " + text);
  return objectclient::PresignedPostOptions::LengthRange{*least, *most};
}

std::string shell_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string json_of_form(const objectclient::PresignedPost& form, std::int64_t expires_in_s) {
  Json fields = Json::object();
  for (const auto& [name, value] : form.fields) fields.set(name, value);
  return Json::object({{"method", "POST"},
                       {"url", form.url},
                       {"fields", std::move(fields)},
                       {"expires_in", expires_in_s}})
             .dump() +
         "\n";
}

}  // namespace

Result<std::int64_t> read_expiry_s(const Arguments& arguments, std::int64_t usual_s) {
  const auto text = arguments.option("--expires-in");
  if (!text) return usual_s;
  if (const auto seconds = parse_number<std::int64_t>(*text)) return *seconds;
  const auto ms = parse_time_value(*text, "--expires-in");
  if (!ms.ok() || *ms % 1000 != 0)
    return post_fault("--expires-in takes a number of seconds, or a time as 15m: " + *text);
  return *ms / 1000;
}

Result<objectclient::PresignedPostOptions> read_post_options(const Arguments& arguments,
                                                             std::int64_t usual_expiry_s) {
  objectclient::PresignedPostOptions options;
  CAIRN_TRY(options.expires_in_s, read_expiry_s(arguments, usual_expiry_s));
  if (const auto type = arguments.option("--content-type"))
    options.fields.emplace_back("Content-Type", *type);
  for (const std::string& text : arguments.options("--field")) {
    CAIRN_TRY(Field field, field_of("--field", text));
    options.fields.push_back(std::move(field));
  }
  for (const std::string& text : arguments.options("--starts-with")) {
    CAIRN_TRY(Field field, field_of("--starts-with", text));
    options.starts_with.push_back(std::move(field));
  }
  if (const auto text = arguments.option("--content-length-range")) {
    CAIRN_TRY(options.content_length_range, range_of(*text));
  }
  return options;
}

std::string html_of_form(const objectclient::PresignedPost& form) {
  std::string out =
      "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Upload</title>\n<form action=\"" +
      html_text(form.url) + "\" method=\"post\" enctype=\"multipart/form-data\">\n";
  for (const auto& [name, value] : form.fields)
    out += "  <input type=\"hidden\" name=\"" + html_text(name) + "\" value=\"" + html_text(value) +
           "\">\n";
  return out +
         "  <input type=\"file\" name=\"file\" required>\n  <button>Upload</button>\n</form>\n";
}

std::string curl_of_form(const objectclient::PresignedPost& form) {
  std::string out = "curl " + shell_text(form.url);
  for (const auto& [name, value] : form.fields)
    out += " \\\n  --form-string " + shell_text(name + "=" + value);
  return out + " \\\n  -F file=@FILE\n";
}

int run_presign_post(const Arguments& arguments, const Address& at, std::int64_t usual_expiry_s,
                     ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto fail = [&](const Error& error) { return tell_failure(run.console, error, json); };
  if (arguments.flag("--html") && arguments.flag("--curl"))
    return fail(post_fault("--html and --curl are two ways to print the form: take one"));
  for (const char* name : {"--method", "--version-id"})
    if (arguments.option(name)) return fail(post_fault(std::string(name) + " is not of --post"));
  const auto options = read_post_options(arguments, usual_expiry_s);
  if (!options.ok()) return fail(options.error());
  // A place, not a name: files keep their own.
  const bool is_place = at.key.empty() || at.key.ends_with('/');
  const std::string key = is_place ? at.key + "${filename}" : at.key;
  const auto service = open_service(arguments, run);
  if (!service.ok()) return fail(service.error());
  const auto form = service->presign_post(at.bucket, key, *options);
  if (!form.ok()) return fail(form.error());
  if (arguments.flag("--html")) {
    run.console.out(html_of_form(*form));
  } else if (arguments.flag("--curl")) {
    run.console.out(curl_of_form(*form));
  } else {
    run.console.out(json_of_form(*form, options->expires_in_s));
  }
  return success;
}

}  // namespace cairn::cli
