// SPDX-License-Identifier: Apache-2.0
// Bodies of templates to values.
#include <functional>

#include "index/errors.h"
#include "index/settings/settings.h"
#include "index/templates/templates.h"

namespace cairn::index {
namespace {

constexpr std::size_t template_aliases_max = 1'000;

/// Reads the members of one object, each by its reader; others are refused by name.
class Members {
 public:
  using ReadMember = std::function<Status(const Json& value)>;
  Members(std::string_view what, const Json& json) : what_(what), json_(json) {}

  Members& on(std::string_view name, ReadMember read) {
    known_.emplace_back(name, std::move(read));
    return *this;
  }

  Status read() const {
    if (!json_.is_object()) return illegal_argument(what_ + " must be an object");
    for (const auto& [name, value] : json_.as_object()) {
      if (value.is_null()) continue;
      const ReadMember* reader = find(name);
      if (reader == nullptr)
        return illegal_argument("[" + what_ + "] unknown field [" + name + "]; it has " + list());
      CAIRN_CHECK((*reader)(value));
    }
    return ok_status();
  }

 private:
  const ReadMember* find(std::string_view name) const {
    for (const auto& [known, reader] : known_)
      if (known == name) return &reader;
    return nullptr;
  }
  std::string list() const {
    std::string out;
    for (const auto& [known, reader] : known_)
      out += (out.empty() ? "" : ", ") + std::string(known);
    return out;
  }

  const std::string what_;
  const Json& json_;
  std::vector<std::pair<std::string_view, ReadMember>> known_ = {};
};

Result<bool> template_flag(std::string_view name, const Json& value) {
  if (value.is_bool()) return value.as_bool();
  return illegal_argument("[" + std::string(name) + "] of a template must be true or false");
}

Result<std::int64_t> template_number(std::string_view name, const Json& value) {
  if (value.is_integer() && value.as_int() >= 0) return value.as_int();
  return illegal_argument("[" + std::string(name) +
                          "] of a template must be a whole number that is not negative");
}

Result<std::vector<std::string>> template_texts(std::string_view name, const Json& value) {
  std::vector<std::string> out;
  if (value.is_string()) return std::vector{value.as_string()};
  if (!value.is_array())
    return illegal_argument("[" + std::string(name) + "] of a template must be a list of texts");
  for (const Json& one : value.as_array()) {
    if (!one.is_string())
      return illegal_argument("[" + std::string(name) + "] of a template must be a list of texts");
    out.push_back(one.as_string());
  }
  return out;
}

Status read_template_aliases(const Json& json, NewAliases& out) {
  if (!json.is_object()) return illegal_argument("[aliases] of a template must be an object");
  if (json.as_object().size() > template_aliases_max)
    return illegal_argument("a template has [" + std::to_string(template_aliases_max) +
                            "] aliases at most");
  for (const auto& [name, properties] : json.as_object()) {
    CAIRN_CHECK(check_alias_name(name));
    CAIRN_TRY(auto read, read_alias_properties(properties));
    out.emplace_back(name, std::move(read));
  }
  return ok_status();
}

/// The `template` of a body.
Result<IndexDefinition> read_definition(const Json& json) {
  IndexDefinition out;
  CAIRN_CHECK(Members("template", json)
                  .on("settings",
                      [&](const Json& value) -> Status {
                        CAIRN_TRY(out.settings, normalise_settings(value));
                        // Whoever keeps templates need not manage the indices that come.
                        if (!setting(out.settings, "public")) return ok_status();
                        return illegal_argument(
                            "[index.public] cannot be in a template; set it on each index");
                      })
                  .on("mappings",
                      [&](const Json& value) -> Status {
                        if (!value.is_object())
                          return mapper_parsing("[mappings] of a template must be an object");
                        out.mappings = value;
                        return ok_status();
                      })
                  .on("aliases", [&](const Json& value) { return read_template_aliases(value, out.aliases); })
                  .read());
  return out;
}

Json shown_definition(const IndexDefinition& definition) {
  Json out = Json::object();
  if (definition.settings.is_object() && !definition.settings.as_object().empty())
    out.set("settings", definition.settings);
  if (!definition.mappings.is_null()) out.set("mappings", definition.mappings);
  if (!definition.aliases.empty()) {
    Json aliases = Json::object();
    for (const auto& [name, properties] : definition.aliases) aliases.set(name, to_json(properties));
    out.set("aliases", std::move(aliases));
  }
  return out;
}

/// Members that say something about a template and change nothing.
struct About {
  std::optional<std::int64_t> version = {};
  Json meta = {};
  std::optional<bool> deprecated = {};

  void add_to(Members& members) {
    members
        .on("version",
            [this](const Json& value) -> Status {
              if (!value.is_integer())
                return illegal_argument("[version] of a template must be a whole number");
              version = value.as_int();
              return ok_status();
            })
        .on("_meta",
            [this](const Json& value) -> Status {
              if (!value.is_object())
                return illegal_argument("[_meta] of a template must be an object");
              meta = value;
              return ok_status();
            })
        .on("deprecated", [this](const Json& value) -> Status {
          CAIRN_TRY(deprecated, template_flag("deprecated", value));
          return ok_status();
        });
  }
  void show(Json& out) const {
    if (version) out.set("version", *version);
    if (!meta.is_null()) out.set("_meta", meta);
    if (deprecated) out.set("deprecated", *deprecated);
  }
};

Result<IndexTemplate::Streams> read_streams(const Json& json) {
  IndexTemplate::Streams out;
  CAIRN_CHECK(Members("data_stream", json)
                  .on("hidden",
                      [&](const Json& value) -> Status {
                        CAIRN_TRY(out.hidden, template_flag("hidden", value));
                        return ok_status();
                      })
                  .on("allow_custom_routing",
                      [&](const Json& value) -> Status {
                        CAIRN_TRY(out.allow_custom_routing,
                                  template_flag("allow_custom_routing", value));
                        return ok_status();
                      })
                  .read());
  return out;
}

Status check_pattern(const std::string& pattern) {
  const auto fault = [&](std::string_view why) {
    return illegal_argument("index_patterns [" + pattern + "] " + std::string(why));
  };
  if (pattern.empty()) return fault("must not be empty");
  if (pattern.size() > 255) return fault("is longer than 255 bytes");
  if (pattern.front() == '_') return fault("must not start with '_'");
  if (pattern.front() == '-') return fault("must not start with '-'");
  for (const char c : pattern) {
    if (c >= 'A' && c <= 'Z') return fault("must be lowercase");
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
        std::string_view("\\/?\"<>|,#:").find(c) != std::string_view::npos)
      return fault("must not contain the following characters ['\\','/','?','\"','<','>','|',' ',"
                   "',','#',':']");
  }
  return ok_status();
}

Status check_lists(const IndexTemplate& read) {
  const TemplateLimits limits;
  if (read.patterns.empty())
    return illegal_argument("index patterns are missing: give [index_patterns] a list");
  if (read.patterns.size() > limits.patterns || read.composed_of.size() > limits.components ||
      read.ignore_missing.size() > limits.components)
    return illegal_argument("a template has [" + std::to_string(limits.patterns) +
                            "] patterns and as many component templates at most");
  for (const std::string& pattern : read.patterns) CAIRN_CHECK(check_pattern(pattern));
  if (read.data_stream && !read.definition.aliases.empty())
    return illegal_argument(
        "[aliases] beside [data_stream]: data streams have no aliases here; ask for streams by a "
        "pattern of their names");
  return ok_status();
}

Json shown_template(const IndexTemplate& read, bool has_definition, const About& about) {
  Json out = Json::object({{"index_patterns", Json::array_of(read.patterns)}});
  if (has_definition) out.set("template", shown_definition(read.definition));
  out.set("composed_of", Json::array_of(read.composed_of));
  if (read.priority > 0) out.set("priority", read.priority);
  about.show(out);
  if (read.data_stream)
    out.set("data_stream",
            Json::object({{"hidden", read.data_stream->hidden},
                          {"allow_custom_routing", read.data_stream->allow_custom_routing}}));
  if (read.allow_auto_create) out.set("allow_auto_create", *read.allow_auto_create);
  if (!read.ignore_missing.empty())
    out.set("ignore_missing_component_templates", Json::array_of(read.ignore_missing));
  return out;
}

}  // namespace

Result<ComponentTemplate> read_component_template(const Json& body) {
  ComponentTemplate out;
  About about;
  bool has_definition = false;
  Members members("component_template", body);
  members.on("template", [&](const Json& value) -> Status {
    has_definition = true;
    CAIRN_TRY(out.definition, read_definition(value));
    return ok_status();
  });
  about.add_to(members);
  CAIRN_CHECK(members.read());
  if (!has_definition)
    return illegal_argument("[template] is missing: a component template has settings, mappings or aliases");
  out.shown = Json::object({{"template", shown_definition(out.definition)}});
  about.show(out.shown);
  return out;
}

Result<IndexTemplate> read_index_template(const Json& body) {
  IndexTemplate out;
  About about;
  bool has_definition = false;
  Members members("index_template", body);
  const auto texts = [&](std::string_view name, std::vector<std::string>& into) {
    members.on(name, [name, &into](const Json& value) -> Status {
      CAIRN_TRY(into, template_texts(name, value));
      return ok_status();
    });
  };
  texts("index_patterns", out.patterns);
  texts("composed_of", out.composed_of);
  texts("ignore_missing_component_templates", out.ignore_missing);
  members
      .on("template",
          [&](const Json& value) -> Status {
            has_definition = true;
            CAIRN_TRY(out.definition, read_definition(value));
            return ok_status();
          })
      .on("priority",
          [&](const Json& value) -> Status {
            CAIRN_TRY(out.priority, template_number("priority", value));
            return ok_status();
          })
      .on("data_stream",
          [&](const Json& value) -> Status {
            CAIRN_TRY(out.data_stream, read_streams(value));
            return ok_status();
          })
      .on("allow_auto_create", [&](const Json& value) -> Status {
        CAIRN_TRY(out.allow_auto_create, template_flag("allow_auto_create", value));
        return ok_status();
      });
  about.add_to(members);
  CAIRN_CHECK(members.read());
  CAIRN_CHECK(check_lists(out));
  out.shown = shown_template(out, has_definition, about);
  return out;
}

}  // namespace cairn::index
