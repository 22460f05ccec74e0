// SPDX-License-Identifier: Apache-2.0
// Where a JSON text ends, told byte by byte.
#pragma once

#include <string>
#include <string_view>

namespace cairn::inference {

/// Follows one JSON array or object (RFC 8259). Whether its strings are UTF-8 is left to whoever
/// reads the whole.
class JsonScanner {
 public:
  enum class Step { more, whole, wrong };
  /// `whole` with the byte that ends the text, `wrong` with one that no JSON text has there; or
  /// where arrays and objects are nested deeper than 64. Nothing may follow either.
  Step push(char c);

 private:
  enum class State {
    value,        // a value must come
    first_value,  // or the end of the array
    first_name,   // or the end of the object
    name,         // a name must come
    colon,
    after_value,  // a comma, or the end
    string,
    escape,
    hex,
    literal,
    number,
  };

  Step begin_value(char c);
  Step in_string(char c);
  Step in_number(char c);
  Step outside(char c);
  Step open(char bracket);
  Step close(char bracket);

  State state_ = State::value;
  std::string open_ = {};  // brackets that wait for their ends
  bool is_name_ = false;   // of the string at work
  int hex_left_ = 0;
  std::string_view literal_ = {};  // what must follow of true, false, null
  std::string number_ = {};
};

}  // namespace cairn::inference
