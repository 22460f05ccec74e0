// SPDX-License-Identifier: Apache-2.0
// The rooms of a node that stands by: it searches by itself while the one that serves is silent.
#pragma once

#include <memory>

#include "app/data/mirrored_folder.h"
#include "app/nodes/standby_models.h"
#include "app/settings/settings.h"
#include "base/result.h"
#include "index/replica/replica.h"
#include "net/http/message.h"
#include "nodes/reader.h"
#include "os/deadline.h"
#include "remotestore/cluster.h"

namespace cairn::app {

/// Follows keys, indices and endpoints in the store, and changes nothing there. Answers searches,
/// counts and calls of endpoints of callers with API keys or tokens of the issuer, from all that was acknowledged
/// before they were asked. Source: docs/decisions/0065-searches-while-the-owner-is-silent.md.
class ReadRooms final : public nodes::Reader {
 public:
  /// `ask` is told to index::Replica. It, `cluster` and `data` outlive it. Errors: those of the
  /// store; cancelled by `deadline`.
  static Result<std::shared_ptr<ReadRooms>> open(const Settings& settings,
                                                 remotestore::Cluster& cluster, DataPlace& data,
                                                 std::shared_ptr<StandbyModels> models,
                                                 index::Replica::AskWriter ask,
                                                 const os::Deadline& deadline);
  ~ReadRooms() override;

  bool takes(const net::RequestHead& head) const override;
  /// By preference=_local, or for all that say nothing else where node.local_searches is set; calls
  /// of endpoints where node.local_inference is.
  bool is_preferred(const net::RequestHead& head) const override;
  /// False also where the answer would be an error: whoever serves knows more.
  bool answer(net::Exchange& exchange) override;

 private:
  struct Rooms;
  explicit ReadRooms(std::unique_ptr<Rooms> rooms);
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace cairn::app
