// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/office.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "connectors/extract/text.h"

namespace cairn::connectors {
namespace {

/// The text of the first element `title`.
class TitleText final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    if (tag.name() == "title") ++depth_;
    return true;
  }
  void text(std::string_view text) override {
    if (depth_ > 0 && !ended_) title += text;
  }
  void close(std::string_view name) override {
    if (name == "title" && --depth_ == 0) ended_ = true;
  }
  std::string title;

 private:
  int depth_ = 0;
  bool ended_ = false;
};

}  // namespace

Status walk_member(ZipFile& zip, std::string_view name, XmlVisitor& visitor) {
  if (!zip.has(name)) return ok_status();
  CAIRN_TRY(std::string text, zip.read(name));
  Status status = walk_xml(std::move(text), visitor);
  if (!status.ok())
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = std::string(name) + ": " + status.error().message};
  return ok_status();
}

std::string title_in_properties(ZipFile& zip, std::string_view name) {
  TitleText title;
  if (!walk_member(zip, name, title).ok()) return {};
  return first_line(squeeze(title.title));
}

std::vector<std::string> numbered_members(const ZipFile& zip, std::string_view before,
                                          std::string_view after) {
  std::map<unsigned, std::string> ordered;
  for (auto& name : zip.names()) {
    if (!name.starts_with(before) || !name.ends_with(after)) continue;
    if (name.size() <= before.size() + after.size()) continue;
    const auto number = parse_number<unsigned>(
        std::string_view(name).substr(before.size(), name.size() - before.size() - after.size()));
    if (number) ordered[*number] = std::move(name);
  }
  std::vector<std::string> out;
  for (auto& [number, name] : ordered) out.push_back(std::move(name));
  return out;
}

std::string first_line(std::string_view text) {
  constexpr std::size_t title_bytes_max = 200;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    if (!line.empty()) {
      const std::string_view some = line.substr(0, title_bytes_max);
      return std::string(some.substr(0, valid_utf8_prefix(some)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace cairn::connectors
