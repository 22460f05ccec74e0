// SPDX-License-Identifier: Apache-2.0
// A look at a source before its first sync: some documents of it, and what a sync would do.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "connectors/isolation/extractor.h"
#include "connectors/runs/sync_state.h"
#include "connectors/source.h"
#include "os/deadline.h"

namespace cairn::connectors {

struct PreviewParams {
  std::size_t count = 10;
  Extractor& extractor;
  bool rows = false;  // of tables are documents
};

/// The first `count` documents that a sync would write, as `documents` ({_id, _source}), and in
/// `problems` what could not be read on the way (at most 20 of them). Long texts are cut after
/// 2,000 bytes. Writes nothing. Errors: of the source as a whole.
Result<Json> preview_documents(Source& source, const PreviewParams& params,
                               const os::Deadline& deadline);

/// Walks over everything and counts, reading no item: `items`, `new`, `changed`, `unchanged` and
/// `vanished` since the last finished run into the index `identity`, `skipped`, `unreadable`,
/// `bytes`, and `problems` as above. Writes nothing. Errors: of the source as a whole; of the
/// store.
Result<Json> dry_run(Source& source, const SyncState& state, const std::string& identity,
                     const os::Deadline& deadline);

}  // namespace cairn::connectors
