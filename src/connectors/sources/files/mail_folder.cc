// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/mail_folder.h"

#include <map>
#include <utility>

#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/roots.h"
#include "os/files/beneath.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t message_bytes_default = 10 << 20;
constexpr std::int64_t message_bytes_most = 1 << 30;
constexpr const char* places_of_messages[] = {"new", "cur"};

std::string joined_path(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

/// "1767323045.M1P2.host,S=12:2,FS" is the message "1767323045.M1P2.host,S=12" with two flags.
struct MessageName {
  std::string id;
  bool is_trashed = false;
};

MessageName message_name(const std::string& file) {
  const std::size_t flags = file.rfind(":2,");
  if (flags == std::string::npos) return {.id = file};
  return {.id = file.substr(0, flags), .is_trashed = file.find('T', flags) != std::string::npos};
}

class MailFolder final : public Source {
 public:
  MailFolder(std::unique_ptr<os::Beneath> root, std::string folder, bool subfolders,
             std::size_t bytes_max)
      : root_(std::move(root)),
        folder_(std::move(folder)),
        subfolders_(subfolders),
        bytes_max_(bytes_max) {}

  Result<std::unique_ptr<Walk>> walk(const std::string&, const os::Deadline& deadline) override {
    SourcePage page;
    files_.clear();
    CAIRN_TRY(const auto entries, root_->list(folder_));
    CAIRN_CHECK(list_folder("", page, deadline));
    for (const auto& entry : entries)
      if (subfolders_ && entry.is_directory && entry.name.starts_with('.') && entry.name.size() > 1)
        CAIRN_CHECK(list_folder(entry.name, page, deadline));
    return walk_of(std::move(page));
  }

  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline& deadline) override {
    const auto found = files_.find(item.path);
    if (found == files_.end())
      return Error{.kind = ErrorKind::not_found, .message = item.path + " was not listed"};
    auto bytes = root_->read(found->second, bytes_max_);
    // Somebody looked at it meanwhile, and its flags changed its name.
    if (!bytes.ok() && bytes.error().kind == ErrorKind::not_found) {
      CAIRN_TRY(const std::string moved, find_again(item.path, deadline));
      bytes = root_->read(moved, bytes_max_);
    }
    if (!bytes.ok()) return with_context(std::move(bytes).error(), item.path);
    return give_file(item.path + ".eml", *std::move(bytes), sink);
  }

  Result<Json> check(const os::Deadline&) override {
    std::int64_t messages = 0;
    for (const auto* place : places_of_messages) {
      CAIRN_TRY(const auto entries, root_->list(joined_path(folder_, place)));
      messages += static_cast<std::int64_t>(entries.size());
    }
    return Json::object({{"messages", messages}});
  }

 private:
  /// `name`: of the folder within the mail folder; empty for the inbox.
  Status list_folder(const std::string& name, SourcePage& page, const os::Deadline& deadline) {
    for (const auto* place : places_of_messages) {
      CAIRN_CHECK(deadline.check("listing the mail folder"));
      const std::string folder =
          joined_path(name.empty() ? folder_ : joined_path(folder_, name), place);
      const auto entries = root_->list(folder);
      if (!entries.ok()) {
        if (name.empty()) return entries.error();
        page.unreadable.push_back({name, entries.error().message});
        continue;
      }
      for (const auto& entry : *entries) add(name, folder, entry, page);
    }
    return ok_status();
  }

  void add(const std::string& name, const std::string& folder, const os::BeneathEntry& entry,
           SourcePage& page) {
    if (entry.name.starts_with('.')) return;
    const MessageName message = message_name(entry.name);
    const std::string path = joined_path(name, message.id);
    if (message.is_trashed) {
      ++page.skipped;
    } else if (!entry.is_file) {
      if (!entry.is_directory) page.unreadable.push_back({path, entry.fault});
    } else if (files_.emplace(path, folder + "/" + entry.name).second) {
      page.items.push_back({.path = path,
                            .version = std::to_string(entry.size_bytes),
                            .size_bytes = entry.size_bytes,
                            .modified_ms = entry.modified_ns / 1'000'000});
    }
  }

  Result<std::string> find_again(const std::string& path, const os::Deadline& deadline) {
    const std::size_t stroke = path.rfind('/');
    const std::string name = stroke == std::string::npos ? std::string() : path.substr(0, stroke);
    SourcePage unused;
    std::erase_if(files_, [&](const auto& file) { return file.first == path; });
    CAIRN_CHECK(list_folder(name, unused, deadline));
    if (const auto found = files_.find(path); found != files_.end()) return found->second;
    return Error{.kind = ErrorKind::not_found, .message = path + " is gone"};
  }

  const std::unique_ptr<os::Beneath> root_;
  const std::string folder_;
  const bool subfolders_;
  const std::size_t bytes_max_;
  std::map<std::string, std::string> files_;  // of messages, as they are called now
};

class MailFolderType final : public SourceType {
 public:
  explicit MailFolderType(std::shared_ptr<const FolderRoots> roots) : roots_(std::move(roots)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"path", configuration_entry(
                      {.label = "Mail folder",
                       .tooltip = "With cur and new in it, beneath connectors.directory.roots",
                       .order = 1,
                       .required = true})},
         {"subfolders", configuration_entry({.label = "Folders within it",
                                             .type = "bool",
                                             .tooltip = "Those whose name begins with a dot",
                                             .value = true,
                                             .order = 2})},
         {"max_file_size",
          configuration_entry({.label = "Largest message in bytes",
                               .type = "int",
                               .tooltip = "Larger messages are counted and named, not read",
                               .value = message_bytes_default,
                               .order = 3})},
         {std::string(error_budget_field), error_budget_entry(4)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(open(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(const std::string path, required_text(configuration, "path", "a mail folder"));
    CAIRN_TRY(RootedPlace place, place_beneath(roots_->get(), "path", path));
    CAIRN_TRY(const bool subfolders, configured_flag(configuration, "subfolders", true));
    CAIRN_TRY(const std::int64_t largest,
              configured_number(configuration, "max_file_size", message_bytes_default, 1,
                                message_bytes_most));
    CAIRN_TRY(auto root, os::Beneath::open(place.root));
    return std::unique_ptr<Source>(std::make_unique<MailFolder>(
        std::move(root), std::move(place.relative), subfolders, static_cast<std::size_t>(largest)));
  }

 private:
  const std::shared_ptr<const FolderRoots> roots_;
};

}  // namespace

std::unique_ptr<const SourceType> mail_folder_source(std::shared_ptr<const FolderRoots> roots) {
  return std::make_unique<MailFolderType>(std::move(roots));
}

}  // namespace cairn::connectors
