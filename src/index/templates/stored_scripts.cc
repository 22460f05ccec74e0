// SPDX-License-Identifier: Apache-2.0
#include "index/templates/stored_scripts.h"

#include <array>
#include <utility>

#include "base/strings.h"
#include "index/errors.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "script/script.h"

namespace cairn::index {
namespace {

constexpr std::string_view json_type = "application/json;charset=utf-8";
constexpr std::size_t scripts_max = 1'000;
constexpr std::size_t total_bytes_max = 8u << 20;
constexpr std::size_t id_bytes_max = 512;

Error no_script(std::string message) {
  return {.kind = ErrorKind::not_found,
          .code = "resource_not_found_exception",
          .message = std::move(message)};
}

/// application/json and text/plain, with or without a charset, and forms.
Status check_content_type(const std::string& type) {
  const std::string plain = lower_ascii(trim(split(type, ';').front()));
  if (plain == "application/json" || plain == "text/plain" ||
      plain == "application/x-www-form-urlencoded")
    return ok_status();
  return illegal_argument("[content_type] can be [application/json], [text/plain] or "
                          "[application/x-www-form-urlencoded], but is [" + type + "]");
}

Status check_language(const Json& script, const std::string& id) {
  const Json* given = script.find("lang");
  if (given == nullptr || !given->is_string())
    return illegal_argument("must specify lang for stored script [" + id + "]");
  if (given->as_string() == "mustache" || given->as_string() == "painless") return ok_status();
  return illegal_argument("the language [" + given->as_string() + "] of the script [" + id +
                          "] is not offered: there are [painless] for scripts, and [mustache] for "
                          "templates of searches");
}

Result<std::string> read_options(const Json& options) {
  if (!options.is_object()) return illegal_argument("[options] must be an object");
  std::string type;
  for (const auto& [name, value] : options.as_object()) {
    if (name != "content_type")
      return illegal_argument("illegal compiler options [" + name + "] specified; there is "
                              "[content_type]");
    if (!value.is_string()) return illegal_argument("[content_type] must be a string");
    CAIRN_CHECK(check_content_type(value.as_string()));
    type = value.as_string();
  }
  return type;
}

Result<StoredScript> read_script(const std::string& id, const Json& script) {
  if (!script.is_object()) return illegal_argument("[script] must be an object");
  for (const auto& [name, value] : script.as_object())
    if (name != "lang" && name != "source" && name != "options")
      return illegal_argument("[script] unknown field [" + name + "]: there are [lang], [source] "
                              "and [options]");
  CAIRN_CHECK(check_language(script, id));
  const Json* source = script.find("source");
  if (source == nullptr) return illegal_argument("must specify source for stored script [" + id + "]");
  StoredScript out;
  out.lang = script.string_or("lang");
  const bool is_script = out.lang == "painless";
  if (is_script && !source->is_string())
    return illegal_argument("[source] of stored script [" + id + "] must be a string");
  CAIRN_TRY(out.source, template_source(*source, "stored script [" + id + "]"));
  if (source->is_object()) out.content_type = json_type;
  if (const Json* options = script.find("options")) {
    if (is_script && (!options->is_object() || !options->as_object().empty()))
      return illegal_argument("[painless] has no compiler options: leave [options] out");
    CAIRN_TRY(std::string type, read_options(*options));
    if (!type.empty()) out.content_type = std::move(type);
  }
  return out;
}

Json json_of(const StoredScripts::Table& table) {
  Json out = Json::object();
  for (const auto& [id, script] : table) out.as_object().emplace_back(id, script.to_json());
  return out;
}

Result<StoredScripts::Table> table_of(const Json& json) {
  StoredScripts::Table out;
  if (!json.is_object()) return illegal_argument("scripts are kept as an object");
  for (const auto& [id, script] : json.as_object()) {
    CAIRN_TRY(StoredScript read, read_script(id, script));
    out.emplace(id, std::move(read));
  }
  return out;
}

Status check_id(const std::string& id) {
  if (id.empty() || id.size() > id_bytes_max)
    return illegal_argument("the id of a stored script has from 1 to " +
                            std::to_string(id_bytes_max) + " bytes");
  if (id.find('#') != std::string::npos)
    return illegal_argument("stored script [" + id + "] id cannot contain '#'");
  return ok_status();
}

}  // namespace

MustacheEscape StoredScript::escape() const {
  const std::string plain = lower_ascii(content_type);
  if (plain.starts_with("text/plain")) return MustacheEscape::none;
  return plain.starts_with("application/x-www-form") ? MustacheEscape::form : MustacheEscape::json;
}

Json StoredScript::to_json() const {
  Json out = Json::object({{"lang", lang}, {"source", source}});
  if (!content_type.empty()) out.set("options", Json::object({{"content_type", content_type}}));
  return out;
}

Result<std::string> template_source(const Json& source, const std::string& where) {
  if (!source.is_string() && !source.is_object())
    return illegal_argument("[source] of " + where + " must be a string or an object");
  std::string text = source.is_string() ? source.as_string() : source.dump();
  if (text.empty()) return illegal_argument("source cannot be empty: " + where);
  if (text.size() > script_bytes_max)
    return illegal_argument("exceeded max allowed script size in bytes [" +
                            std::to_string(script_bytes_max) + "] with size [" +
                            std::to_string(text.size()) + "] for " + where);
  return text;
}

namespace {

/// What the field's engine compiles scripts for, and this one does.
struct Context {
  std::string_view name;
  script::Use use;
};
constexpr std::array<Context, 2> contexts = {
    {{"score", script::Use::score}, {"filter", script::Use::filter}}};

// One without a context may be for any of them.
Status check_script(const StoredScript& script, const std::string& context) {
  Status first = ok_status();
  bool found = false;
  for (const Context& one : contexts) {
    if (!context.empty() && context != one.name) continue;
    auto made = script::Program::compile(script.source, one.use, {}, nullptr);
    if (made.ok()) return ok_status();
    if (!found) first = std::move(made).error();
    found = true;
  }
  if (found) return first;
  return illegal_argument("script context [" + context +
                          "] is not offered: there are [score], [filter] and [template]");
}

}  // namespace

Result<StoredScript> read_stored_script(const std::string& id, const Json& body,
                                        const std::string& context) {
  if (!body.is_object()) return illegal_argument("the body must be an object with [script]");
  for (const auto& [name, value] : body.as_object())
    if (name != "script")
      return illegal_argument("unexpected field [" + name + "], expected [script]");
  const Json* script = body.find("script");
  if (script == nullptr)
    return illegal_argument("must specify [script] for stored script [" + id + "]");
  CAIRN_TRY(StoredScript out, read_script(id, *script));
  if (out.lang == "painless") {
    CAIRN_CHECK(check_script(out, context));
    return out;
  }
  if (!context.empty() && context != "template")
    return illegal_argument("mustache engine does not know how to handle context [" + context +
                            "]; there is [template]");
  CAIRN_CHECK(Mustache::parse(out.source));
  return out;
}

Status StoredScripts::load(const os::Deadline& deadline) {
  const MutexLock lock(changing_);
  return read(deadline);
}

Status StoredScripts::read(const os::Deadline& deadline) {
  auto found = record_.load(deadline);
  if (!found.ok() && found.error().kind != ErrorKind::corrupt) return found.error();
  std::optional<Error> damage;
  Table table;
  if (!found.ok()) {
    damage = found.error();
  } else if (*found) {
    const auto json = parse_json(**found);
    auto kept = json.ok() ? table_of(*json) : Result<Table>(json.error());
    if (kept.ok())
      table = std::move(*kept);
    else
      damage = corrupt_object("index/scripts", kept.error().message);
  }
  if (damage)
    os::log(os::LogLevel::error, "index", "scripts_damaged", {{"error", damage->message}});
  publish(std::make_shared<const Table>(std::move(table)), std::move(damage));
  return ok_status();
}

void StoredScripts::publish(std::shared_ptr<const Table> table, std::optional<Error> damage) {
  const MutexLock lock(mutex_);
  table_.swap(table);
  damage_.swap(damage);
}

Result<StoredScripts::Table> StoredScripts::to_change(const os::Deadline& deadline) {
  if (record_.must_load()) CAIRN_CHECK(read(deadline));
  const MutexLock lock(mutex_);
  if (damage_) return *damage_;
  return *table_;
}

Status StoredScripts::keep(Table table, const os::Deadline& deadline) {
  const std::string bytes = json_of(table).dump();
  if (table.size() > scripts_max || bytes.size() > total_bytes_max)
    return illegal_argument("at most [" + std::to_string(scripts_max) +
                            "] scripts are kept, of [" + std::to_string(total_bytes_max) +
                            "] bytes together; delete some that nobody uses");
  CAIRN_CHECK(record_.put(bytes, deadline));
  publish(std::make_shared<const Table>(std::move(table)), {});
  return ok_status();
}

std::shared_ptr<const StoredScripts::Table> StoredScripts::all() const {
  const MutexLock lock(mutex_);
  return table_;
}

Result<StoredScript> StoredScripts::find(std::string_view id) const {
  const MutexLock lock(mutex_);
  if (damage_) return *damage_;
  const auto found = table_->find(id);
  if (found == table_->end())
    return no_script("unable to find script [" + std::string(id) + "] in cluster state");
  return found->second;
}

Status StoredScripts::put(const std::string& id, StoredScript script,
                          const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_CHECK(check_id(id));
  const MutexLock lock(changing_);
  CAIRN_TRY(Table table, to_change(deadline));
  const auto old = table.find(id);
  if (old != table.end() && old->second == script) return ok_status();
  table.insert_or_assign(id, std::move(script));
  return keep(std::move(table), deadline);
}

Status StoredScripts::remove(const std::string& id, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(changing_);
  CAIRN_TRY(Table table, to_change(deadline));
  if (table.erase(id) == 0) 
    return no_script("stored script [" + id + "] does not exist and cannot be deleted");
  return keep(std::move(table), deadline);
}

Status StoredScripts::restore(const Json& kept, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const Table from, table_of(kept));
  const MutexLock lock(changing_);
  CAIRN_TRY(Table table, to_change(deadline));
  for (const auto& [id, script] : from) {
    CAIRN_CHECK(check_id(id));
    table.insert_or_assign(id, script);
  }
  return keep(std::move(table), deadline);
}

Json StoredScripts::to_json() const { return json_of(*all()); }

}  // namespace cairn::index
