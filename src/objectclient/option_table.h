// SPDX-License-Identifier: Apache-2.0
// The description of every option: what the documents print, what text becomes a value, and where
// a value comes from that nobody gave.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/options.h"

namespace cairn::objectclient {

struct OptionRow {
  std::string_view name;
  std::string_view type;     // boolean, integer, seconds, text, list, or the type of an object
  std::string_view allowed;  // in words; empty: any
  std::string_view effect;
  std::string_view variable;  // of the environment; empty: none
  std::string_view key;       // of a profile; empty: none
  /// Gives the option this value. Errors: invalid_argument, ArgumentError. Null for objects and
  /// functions.
  Status (*set)(ClientOptions& options, std::string_view text);
  /// The value as text; empty where there is none, and for objects and functions.
  std::string (*show)(const ClientOptions& options);
  bool (*given)(const ClientOptions& options);
  /// What is wrong with the value; empty: nothing.
  std::string (*fault)(const ClientOptions& options, const OptionRow& row);
};

/// In the order of options.h.
std::span<const OptionRow> option_rows();
/// Null where there is none.
const OptionRow* find_option(std::string_view name);

/// Sets an option by its name. Errors: invalid_argument, ArgumentError: no such option (with the
/// one that may be meant), none that a text can be, or a value that it may not have.
Status set_option(ClientOptions& options, std::string_view name, std::string_view text);

/// The table of the documents, in Markdown.
std::string options_markdown();

}  // namespace cairn::objectclient
