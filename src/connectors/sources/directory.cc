// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/directory.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "connectors/errors.h"
#include "connectors/extract/text.h"
#include "os/files/beneath.h"
#include "os/files/files.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t file_bytes_default = 10 << 20;
constexpr std::size_t depth_max = 64;
constexpr std::size_t inflate_factor_max = 64;

using FileNumber = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

struct Place {
  std::string root;      // resolved
  std::string relative;  // of the folder within it; empty for the root itself
};

bool within(const std::string& path, const std::string& root) {
  if (root == "/") return true;
  return path == root || (path.starts_with(root) && path[root.size()] == '/');
}

/// As it is written, without a look at the disk.
bool is_named_beneath(const std::string& path, const std::string& root) {
  const auto pieces = split(path, '/');
  return within(path, root) && std::find(pieces.begin(), pieces.end(), "..") == pieces.end();
}

class Directory final : public Source {
 public:
  Directory(std::unique_ptr<os::Beneath> root, std::string folder, std::size_t file_bytes_max)
      : root_(std::move(root)), folder_(std::move(folder)), file_bytes_max_(file_bytes_max) {}

  Result<SourceListing> list(const os::Deadline& deadline) override {
    SourceListing listing;
    links_.clear();
    files_.clear();
    CAIRN_CHECK(walk("", 0, listing, deadline));
    // A link to a file that stands here under its own name would be the same document again.
    listing.skipped += std::erase_if(listing.items, [&](const SourceItem& item) {
      const auto link = links_.find(item.path);
      return link != links_.end() && files_.count(link->second) > 0;
    });
    std::sort(listing.items.begin(), listing.items.end(),
              [](const SourceItem& a, const SourceItem& b) { return a.path < b.path; });
    return listing;
  }

  Result<SourceDocument> read(const SourceItem& item, const os::Deadline&) override {
    CAIRN_TRY(std::string bytes, root_->read(within_root(item.path), file_bytes_max_));
    std::string hash = to_hex(sha256(bytes)).substr(0, 32);
    if (bytes.starts_with("\x1f\x8b")) {
      CAIRN_TRY(bytes, gunzip(bytes, file_bytes_max_ * inflate_factor_max));
    }
    const auto kind = text_kind_of(item.path);
    auto text = extract_text(kind.value_or(TextKind::plain), bytes);
    if (!text)
      return Error{.kind = ErrorKind::unsupported, .message = item.path + " holds no text"};
    if (text->title.empty()) text->title = item.path.substr(item.path.rfind('/') + 1);
    return SourceDocument{.title = std::move(text->title),
                          .body = std::move(text->body),
                          .content_hash = std::move(hash)};
  }

 private:
  std::string within_root(const std::string& path) const {
    if (folder_.empty()) return path;
    return path.empty() ? folder_ : folder_ + "/" + path;
  }

  Status walk(const std::string& path, std::size_t depth, SourceListing& out,
              const os::Deadline& deadline) {
    CAIRN_CHECK(deadline.check("listing the folder"));
    if (depth > depth_max) {
      out.unreadable.push_back({path, path + " lies more than 64 folders deep"});
      return ok_status();
    }
    auto entries = root_->list(within_root(path));
    if (!entries.ok()) {
      if (depth == 0) return std::move(entries).error();
      out.unreadable.push_back({path, entries.error().message});
      return ok_status();
    }
    for (auto& entry : *entries) {
      const std::string below = path.empty() ? entry.name : path + "/" + entry.name;
      if (entry.is_directory) {
        CAIRN_CHECK(walk(below, depth + 1, out, deadline));
      } else if (!text_kind_of(entry.name)) {
        ++out.skipped;
      } else if (entry.is_file) {
        // Each file system that is mounted beneath the root counts its files anew.
        const FileNumber number{entry.device, entry.inode};
        if (entry.is_link)
          links_[below] = number;
        else
          files_.insert(number);
        out.items.push_back(
            {.path = below,
             .version = std::to_string(entry.modified_ns) + ":" + std::to_string(entry.size_bytes),
             .size_bytes = entry.size_bytes,
             .modified_ms = entry.modified_ns / 1'000'000});
      } else {
        out.unreadable.push_back({below, std::move(entry.fault)});
      }
    }
    return ok_status();
  }

  std::unique_ptr<os::Beneath> root_;
  std::map<std::string, FileNumber> links_;  // by path, of the listing at hand
  std::set<FileNumber> files_;               // under their own names
  std::string folder_;
  std::size_t file_bytes_max_;
};

Json entry(std::string_view label, std::string_view type, std::string_view display, Json value,
           int order, bool required, std::string_view tooltip) {
  return Json::object({{"default_value", nullptr},
                       {"depends_on", Json::array()},
                       {"display", display},
                       {"label", label},
                       {"options", Json::array()},
                       {"order", order},
                       {"required", required},
                       {"sensitive", false},
                       {"tooltip", tooltip},
                       {"type", type},
                       {"ui_restrictions", Json::array()},
                       {"validations", Json::array()},
                       {"value", std::move(value)}});
}

class DirectoryType final : public SourceType {
 public:
  explicit DirectoryType(std::vector<std::string> roots) : roots_(std::move(roots)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"path", entry("Folder", "str", "textbox", nullptr, 1, true,
                        "A folder beneath one of connectors.directory.roots")},
         {"max_file_size", entry("Largest file in bytes", "int", "numeric", file_bytes_default, 2,
                                 false, "Larger files are counted and named, not read")}});
  }

  Status validate(const Json& configuration) const override {
    const Json& size = configured(configuration, "max_file_size");
    if (!size.is_null() && (!size.is_integer() || size.as_int() < 1))
      return invalid("[max_file_size] must be a positive number of bytes");
    CAIRN_CHECK(place_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_CHECK(validate(configuration));
    CAIRN_TRY(Place place, place_of(configuration));
    CAIRN_TRY(auto root, os::Beneath::open(place.root));
    const Json& size = configured(configuration, "max_file_size");
    return std::unique_ptr<Source>(std::make_unique<Directory>(
        std::move(root), std::move(place.relative),
        static_cast<std::size_t>(size.is_integer() ? size.as_int() : file_bytes_default)));
  }

 private:
  Result<Place> place_of(const Json& configuration) const {
    const Json& value = configured(configuration, "path");
    if (!value.is_string() || value.as_string().empty())
      return invalid("[path] must name a folder");
    const std::string& path = value.as_string();
    if (path.find('\0') != std::string::npos)
      return invalid("[path] must not hold a NUL character");
    if (roots_.empty())
      return refused("[path] cannot be [" + path +
                     "]: no folder may be read. Name the allowed ones in the setting "
                     "connectors.directory.roots (environment CAIRN_CONNECTORS__DIRECTORY__ROOTS) "
                     "and start Cairn again.");
    // What lies elsewhere is not told from what lies nowhere: roots hide the rest of the disk.
    const auto resolved = os::real_path(path);
    for (const auto& configured_root : roots_) {
      const auto root = os::real_path(configured_root);
      if (!root.ok()) continue;
      if (!resolved.ok() &&
          (is_named_beneath(path, *root) || is_named_beneath(path, configured_root)))
        return refused("[path] cannot be [" + path + "]: " + resolved.error().message);
      if (!resolved.ok() || !within(*resolved, *root)) continue;
      const auto info = os::system_files().info(*resolved);
      if (info.ok() && !info->is_directory)
        return refused("[path] cannot be [" + path + "]: it is no folder");
      const std::size_t skip = *root == "/" ? 1 : root->size() + 1;
      return Place{.root = *root,
                   .relative = resolved->size() > skip ? resolved->substr(skip) : std::string()};
    }
    return refused("[path] cannot be [" + path + "]: it lies beneath none of the folders in " +
                   "connectors.directory.roots (" + join(roots_, ", ") + ")");
  }

  std::vector<std::string> roots_;
};

}  // namespace

const Json& configured(const Json& configuration, std::string_view field) {
  static const Json none;
  const Json* found = configuration.find(field);
  if (found == nullptr) return none;
  const Json* value = found->find("value");
  if (value != nullptr && !value->is_null()) return *value;
  const Json* fallback = found->find("default_value");
  return fallback != nullptr ? *fallback : none;
}

std::unique_ptr<const SourceType> directory_source(std::vector<std::string> roots) {
  return std::make_unique<DirectoryType>(std::move(roots));
}

}  // namespace cairn::connectors
