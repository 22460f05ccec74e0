// SPDX-License-Identifier: Apache-2.0
// Index templates and component templates: what new indices begin with, by their names. Values.
// Source: docs/reference/templates.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/definition.h"

namespace cairn::index {

/// A part that index templates are composed of.
struct ComponentTemplate {
  IndexDefinition definition = {};  // settings normalised
  Json shown = {};                  // as the API gives it back, and records keep it
};

struct IndexTemplate {
  struct Streams {
    bool hidden = false;
    bool allow_custom_routing = false;
    bool operator==(const Streams&) const = default;
  };
  std::vector<std::string> patterns = {};
  IndexDefinition definition = {};  // settings normalised
  std::vector<std::string> composed_of = {};
  std::vector<std::string> ignore_missing = {};  // of composed_of: may be missing
  std::int64_t priority = 0;
  std::optional<Streams> data_stream = {};  // names that match are data streams, not indices
  std::optional<bool> allow_auto_create = {};
  Json shown = {};  // as the API gives it back, and records keep it
};

/// What a request makes of a name for a new index.
struct TemplatedIndex {
  IndexDefinition definition = {};  // of the template, and above it what was given
  std::string template_name = {};   // empty: none matches
  std::optional<IndexTemplate::Streams> data_stream = {};  // such names are data streams
  std::optional<bool> allow_auto_create = {};  // as the template says
};

/// From the body of the API. Errors: illegal_argument_exception, naming the member; those of
/// settings and aliases. Whether the parts fit together is asked of the table.
Result<ComponentTemplate> read_component_template(const Json& body);
Result<IndexTemplate> read_index_template(const Json& body);

/// How much may be kept.
struct TemplateLimits {
  std::size_t templates = 1'000;   // and as many component templates
  std::size_t patterns = 100;      // of a template
  std::size_t components = 100;    // of a template
  std::size_t total_bytes = 8u << 20;  // of all as JSON
};

/// All templates. A value: changed as a copy, read without a lock.
class TemplateTable {
 public:
  using Components = std::map<std::string, ComponentTemplate, std::less<>>;
  using Templates = std::map<std::string, IndexTemplate, std::less<>>;
  using Named = std::pair<const std::string, IndexTemplate>;

  const Components& components() const { return components_; }
  const Templates& templates() const { return templates_; }

  void put(const std::string& name, ComponentTemplate component);
  void put(const std::string& name, IndexTemplate index_template);
  bool remove_component(std::string_view name);
  bool remove_template(std::string_view name);

  /// The template of an index or data stream of this name: of those that match the one with the
  /// highest priority. Null where none matches. Hidden names are not matched by a pattern [*].
  const Named* match(std::string_view name, bool hidden = false) const;
  /// Whether there is a template `name_of_template` that matches the name.
  bool matches(std::string_view name_of_template, std::string_view name) const;
  /// All that match, the highest priority first.
  std::vector<const Named*> all_that_match(std::string_view name) const;
  /// Names of the templates that are composed of this component.
  std::vector<std::string> users_of(std::string_view component) const;
  /// Other templates that may match a name that `patterns` match.
  std::vector<const Named*> overlapping(std::string_view name,
                                        const std::vector<std::string>& patterns) const;

  /// The definition of its components and of itself, later ones above earlier ones.
  IndexDefinition compose(const IndexTemplate& index_template) const;

  /// Whether `name` may stand beside the others: its components are there, and no other of the same
  /// priority may match what it matches. Errors: illegal_argument_exception,
  /// invalid_index_template_exception.
  Status check_template(const std::string& name) const;
  /// Errors: illegal_argument_exception.
  Status check_size(const TemplateLimits& limits = {}) const;

  Json to_json() const;
  /// Errors: those of the readers.
  static Result<TemplateTable> from_json(const Json& json);

 private:
  Components components_;
  Templates templates_;
};

/// Whether there is a name that both patterns match. A * stands for any run of characters.
bool patterns_overlap(std::string_view a, std::string_view b);

/// Errors: invalid_index_template_exception; illegal_argument_exception for components.
Status check_template_name(std::string_view name);
Status check_component_name(std::string_view name);

}  // namespace cairn::index
