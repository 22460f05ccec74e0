// SPDX-License-Identifier: Apache-2.0
// A git repository as Debian's git reads it: a copy of a remote one, or a folder beneath a root.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/outreach.h"
#include "connectors/roots.h"
#include "connectors/source.h"
#include "connectors/sources/git/git_output.h"
#include "connectors/sources/piped_program.h"
#include "os/files/descriptor.h"

namespace cairn::connectors {

struct GitPlace {
  RootedPlace folder = {};  // of a repository on this machine, where url is empty
  std::string url = {};     // http or https
  std::string user = {};
  std::string token = {};
  std::string branch = {};  // or a tag; empty: what HEAD names
  bool history = false;     // commits before the last one too
};

/// One thread. Nothing of the repository's own configuration is read, no hook or filter of it runs,
/// and no link in it is followed: git works in a folder of Cairn's, with its objects.
class GitRepository {
 public:
  /// `work_folder` is where copies of remote repositories stay between runs. Waits some seconds for
  /// another run of the same place. Errors: unavailable.
  static Result<std::unique_ptr<GitRepository>> open(GitPlace place, const std::string& work_folder,
                                                     const Outreach& outreach,
                                                     const os::Deadline& deadline);
  /// Brings what is new, and gives the id of the last commit. `beat` is called while it goes on.
  /// Errors: not_found, where there is no such branch; unsupported; permission_denied; unavailable.
  Result<std::string> update(const std::function<Status()>& beat, const os::Deadline& deadline);
  /// The same without bringing anything.
  Result<std::string> last_commit(const os::Deadline& deadline);
  bool has_commit(const std::string& id, const os::Deadline& deadline) const;

  // Programs whose output git_output.h reads. `paths`: files and folders; empty: all.
  Result<std::unique_ptr<PipedProgram>> files(const std::string& commit,
                                              const std::vector<std::string>& paths) const;
  Result<std::unique_ptr<PipedProgram>> changes(const std::string& from, const std::string& to,
                                                const std::vector<std::string>& paths) const;
  /// Those of `to` that `from` does not have; all of them where it is empty.
  Result<std::unique_ptr<PipedProgram>> commits(const std::string& from, const std::string& to,
                                                const std::vector<std::string>& paths) const;
  /// Errors: too_large, which the next call does not mind; not_found.
  Result<std::string> blob(const std::string& id, std::size_t bytes_max,
                           const os::Deadline& deadline);

 private:
  GitRepository(GitPlace place, std::string mirror)
      : place_(std::move(place)), mirror_(std::move(mirror)) {}
  Status lock(const os::Deadline& deadline);
  Status make_mirror(const os::Deadline& deadline) const;
  Result<std::unique_ptr<PipedProgram>> git(std::vector<std::string> words) const;
  Result<std::string> run_git(std::vector<std::string> words, const os::Deadline& deadline) const;
  Status fetch(bool shallow, const std::function<Status()>& beat,
               const os::Deadline& deadline) const;
  Status pin_address(const Outreach& outreach, const os::Deadline& deadline);
  Result<std::string> commit_of(const std::string& id, const os::Deadline& deadline) const;
  Result<std::string> local_id() const;
  Status borrow_objects() const;

  const GitPlace place_;
  const std::string mirror_;
  std::vector<std::pair<std::string, std::string>> settings_;  // of git, beside the fixed ones
  os::Descriptor lock_;
  std::unique_ptr<PipedProgram> blobs_;
  std::string unread_;  // of blobs_
};

}  // namespace cairn::connectors
