// SPDX-License-Identifier: Apache-2.0
#include "connectors/known_sources.h"

#include "connectors/outreach.h"
#include "connectors/sources/bucket.h"
#include "connectors/sources/cluster.h"
#include "connectors/sources/code_hosting/code_hosting.h"
#include "connectors/sources/databases/mysql.h"
#include "connectors/sources/databases/postgres.h"
#include "connectors/sources/files/directory.h"
#include "connectors/sources/files/mail_folder.h"
#include "connectors/sources/git/git.h"
#include "connectors/sources/web/feeds.h"
#include "connectors/sources/web/web_pages.h"

namespace cairn::connectors {

Result<SourceTypes> known_sources(const Options& options,
                                  std::shared_ptr<const FolderRoots> roots) {
  CAIRN_TRY(const Outreach outreach, Outreach::of(options.allowed_hosts));
  SourceTypes out;
  out["code_hosting"] = code_hosting_source({.outreach = outreach});
  out["directory"] = directory_source(roots);
  out["elasticsearch"] = cluster_source({.outreach = outreach, .ca_file = options.cluster_ca_file});
  out["feeds"] = feeds_source(outreach);
  out["git"] =
      git_source({.roots = roots, .outreach = outreach, .work_folder = options.work_folder});
  out["maildir"] = mail_folder_source(roots);
  out["mysql"] = mysql_source(outreach);
  out["postgresql"] = postgres_source(outreach);
  out["s3"] = bucket_source(outreach);
  out["web_pages"] = web_pages_source(outreach);
  return out;
}

}  // namespace cairn::connectors
