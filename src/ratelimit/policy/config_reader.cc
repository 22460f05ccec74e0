// SPDX-License-Identifier: Apache-2.0
// The words of faults, which name the path, and the kinds of settings that limits have.
#include "ratelimit/policy/config_reader.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::ratelimit {
namespace {

constexpr std::size_t shown_bytes_max = 80;

Error fault_at(const std::string& path, std::string_view text) {
  return {ErrorKind::invalid_argument, "illegal_argument_exception",
          "[" + path + "] " + std::string(text)};
}

std::string range_text(std::int64_t lowest, std::int64_t highest) {
  return "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

}  // namespace

ConfigReader::ConfigReader(const Json& object, std::string path)
    : JsonFields(object, {.empty_strings = false}), object_(object), path_(std::move(path)) {
  if (!object.is_object() && !object.is_null()) fault_ = fault_at(path_, "must be an object");
}

std::string ConfigReader::path_of(std::string_view name) const {
  return path_ + "." + std::string(name);
}

Error ConfigReader::fault(std::string_view name, std::string text) const {
  return fault_at(path_of(name), text);
}

Error ConfigReader::must_be(std::string_view name, std::string_view must, const Json* was) const {
  std::string text = "must be " + std::string(must);
  if (was != nullptr) text += ", not [" + was->dump().substr(0, shown_bytes_max) + "]";
  return fault(name, std::move(text));
}

Error ConfigReader::unfit(std::string_view name, const Json& value, const Wanted& wanted) const {
  if (wanted.type == Type::boolean) return must_be(name, "true or false", &value);
  if (wanted.type == Type::integer)
    return must_be(name, range_text(wanted.lowest, wanted.highest), &value);
  if (wanted.type == Type::string) return must_be(name, "a text that is not empty", &value);
  return must_be(name, "a list of texts that are not empty", object_.find(name));
}

Error ConfigReader::unknown_field(std::string_view name,
                                  const std::optional<std::string>& near) const {
  return fault(name, near ? "is no setting; did you mean [" + *near + "]?" : "is no setting");
}

void ConfigReader::fail(std::string_view name, std::string_view must, const Json* was) {
  if (!fault_) fault_ = must_be(name, must, was);
}

const Json* ConfigReader::take(std::string_view name) {
  const Json* value = any(name);
  return fault_ ? nullptr : value;
}

void ConfigReader::number(std::string_view name, std::uint32_t& into, std::uint32_t lowest,
                          std::uint32_t highest) {
  keep(integer(name, lowest, highest), into);
}

void ConfigReader::limit(std::string_view name, Limit& into, std::uint32_t highest) {
  const Json* value = take(name);
  if (value == nullptr) return;
  if (value->is_null()) {
    into = std::nullopt;
    return;
  }
  const auto read = integer(name, 0, highest);
  if (!read.ok()) return fail(name, range_text(0, highest) + ", or null for no limit", value);
  into = static_cast<std::uint32_t>(**read);
}

void ConfigReader::choice(std::string_view name, std::initializer_list<std::string_view> names,
                          std::size_t& into) {
  const Json* value = take(name);
  if (value == nullptr) return;
  const auto found =
      value->is_string() ? std::find(names.begin(), names.end(), value->as_string()) : names.end();
  if (found == names.end()) {
    const std::vector<std::string> all(names.begin(), names.end());
    return fail(name, "one of [" + join(all, ", ") + "]", value);
  }
  into = static_cast<std::size_t>(found - names.begin());
}

void ConfigReader::object(std::string_view name, const std::function<Status(ConfigReader&)>& read) {
  const Json* value = take(name);
  if (value == nullptr) return;
  ConfigReader inside(*value, path_of(name));
  Status status = read(inside);
  if (status.ok()) status = inside.finish();
  if (!status.ok()) fault_ = std::move(status).error();
}

std::vector<std::pair<std::string, const Json*>> ConfigReader::rest() {
  std::vector<std::pair<std::string, const Json*>> out;
  if (fault_) return out;
  for (const Json::Member* member : unknown()) {
    out.emplace_back(member->first, &member->second);
    any(member->first);
  }
  return out;
}

Status ConfigReader::finish() const {
  if (fault_) return *fault_;
  return JsonFields::finish();
}

}  // namespace cairn::ratelimit
