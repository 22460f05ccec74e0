// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/directory_walk.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "connectors/file_documents.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t folder_depth_max = 64;
constexpr std::size_t page_entries = 1000;
constexpr std::size_t ignore_file_bytes_max = 1u << 20;

// Each file system that is mounted beneath the root counts its files anew.
using FileNumber = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

bool any_matches(const std::vector<PathPattern>& patterns, std::string_view path, bool is_folder) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const PathPattern& pattern) { return pattern.matches(path, is_folder); });
}

/// The file, or a folder that it lies in.
bool matches_or_lies_in(const std::vector<PathPattern>& patterns, std::string_view path) {
  if (any_matches(patterns, path, false)) return true;
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1))
    if (any_matches(patterns, path.substr(0, end), true)) return true;
  return false;
}

struct FoundFile {
  SourceItem item;
  FileNumber number;
  bool is_link = false;
};

/// Goes from entry to entry, depth first.
class FolderSteps {
 public:
  FolderSteps(const os::Beneath& root, std::string folder, const DirectoryOptions& options)
      : root_(root), folder_(std::move(folder)), options_(options) {}

  Status begin(SourcePage& out, const os::Deadline& deadline) {
    return enter("", options_.reach_folder, out, deadline);
  }
  bool at_end() const { return way_.empty(); }

  /// One entry on: a file that is to be read, or nothing; what is not read goes to the page.
  Result<std::optional<FoundFile>> step(SourcePage& out, const os::Deadline& deadline) {
    std::optional<FoundFile> found;
    Folder& here = way_.back();
    if (here.next == here.entries.size()) {
      if (here.has_rules) ignored_.pop_back();
      way_.pop_back();
      return found;
    }
    const os::BeneathEntry entry = std::move(here.entries[here.next++]);
    std::string path = path_beneath(here.path, entry.name);
    if (std::string why = why_left_out(path, entry); !why.empty()) {
      ++out.skipped;
      out.left_out.push_back({std::move(path), std::move(why)});
    } else if (entry.is_directory) {
      CAIRN_CHECK(enter(path, readers_in(here.readers, path, entry), out, deadline));
    } else if (entry.is_file) {
      FileReaders readers = readers_in(here.readers, path, entry);
      found = file_of(std::move(path), entry);
      if (options_.accounts != nullptr) tell_readers(readers, found->item);
    } else {
      out.unreadable.push_back({std::move(path), entry.fault});
    }
    return found;
  }

 private:
  struct Folder {
    std::string path;
    std::vector<os::BeneathEntry> entries;
    std::size_t next = 0;
    bool has_rules = false;    // of its own, the last of ignored_
    FileReaders readers = {};  // whoever reaches what is in it
  };

  /// Whoever may reach a file or folder and may read it, or pass through it.
  FileReaders readers_in(const FileReaders& reach, const std::string& path,
                         const os::BeneathEntry& entry) const {
    if (options_.accounts == nullptr) return {};
    // The way to what a link leads to is another one.
    if (entry.is_link) return FileReaders::none();
    const FilePermissions own{.mode = entry.owner.mode,
                              .uid = entry.owner.uid,
                              .gid = entry.owner.gid,
                              .list = root_.access_list(path_beneath(folder_, path))};
    const os::LocalAccounts& accounts = *options_.accounts;
    return reach.both(entry.is_directory ? FileReaders::of_folder(own, accounts)
                                         : FileReaders::of_file(own, accounts),
                      accounts);
  }

  /// Whoever may read it now is a part of its version: a change of rights is one.
  void tell_readers(const FileReaders& readers, SourceItem& item) const {
    item.readers = readers.names(*options_.accounts);
    item.version += ":" + join(*item.readers, ",");
  }

  static FoundFile file_of(std::string path, const os::BeneathEntry& entry) {
    return {.item = {.path = std::move(path),
                     .version =
                         std::to_string(entry.modified_ns) + ":" + std::to_string(entry.size_bytes),
                     .size_bytes = entry.size_bytes,
                     .modified_ms = entry.modified_ns / 1'000'000},
            .number = {entry.device, entry.inode},
            .is_link = entry.is_link};
  }

  Status enter(const std::string& path, FileReaders readers, SourcePage& out,
               const os::Deadline& deadline) {
    CAIRN_CHECK(deadline.check("listing the folder"));
    if (way_.size() > folder_depth_max) {
      out.unreadable.push_back({path, path + " lies more than 64 folders deep"});
      return ok_status();
    }
    auto entries = root_.list(path_beneath(folder_, path));
    if (!entries.ok()) {
      if (path.empty()) return std::move(entries).error();
      out.unreadable.push_back({path, entries.error().message});
      return ok_status();
    }
    const bool has_rules = options_.gitignore && read_ignore_file(path, *entries);
    way_.push_back({.path = path,
                    .entries = *std::move(entries),
                    .has_rules = has_rules,
                    .readers = std::move(readers)});
    return ok_status();
  }

  /// True where the folder has rules of its own, which count from here on.
  bool read_ignore_file(const std::string& path, const std::vector<os::BeneathEntry>& entries) {
    const bool there = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
      return entry.name == ".gitignore" && entry.is_file;
    });
    if (!there) return false;
    const std::string name = path_beneath(folder_, path_beneath(path, ".gitignore"));
    const auto text = root_.read(name, ignore_file_bytes_max);
    if (!text.ok()) return false;
    ignored_.emplace_back(path, *text);
    return true;
  }

  /// Empty where it is to be read. Folders that are left out are not looked into.
  std::string why_left_out(const std::string& path, const os::BeneathEntry& entry) const {
    if (!options_.hidden && entry.name.starts_with('.')) return "it is hidden";
    if (any_matches(options_.exclude, path, entry.is_directory)) return "[exclude] names it";
    for (auto rules = ignored_.rbegin(); rules != ignored_.rend(); ++rules) {
      const auto verdict = rules->judge(path, entry.is_directory);
      if (verdict.has_value() && *verdict) return "a .gitignore names it";
      if (verdict.has_value()) break;
    }
    if (entry.is_directory) return {};
    if (entry.leads_out) return "it is a link out of the folder, which is not followed";
    if (entry.is_folder_link) return "it is a link to a folder, which is not followed";
    if (!options_.include.empty() && !matches_or_lies_in(options_.include, path))
      return "[include] does not name it";
    const std::string_view kind = why_skipped(entry.name);
    return kind.empty() ? std::string() : "it is " + std::string(kind);
  }

  const os::Beneath& root_;
  const std::string folder_;
  const DirectoryOptions& options_;
  std::vector<Folder> way_;          // to the entry at hand, the root's first
  std::vector<IgnoreFile> ignored_;  // of the folders on the way that have some
};

class DirectoryWalk final : public Walk {
 public:
  DirectoryWalk(const os::Beneath& root, std::string folder, const DirectoryOptions& options)
      : root_(root),
        folder_(std::move(folder)),
        options_(options),
        steps_(root, folder_, options) {}

  /// Counts, and finds the files that links lead to.
  Status count(const os::Deadline& deadline) {
    FolderSteps steps(root_, folder_, options_);
    SourcePage unused;
    CAIRN_CHECK(steps.begin(unused, deadline));
    while (!steps.at_end()) {
      CAIRN_TRY(const auto file, steps.step(unused, deadline));
      unused = {};
      if (!file) continue;
      if (file->is_link) {
        linked_.insert(file->number);
      } else {
        ++total_;
        total_bytes_ += file->item.size_bytes;
      }
    }
    return ok_status();
  }

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page;
    CAIRN_CHECK(deadline.check("listing the folder"));
    if (!std::exchange(begun_, true)) CAIRN_CHECK(steps_.begin(page, deadline));
    const auto has_room = [&] {
      return page.items.size() + page.left_out.size() + page.unreadable.size() < page_entries;
    };
    while (!steps_.at_end() && has_room()) {
      CAIRN_TRY(auto file, steps_.step(page, deadline));
      if (file) take(*std::move(file), page);
    }
    while (steps_.at_end() && !links_.empty() && has_room()) {
      take_link(std::move(links_.back()), page);
      links_.pop_back();
    }
    page.last = steps_.at_end() && links_.empty();
    // What vanished since it was counted does not come any more.
    page.total = page.last ? given_ : total_;
    page.total_bytes = page.last ? given_bytes_ : total_bytes_;
    return page;
  }

 private:
  void take(FoundFile file, SourcePage& page) {
    if (file.is_link) {
      links_.push_back(std::move(file));
      return;
    }
    if (linked_.count(file.number) > 0) met_.insert(file.number);
    give(std::move(file.item), page);
  }

  /// A link to a file that stands here under its own name would be the same document again.
  void take_link(FoundFile link, SourcePage& page) {
    if (met_.count(link.number) > 0)
      ++page.skipped;
    else
      give(std::move(link.item), page);
  }

  void give(SourceItem item, SourcePage& page) {
    ++given_;
    given_bytes_ += item.size_bytes;
    page.items.push_back(std::move(item));
  }

  const os::Beneath& root_;
  const std::string folder_;
  const DirectoryOptions& options_;
  FolderSteps steps_;
  bool begun_ = false;
  std::uint64_t total_ = 0, total_bytes_ = 0;  // without links
  std::uint64_t given_ = 0, given_bytes_ = 0;
  std::set<FileNumber> linked_, met_;  // files that links lead to; those of them that were given
  std::vector<FoundFile> links_;
};

}  // namespace

std::string path_beneath(const std::string& folder, const std::string& path) {
  if (folder.empty()) return path;
  return path.empty() ? folder : folder + "/" + path;
}

Result<std::unique_ptr<Walk>> walk_directory(const os::Beneath& root, std::string folder,
                                             const DirectoryOptions& options,
                                             const os::Deadline& deadline) {
  auto walk = std::make_unique<DirectoryWalk>(root, std::move(folder), options);
  CAIRN_CHECK(walk->count(deadline));
  return std::unique_ptr<Walk>(std::move(walk));
}

}  // namespace cairn::connectors
