// SPDX-License-Identifier: Apache-2.0
#include "connectors/source.h"

#include <utility>

#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

class WholePage final : public Walk {
 public:
  explicit WholePage(SourcePage all) : all_(std::move(all)) {}

  Result<SourcePage> next(const os::Deadline&) override {
    all_.total = all_.items.size();
    for (const auto& item : all_.items) all_.total_bytes += item.size_bytes;
    all_.last = true;
    return std::move(all_);
  }

 private:
  SourcePage all_;
};

}  // namespace

std::unique_ptr<Walk> walk_of(SourcePage all) {
  return std::make_unique<WholePage>(std::move(all));
}

Result<ToldChange> SourceType::concerns(const Json&, const Json&) const {
  return refused("Nobody tells such a source of changes: they are found by its syncs.");
}

}  // namespace cairn::connectors
