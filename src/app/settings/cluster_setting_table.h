// SPDX-License-Identifier: Apache-2.0
// Which settings of the cluster there are, and what heeds them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/settings/log_levels.h"
#include "app/settings/settings.h"
#include "index/indices.h"
#include "index/settings/cluster_settings.h"
#include "search/service.h"
#include "tasks/tasks.h"

namespace cairn::app {

/// What heeds them; all of it outlives the table.
struct ClusterSettingGround {
  index::Indices& indices;
  search::Service& search;
  tasks::Tasks& tasks;
  LogLevels& log_levels;
};

std::vector<index::ClusterSetting> cluster_setting_table(const ClusterSettingGround& ground);

/// Those that only the configuration says, apart from the table's.
std::vector<std::string> configured_settings(const std::vector<index::ClusterSetting>& table);

}  // namespace cairn::app
