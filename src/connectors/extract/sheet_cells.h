// SPDX-License-Identifier: Apache-2.0
// What the numbers in the cells of XLSX files say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::connectors {

constexpr std::size_t sheet_columns_max = 16'384;  // that spreadsheets have

/// The column of "AB12", from 0 on; nothing for what names none.
std::optional<std::size_t> column_of_reference(std::string_view reference);

/// Whether numbers in that format are dates: "yyyy-mm-dd", and not "0.00" or "[h]:mm", which is a
/// length of time.
bool is_date_format(std::string_view code);
bool is_date_format(std::size_t built_in);

/// A day's number as a date, a time of day or both, as ISO 8601 writes them (UTC); nothing for what
/// no calendar has. `from_1904`: the days of that file count from there.
std::optional<std::string> date_of_number(double number, bool from_1904);

/// A number without an exponent where that is short, and without the noise of binary fractions.
std::string plain_number(std::string_view text);

}  // namespace cairn::connectors
