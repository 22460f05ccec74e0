// SPDX-License-Identifier: Apache-2.0
// ConfigReader of configuration objects, with faults that name the path.
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

std::optional<std::uint32_t> small(const Json& value) {
  if (!value.is_integer() || value.as_int() < 0 || value.as_int() > 0xffff'ffff)
    return std::nullopt;
  return static_cast<std::uint32_t>(value.as_int());
}

std::string range_text(std::uint32_t lowest, std::uint32_t highest) {
  return "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

}  // namespace

ConfigReader::ConfigReader(const Json& object, std::string path) : path_(std::move(path)) {
  if (object.is_object()) {
    object_ = &object;
  } else if (!object.is_null()) {
    failed_ = true;
    fault_ = fault_at(path_, "must be an object");
  }
}

std::string ConfigReader::path_of(std::string_view name) const {
  return path_ + "." + std::string(name);
}

void ConfigReader::fail(std::string_view name, std::string_view must, const Json* was) {
  if (failed_) return;
  failed_ = true;
  std::string text = "must be " + std::string(must);
  if (was != nullptr) text += ", not [" + was->dump().substr(0, shown_bytes_max) + "]";
  fault_ = fault_at(path_of(name), text);
}

const Json* ConfigReader::take(std::string_view name) {
  known_.emplace_back(name);
  return failed_ || object_ == nullptr ? nullptr : object_->find(name);
}

void ConfigReader::flag(std::string_view name, bool& into) {
  const Json* value = take(name);
  if (value == nullptr) return;
  if (!value->is_bool()) return fail(name, "true or false", value);
  into = value->as_bool();
}

void ConfigReader::number(std::string_view name, std::uint32_t& into, std::uint32_t lowest,
                     std::uint32_t highest) {
  const Json* value = take(name);
  if (value == nullptr) return;
  const auto read = small(*value);
  if (!read || *read < lowest || *read > highest)
    return fail(name, range_text(lowest, highest), value);
  into = *read;
}

void ConfigReader::limit(std::string_view name, Limit& into, std::uint32_t highest) {
  const Json* value = take(name);
  if (value == nullptr) return;
  if (value->is_null()) {
    into = std::nullopt;
    return;
  }
  const auto read = small(*value);
  if (!read || *read > highest)
    return fail(name, range_text(0, highest) + ", or null for no limit", value);
  into = *read;
}

void ConfigReader::text(std::string_view name, std::string& into) {
  const Json* value = take(name);
  if (value == nullptr) return;
  if (!value->is_string() || value->as_string().empty())
    return fail(name, "a text that is not empty", value);
  into = value->as_string();
}

void ConfigReader::texts(std::string_view name, std::vector<std::string>& into) {
  const Json* value = take(name);
  if (value == nullptr) return;
  std::vector<std::string> read;
  const Json::Array one = {*value};  // a single text stands for a list of one
  for (const Json& each : value->is_array() ? value->as_array() : one) {
    if (!each.is_string() || each.as_string().empty())
      return fail(name, "a list of texts that are not empty", value);
    read.push_back(each.as_string());
  }
  into = std::move(read);
}

void ConfigReader::choice(std::string_view name, std::initializer_list<std::string_view> names,
                     std::size_t& into) {
  const Json* value = take(name);
  if (value == nullptr) return;
  const auto found =
      value->is_string() ? std::find(names.begin(), names.end(), value->as_string()) : names.end();
  if (found == names.end()) {
    std::vector<std::string> all(names.begin(), names.end());
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
  if (status.ok()) return;
  failed_ = true;
  fault_ = std::move(status).error();
}

std::vector<std::pair<std::string, const Json*>> ConfigReader::rest() {
  std::vector<std::pair<std::string, const Json*>> out;
  if (failed_ || object_ == nullptr) return out;
  for (const auto& [name, value] : object_->as_object()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    known_.push_back(name);
    out.emplace_back(name, &value);
  }
  return out;
}

Status ConfigReader::finish() {
  if (failed_) return fault_;
  if (object_ == nullptr) return ok_status();
  for (const auto& [name, value] : object_->as_object()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string text = "is no setting";
    if (const auto near = nearest(name, known_)) text += "; did you mean [" + *near + "]?";
    return fault_at(path_of(name), text);
  }
  return ok_status();
}

}  // namespace cairn::ratelimit
