// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/directory.h"

#include <set>
#include <utility>

#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/roots.h"
#include "connectors/sources/files/directory_walk.h"
#include "connectors/sources/files/directory_watch.h"
#include "os/accounts.h"
#include "os/files/beneath.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t file_bytes_default = 10 << 20;
constexpr std::string_view watch_field = "watch";
constexpr std::string_view security_field = "use_document_level_security";

constexpr std::size_t patterns_max = 1000;

Result<std::vector<PathPattern>> patterns_of(const Json& configuration, std::string_view field) {
  CAIRN_TRY(const auto texts, configured_list(configuration, field));
  if (texts.size() > patterns_max)
    return invalid("[" + std::string(field) + "] has more than 1000 patterns");
  std::vector<PathPattern> out;
  for (const auto& text : texts) {
    CAIRN_TRY(auto pattern, PathPattern::parse(text));
    out.push_back(std::move(pattern));
  }
  return out;
}

class Directory final : public Source {
 public:
  /// `place` is where the folder lies, for whom its ways are open; empty: nobody is asked.
  Directory(std::unique_ptr<os::Beneath> root, std::string folder, DirectoryOptions options,
            std::string place)
      : root_(std::move(root)),
        folder_(std::move(folder)),
        options_(std::move(options)),
        place_(std::move(place)),
        tells_readers_(!place_.empty()) {}

  Result<std::unique_ptr<Walk>> walk(const std::string&, const os::Deadline& deadline) override {
    if (tells_readers_) CAIRN_CHECK(look_at_readers());
    return walk_directory(*root_, folder_, options_, deadline);
  }

  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline&) override {
    CAIRN_TRY(std::string bytes,
              root_->read(path_beneath(folder_, item.path), options_.file_bytes_max));
    return give_file(item.path, std::move(bytes), sink);
  }

  Result<std::vector<SourceIdentity>> identities(const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("reading the users of this machine"));
    CAIRN_TRY(const auto accounts, os::LocalAccounts::read());
    std::vector<SourceIdentity> out;
    std::set<std::string> known;
    for (const auto& user : accounts.users())
      if (known.insert(user.name).second)
        out.push_back({.id = user.name,
                       .identity = Json::object(
                           {{"username", user.name}, {"uid", static_cast<std::int64_t>(user.uid)}}),
                       .names = FileReaders::names_of(user, accounts)});
    return out;
  }

  Result<Json> check(const os::Deadline&) override {
    CAIRN_TRY(const auto entries, root_->list(folder_));
    return Json::object({{"entries", static_cast<std::int64_t>(entries.size())}});
  }

 private:
  /// Users, groups and the way to the folder as they are now; a walk sees them as they were.
  Status look_at_readers() {
    CAIRN_TRY(auto accounts, os::LocalAccounts::read());
    options_.accounts = std::make_shared<const os::LocalAccounts>(std::move(accounts));
    options_.reach_folder = FileReaders::everyone();
    CAIRN_TRY(const auto way, os::folders_on_the_way(place_));
    for (const auto& folder : way)
      options_.reach_folder =
          options_.reach_folder.both(FileReaders::of_folder({.mode = folder.owner.mode,
                                                             .uid = folder.owner.uid,
                                                             .gid = folder.owner.gid,
                                                             .list = folder.list},
                                                            *options_.accounts),
                                     *options_.accounts);
    return ok_status();
  }

  std::unique_ptr<os::Beneath> root_;
  std::string folder_;
  DirectoryOptions options_;
  const std::string place_;
  const bool tells_readers_;
};

class DirectoryType final : public SourceType {
 public:
  explicit DirectoryType(std::shared_ptr<const FolderRoots> roots) : roots_(std::move(roots)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"path",
          configuration_entry({.label = "Folder",
                               .tooltip = "A folder beneath one of connectors.directory.roots",
                               .order = 1,
                               .required = true})},
         {"max_file_size",
          configuration_entry({.label = "Largest file in bytes",
                               .type = "int",
                               .tooltip = "Larger files are counted and named, not read",
                               .value = file_bytes_default,
                               .order = 2})},
         {std::string(error_budget_field), error_budget_entry(3)},
         {std::string(rows_field), rows_entry(4)},
         {"hidden",
          configuration_entry({.label = "Hidden files too",
                               .type = "bool",
                               .tooltip = "Files and folders whose names begin with a dot",
                               .value = false,
                               .order = 5})},
         {"gitignore", configuration_entry({.label = "Heed .gitignore",
                                            .type = "bool",
                                            .tooltip = "Leaves out what .gitignore files name",
                                            .value = false,
                                            .order = 6})},
         {"include", configuration_entry({.label = "Only these files",
                                          .type = "list",
                                          .tooltip = "Patterns such as *.md or docs/**; empty: all",
                                          .order = 7})},
         {"exclude", configuration_entry({.label = "Not these files",
                                          .type = "list",
                                          .tooltip = "Patterns such as *.log or node_modules/",
                                          .order = 8})},
         {std::string(watch_field),
          configuration_entry({.label = "Watch for changes",
                               .type = "bool",
                               .tooltip = "A sync follows within seconds when something changed",
                               .value = false,
                               .order = 9})},
         {std::string(security_field),
          configuration_entry({.label = "Enable document level security",
                               .type = "bool",
                               .tooltip = "Documents say which users and groups of this machine "
                                          "may read the file",
                               .value = false,
                               .order = 10})}});
  }

  Status validate(const Json& configuration) const override {
    const Json& size = configured(configuration, "max_file_size");
    if (!size.is_null() && (!size.is_integer() || size.as_int() < 1))
      return invalid("[max_file_size] must be a positive number of bytes");
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(configured_flag(configuration, watch_field, false));
    CAIRN_CHECK(configured_flag(configuration, security_field, false));
    CAIRN_CHECK(rows_are_documents(configuration));
    CAIRN_CHECK(options_of(configuration));
    CAIRN_CHECK(place_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_CHECK(validate(configuration));
    CAIRN_TRY(RootedPlace place, place_of(configuration));
    CAIRN_TRY(auto root, os::Beneath::open(place.root));
    CAIRN_TRY(DirectoryOptions options, options_of(configuration));
    std::string asked = has_access_control(configuration) ? place.absolute() : std::string();
    return std::unique_ptr<Source>(std::make_unique<Directory>(
        std::move(root), std::move(place.relative), std::move(options), std::move(asked)));
  }

  bool has_access_control(const Json& configuration) const override {
    return configured_flag(configuration, security_field, false).value_or(false);
  }

  bool is_watched(const Json& configuration) const override {
    return configured_flag(configuration, watch_field, false).value_or(false);
  }

  Result<std::unique_ptr<SourceWatch>> watch(const Json& configuration) const override {
    CAIRN_CHECK(validate(configuration));
    CAIRN_TRY(RootedPlace place, place_of(configuration));
    CAIRN_TRY(const bool hidden, configured_flag(configuration, "hidden", false));
    return watch_directory(
        {.root = std::move(place.root), .folder = std::move(place.relative), .hidden = hidden},
        os::system_clock());
  }

 private:
  static Result<DirectoryOptions> options_of(const Json& configuration) {
    const Json& size = configured(configuration, "max_file_size");
    DirectoryOptions out;
    out.file_bytes_max =
        static_cast<std::size_t>(size.is_integer() ? size.as_int() : file_bytes_default);
    CAIRN_TRY(out.hidden, configured_flag(configuration, "hidden", false));
    CAIRN_TRY(out.gitignore, configured_flag(configuration, "gitignore", false));
    CAIRN_TRY(out.include, patterns_of(configuration, "include"));
    CAIRN_TRY(out.exclude, patterns_of(configuration, "exclude"));
    return out;
  }

  Result<RootedPlace> place_of(const Json& configuration) const {
    CAIRN_TRY(const std::string path, required_text(configuration, "path", "a folder"));
    return place_beneath(roots_->get(), "path", path);
  }

  std::shared_ptr<const FolderRoots> roots_;
};

}  // namespace

std::unique_ptr<const SourceType> directory_source(std::shared_ptr<const FolderRoots> roots) {
  return std::make_unique<DirectoryType>(std::move(roots));
}

std::unique_ptr<const SourceType> directory_source(std::vector<std::string> roots) {
  return directory_source(fixed_roots(std::move(roots)));
}

}  // namespace cairn::connectors
