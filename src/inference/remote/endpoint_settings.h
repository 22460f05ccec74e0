// SPDX-License-Identifier: Apache-2.0
// The settings of endpoints whose model is another server's: read strictly, and shown without key.
#pragma once

#include <string>

#include "inference/endpoint.h"
#include "inference/settings_reader.h"

namespace cairn::inference {

/// Reads `service_settings` of a creation into an endpoint whose service and task are known.
/// `api_key` is looked at, and not kept.
void read_remote_settings(SettingsReader& reader, Endpoint& out, Faults& faults);
/// Reads what `_update` may change: api_key, rate_limit and max_input_tokens.
void read_remote_changes(SettingsReader& reader, Endpoint& out, Faults& faults);
/// Reads `task_settings`; what is absent stays.
void read_remote_task_settings(SettingsReader& reader, Endpoint& out, Faults& faults);

/// The `service_settings.api_key` of a body whose settings were read; empty where it has none.
std::string api_key_of(const Json& body);

/// The forms of the API.
Json show_remote_settings(const Endpoint& endpoint);
Json show_remote_task_settings(const Endpoint& endpoint);

}  // namespace cairn::inference
