// SPDX-License-Identifier: Apache-2.0
// The description of every option: what the documents print, what text becomes a value, and where
// a value comes from that nobody gave.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "objectclient/options.h"

namespace cairn::objectclient {

/// Where the value of an option lies; nothing for objects and functions, which no text can be.
using OptionField =
    std::variant<std::monostate, Setting<bool> ClientOptions::*,
                 Setting<std::int64_t> ClientOptions::*, Setting<double> ClientOptions::*,
                 Setting<std::string> ClientOptions::*,
                 Setting<std::vector<std::string>> ClientOptions::*>;

struct OptionRow {
  std::string_view name;
  std::string_view type;     // boolean, integer, seconds, text, list, or the type of an object
  std::string_view allowed;  // in words; empty: any
  std::string_view effect;
  std::string_view variable;  // of the environment; empty: none
  std::string_view key;       // of a profile; empty: none
  OptionField field;
  bool (*object_given)(const ClientOptions& options);           // of objects and functions
  bool (*rule)(const void* value, const OptionRow& described);  // null: any value will do
  /// Gives the option the value that it has in other options.
  void (*take)(ClientOptions& into, const ClientOptions& from);

  bool can_be_text() const { return !std::holds_alternative<std::monostate>(field); }
  /// Gives the option this value. Errors: invalid_argument, ArgumentError.
  Status set(ClientOptions& options, std::string_view text) const;
  /// The value as text; empty where there is none, and for objects and functions.
  std::string show(const ClientOptions& options) const;
  bool given(const ClientOptions& options) const;
  /// What is wrong with the value; empty: nothing.
  std::string fault(const ClientOptions& options) const;
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
