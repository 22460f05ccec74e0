// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/git/git_repository.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "net/address.h"
#include "os/files/beneath.h"
#include "os/files/files.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

constexpr const char* git_program = "/usr/bin/git";
constexpr std::int64_t lock_wait_ms = 10'000;
constexpr std::int64_t look_again_ms = 50;
constexpr std::int64_t beat_ms = 1000;
constexpr std::size_t answer_bytes_max = 1 << 20;
constexpr std::size_t reference_bytes_max = 4 << 10;
constexpr std::size_t packed_references_bytes_max = 64 << 20;
constexpr int symbolic_steps_max = 5;
constexpr auto unused_days = std::chrono::days(30);
constexpr const char* kept_reference = "refs/cairn/head";

std::string mirror_name(const GitPlace& place) {
  const std::string key = place.folder.absolute() + '\0' + place.url + '\0' + place.user + '\0' +
                          place.token + '\0' + place.branch + '\0' + (place.history ? "h" : "");
  return to_hex(sha256(key)).substr(0, 32);
}

Error no_branch(const std::string& branch) {
  return {.kind = ErrorKind::not_found,
          .message = branch.empty() ? std::string("the repository has no commit yet")
                                    : "the repository has no branch or tag [" + branch + "]"};
}

/// Copies that nobody has opened for long go.
void remove_unused(const std::filesystem::path& folder) {
  std::error_code fault;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault)) {
    if (entry.path().extension() != ".lock") continue;
    const auto used = entry.last_write_time(fault);
    if (fault || now - used < unused_days) continue;
    std::filesystem::path copy = entry.path();
    std::filesystem::remove_all(copy.replace_extension(), fault);
    std::filesystem::remove(entry.path(), fault);
  }
}

/// A link in the store of objects could lead out of the root.
Status check_objects(const os::Beneath& root, const std::string& objects, int depth) {
  CAIRN_TRY(const auto entries, root.list(objects));
  for (const auto& entry : entries) {
    const std::string path = objects + "/" + entry.name;
    if (entry.is_link || (!entry.is_directory && !entry.is_file))
      return Error{.kind = ErrorKind::permission_denied,
                   .message = path + " is no plain file or folder; such repositories are not read"};
    if (entry.name == "alternates" && depth == 1)
      return Error{.kind = ErrorKind::permission_denied,
                   .message = path + " leads to another repository; such ones are not read"};
    if (entry.is_directory && depth == 0) CAIRN_CHECK(check_objects(root, path, depth + 1));
  }
  return ok_status();
}

std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

/// The git folder within a working tree, or the bare repository itself.
Result<std::string> git_folder(const os::Beneath& root, const std::string& relative) {
  for (const auto& folder : {joined(relative, ".git"), relative})
    if (root.read(joined(folder, "HEAD"), reference_bytes_max).ok()) return folder;
  return Error{.kind = ErrorKind::not_found, .message = "there is no git repository in the folder"};
}

/// The id behind a name, through names of names; empty where there is none.
Result<std::string> id_behind(const os::Beneath& root, const std::string& folder,
                              std::string name) {
  for (int step = 0; step < symbolic_steps_max; ++step) {
    const auto text = root.read(joined(folder, name), reference_bytes_max);
    if (!text.ok()) {
      const auto packed = root.read(joined(folder, "packed-refs"), packed_references_bytes_max);
      return packed.ok() ? packed_reference(*packed, name) : std::string();
    }
    CAIRN_TRY(GitReference reference, read_reference(*text));
    if (!reference.id.empty()) return std::move(reference.id);
    name = std::move(reference.name);
  }
  return std::string();
}

Status write_file(const std::string& path, std::string_view text) {
  CAIRN_TRY(const auto file, os::system_files().open(path, os::OpenMode::truncate));
  return file->append(text);
}

Error folder_fault(const std::string& folder, const std::error_code& fault) {
  return {.kind = ErrorKind::unavailable, .message = folder + ": " + fault.message()};
}

}  // namespace

Result<std::unique_ptr<GitRepository>> GitRepository::open(GitPlace place,
                                                           const std::string& work_folder,
                                                           const Outreach& outreach,
                                                           const os::Deadline& deadline) {
  const std::string folder = work_folder + "/git";
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) return folder_fault(folder, fault);
  remove_unused(folder);
  const std::string mirror = folder + "/" + mirror_name(place);
  std::unique_ptr<GitRepository> out(new GitRepository(std::move(place), mirror));
  CAIRN_CHECK(out->lock(deadline));
  if (!out->place_.url.empty()) CAIRN_CHECK(out->pin_address(outreach, deadline));
  CAIRN_CHECK(out->make_mirror(deadline));
  return out;
}

Status GitRepository::lock(const os::Deadline& deadline) {
  const std::string name = mirror_ + ".lock";
  lock_ = os::Descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock_.get() < 0) return folder_fault(name, std::error_code(errno, std::generic_category()));
  const os::Deadline until = deadline.sooner_ms(lock_wait_ms);
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    CAIRN_CHECK(deadline.check("waiting for the repository"));
    if (until.passed())
      return Error{.kind = ErrorKind::unavailable,
                   .message = "another sync reads this repository at the moment"};
    os::sleep_ms(look_again_ms, until);
  }
  static_cast<void>(::futimens(lock_.get(), nullptr));
  return ok_status();
}

Status GitRepository::make_mirror(const os::Deadline& deadline) const {
  // A copy whose making was cut off has no HEAD, which git writes last of what it needs.
  if (os::system_files().info(mirror_ + "/HEAD").ok() &&
      os::system_files().info(mirror_ + "/objects").ok())
    return ok_status();
  std::error_code fault;
  std::filesystem::remove_all(mirror_, fault);
  CAIRN_CHECK(run_git({"init", "--quiet", "--bare", "--template=", mirror_}, deadline));
  return ok_status();
}

/// The addresses of the host are looked up and judged here, and git connects to no other.
Status GitRepository::pin_address(const Outreach& outreach, const os::Deadline& deadline) {
  CAIRN_TRY(const net::Url url, net::parse_url(place_.url));
  CAIRN_TRY(const auto addresses, net::resolve(url.host, url.port, deadline));
  std::string list;
  for (const auto& address : addresses) {
    CAIRN_CHECK(outreach.rules().check(url.host, address));
    const std::string host = address.host();
    const bool six = host.find(':') != std::string::npos;
    list += (list.empty() ? "" : ",") + (six ? "[" + host + "]" : host);
  }
  settings_.emplace_back("http.curloptResolve",
                         url.host + ":" + std::to_string(url.port) + ":" + list);
  if (!place_.token.empty())
    settings_.emplace_back(
        "http.extraHeader",
        "Authorization: Basic " +
            to_base64((place_.user.empty() ? "git" : place_.user) + ":" + place_.token));
  return ok_status();
}

Result<std::unique_ptr<PipedProgram>> GitRepository::git(std::vector<std::string> words) const {
  words.insert(words.begin(), git_program);
  std::vector<std::pair<std::string, std::string>> settings = {
      {"http.followRedirects", "false"},   {"http.lowSpeedLimit", "100"},
      {"http.lowSpeedTime", "60"},         {"core.hooksPath", "/dev/null"},
      {"gc.autoDetach", "false"},          {"gc.pruneExpire", "now"},
      {"fetch.recurseSubmodules", "false"}};
  settings.insert(settings.end(), settings_.begin(), settings_.end());
  std::vector<std::string> environment = {
      "PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8", "GIT_DIR=" + mirror_,
      "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
      "GIT_LITERAL_PATHSPECS=1",
      // Nothing is fetched from anywhere else, whatever the repository says.
      std::string("GIT_ALLOW_PROTOCOL=") + (place_.url.empty() ? "none" : "https:http"),
      "GIT_CONFIG_COUNT=" + std::to_string(settings.size())};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    environment.push_back("GIT_CONFIG_KEY_" + std::to_string(i) + "=" + settings[i].first);
    environment.push_back("GIT_CONFIG_VALUE_" + std::to_string(i) + "=" + settings[i].second);
  }
  return PipedProgram::start({.command = std::move(words), .environment = std::move(environment)});
}

Result<std::string> GitRepository::run_git(std::vector<std::string> words,
                                           const os::Deadline& deadline) const {
  CAIRN_TRY(const auto child, git(std::move(words)));
  return child->read_all(answer_bytes_max, deadline);
}

Result<std::string> GitRepository::commit_of(const std::string& id,
                                             const os::Deadline& deadline) const {
  CAIRN_TRY(const std::string text,
            run_git({"rev-parse", "--verify", "--quiet", id + "^{commit}"}, deadline));
  return std::string(trim(text));
}

Result<std::string> GitRepository::local_id() const {
  CAIRN_TRY(const auto root, os::Beneath::open(place_.folder.root));
  CAIRN_TRY(const std::string folder, git_folder(*root, place_.folder.relative));
  std::vector<std::string> names = {"HEAD"};
  if (!place_.branch.empty()) names = {"refs/heads/" + place_.branch, "refs/tags/" + place_.branch};
  for (const auto& name : names) {
    CAIRN_TRY(std::string id, id_behind(*root, folder, name));
    if (!id.empty()) return id;
  }
  return no_branch(place_.branch);
}

/// git reads the objects where they are, in a repository of its own that has none.
Status GitRepository::borrow_objects() const {
  CAIRN_TRY(const auto root, os::Beneath::open(place_.folder.root));
  CAIRN_TRY(const std::string folder, git_folder(*root, place_.folder.relative));
  const std::string objects = joined(folder, "objects");
  CAIRN_CHECK(check_objects(*root, objects, 0));
  const std::string absolute =
      RootedPlace{.root = place_.folder.root, .relative = objects}.absolute();
  if (absolute.find('\n') != std::string::npos)
    return Error{.kind = ErrorKind::unsupported, .message = "the folder's name has a line end"};
  std::error_code fault;
  std::filesystem::create_directories(mirror_ + "/objects/info", fault);
  CAIRN_CHECK(write_file(mirror_ + "/objects/info/alternates", absolute + "\n"));
  const auto shallow = root->read(joined(folder, "shallow"), packed_references_bytes_max);
  if (shallow.ok()) return write_file(mirror_ + "/shallow", *shallow);
  std::filesystem::remove(mirror_ + "/shallow", fault);
  return ok_status();
}

Result<std::string> GitRepository::update(const std::function<Status()>& beat,
                                          const os::Deadline& deadline) {
  if (place_.url.empty()) {
    CAIRN_TRY(const std::string id, local_id());
    CAIRN_CHECK(borrow_objects());
    return commit_of(id, deadline);
  }
  CAIRN_TRY(const std::string wanted, last_commit(deadline));
  if (const auto kept = commit_of(kept_reference, deadline); kept.ok() && *kept == wanted)
    return wanted;
  Status fetched = fetch(!place_.history, beat, deadline);
  // A server of plain files gives all commits or none.
  if (!fetched.ok() &&
      fetched.error().message.find("does not support shallow") != std::string::npos)
    fetched = fetch(false, beat, deadline);
  if (!fetched.ok()) return fetched.error();
  CAIRN_CHECK(run_git({"gc", "--auto", "--quiet"}, deadline));
  return commit_of(kept_reference, deadline);
}

Status GitRepository::fetch(bool shallow, const std::function<Status()>& beat,
                            const os::Deadline& deadline) const {
  const std::string from = place_.branch.empty() ? "HEAD" : place_.branch;
  std::vector<std::string> words = {
      "fetch", "--quiet", "--no-tags", "--force", "--no-write-fetch-head", "--no-auto-maintenance"};
  if (shallow) words.emplace_back("--depth=1");
  words.insert(words.end(), {"--", place_.url, from + ":" + kept_reference});
  CAIRN_TRY(const auto fetching, git(std::move(words)));
  fetching->close_input();
  for (bool more = true; more;) {
    // It writes nothing; the end of its output is its own end.
    const auto piece = fetching->read(deadline.sooner_ms(beat_ms));
    CAIRN_CHECK(deadline.check("fetching the repository"));
    CAIRN_CHECK(beat());
    if (piece.ok()) {
      more = !piece->empty();
    } else if (piece.error().kind != ErrorKind::timeout) {
      return piece.error();
    }
  }
  return fetching->finish(deadline);
}

Result<std::string> GitRepository::last_commit(const os::Deadline& deadline) {
  if (place_.url.empty()) {
    CAIRN_TRY(const std::string id, local_id());
    CAIRN_CHECK(borrow_objects());
    return commit_of(id, deadline);
  }
  const std::string from = place_.branch.empty() ? "HEAD" : place_.branch;
  std::vector<std::string> words = {"ls-remote", "--quiet", "--", place_.url, from};
  if (!place_.branch.empty())
    words = {"ls-remote", "--quiet", "--", place_.url, "refs/heads/" + from, "refs/tags/" + from};
  CAIRN_TRY(const std::string text, run_git(std::move(words), deadline));
  const std::string id(trim(text.substr(0, text.find('\t'))));
  if (!is_git_id(id)) return no_branch(place_.branch);
  return id;
}

bool GitRepository::has_commit(const std::string& id, const os::Deadline& deadline) const {
  return is_git_id(id) && commit_of(id, deadline).ok();
}

namespace {

void add_paths(std::vector<std::string>& words, const std::vector<std::string>& paths) {
  words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
}

}  // namespace

Result<std::unique_ptr<PipedProgram>> GitRepository::files(
    const std::string& commit, const std::vector<std::string>& paths) const {
  std::vector<std::string> words = {"ls-tree", "-r", "-z", "-l", "--full-tree", commit};
  add_paths(words, paths);
  return git(std::move(words));
}

Result<std::unique_ptr<PipedProgram>> GitRepository::changes(
    const std::string& from, const std::string& to, const std::vector<std::string>& paths) const {
  std::vector<std::string> words = {"diff-tree",    "-r",          "-z", "--raw",
                                    "--no-renames", "--no-abbrev", from, to};
  add_paths(words, paths);
  return git(std::move(words));
}

Result<std::unique_ptr<PipedProgram>> GitRepository::commits(
    const std::string& from, const std::string& to, const std::vector<std::string>& paths) const {
  std::vector<std::string> words = {"rev-list", "--no-commit-header",
                                    "--format=%H%x00%ct%x00%an%x00%s%x00%B%x00", to};
  if (!from.empty()) words.push_back("^" + from);
  add_paths(words, paths);
  return git(std::move(words));
}

Result<std::string> GitRepository::blob(const std::string& id, std::size_t bytes_max,
                                        const os::Deadline& deadline) {
  if (!blobs_) {
    CAIRN_TRY(blobs_, git({"cat-file", "--batch"}));
    unread_.clear();
  }
  CAIRN_CHECK(blobs_->write(id + "\n", deadline));
  const auto more = [&]() -> Status {
    CAIRN_TRY(const std::string piece, blobs_->read(deadline));
    if (!piece.empty()) {
      unread_ += piece;
      return ok_status();
    }
    Status ended = blobs_->finish(deadline);
    blobs_.reset();
    if (!ended.ok()) return ended;
    return Error{.kind = ErrorKind::unavailable, .message = "git cat-file ended"};
  };
  std::size_t line = 0;
  while ((line = unread_.find('\n')) == std::string::npos) CAIRN_CHECK(more());
  const auto size = read_blob_head(std::string_view(unread_).substr(0, line));
  unread_.erase(0, line + 1);
  if (!size.ok()) return size.error();
  // What is too large is read past, a piece at a time.
  const bool keep = *size <= bytes_max;
  std::string out;
  std::uint64_t left = *size + 1;  // with the line end
  while (left > 0) {
    if (unread_.empty()) CAIRN_CHECK(more());
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, unread_.size()));
    if (keep) out.append(unread_, 0, count);
    unread_.erase(0, count);
    left -= count;
  }
  if (!keep)
    return Error{.kind = ErrorKind::too_large,
                 .message = "has " + std::to_string(*size) + " bytes, more than " +
                            std::to_string(bytes_max)};
  out.pop_back();
  return out;
}

}  // namespace cairn::connectors
