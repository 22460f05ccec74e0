// SPDX-License-Identifier: Apache-2.0
// Values of templates. What can hold others lies on a heap that ends with the rendering.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inference/templates/text_value.h"

namespace cairn::inference::templates {

struct List;
class Dict;
struct Loop;
struct Macro;
struct Method;

using TextPtr = std::shared_ptr<const Text>;

/// A small value: copy it. Strings are shared and never change; lists, dicts and the rest are
/// pointers into the Heap.
struct Value {
  enum class Kind : std::uint8_t {
    undefined,
    none,
    boolean,
    integer,
    number,
    string,
    list,
    tuple,
    dict,
    name_space,
    loop,
    macro,
    method,
    function
  };
  Kind kind = Kind::undefined;
  union {
    bool boolean;
    std::int64_t integer;
    double number;
    List* list;
    Dict* dict;
    Loop* loop;
    const Macro* macro;
    const Method* method;
  };
  TextPtr text = {};  // of a string; of what is undefined and of a function, its name

  Value() : integer(0) {}
  bool is(Kind wanted) const { return kind == wanted; }
  bool is_text() const { return kind == Kind::string; }
  bool is_sequence() const { return kind == Kind::list || kind == Kind::tuple; }
  bool is_integral() const { return kind == Kind::integer || kind == Kind::boolean; }
  bool is_numeric() const { return is_integral() || kind == Kind::number; }
  std::int64_t as_integer() const { return kind == Kind::boolean ? boolean : integer; }
  double as_double() const {
    return kind == Kind::number ? number : static_cast<double>(as_integer());
  }
  std::string_view bytes() const { return text == nullptr ? std::string_view() : text->bytes(); }
};

Value none_value();
Value boolean_value(bool v);
Value integer_value(std::int64_t v);
Value number_value(double v);
Value text_value(Text text);
Value text_value(std::string_view bytes, Origin origin);
Value undefined_value(TextPtr name);

struct List {
  std::vector<Value> items;
  bool may_grow = false;  // the template made it
};

/// Keeps the order in which keys came. Numbers that are equal are one key.
class Dict {
 public:
  using Item = std::pair<Value, Value>;
  const std::vector<Item>& items() const { return items_; }
  /// Takes time in proportion to the key.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  void set(Value key, Value value);

 private:
  std::optional<std::size_t> place_of(const Value& key) const;
  void note(std::size_t place);
  std::vector<Item> items_;
  // Once there are many. Ordered, as a client chooses the keys: no choice makes a search slow.
  std::map<std::string_view, std::size_t> texts_;  // views of the items' own
  std::map<std::string, std::size_t> others_;
};

/// Whether a value may be a key: a string, a number, true, false, none.
bool is_key(const Value& value);

/// What `loop` is within a for.
struct Loop {
  std::vector<Value> items;  // empty once the loop is over
  std::size_t index = 0;
};

/// A method together with its object.
struct Method {
  Value object;
  std::string name;
};

/// The names that one block has set, and the block around it.
struct Scope {
  Scope* parent = nullptr;
  std::vector<std::pair<std::string_view, Value>> names;  // views of the parsed template
  bool is_kept = false;                                   // a macro sees it
};

struct Statement;

struct Macro {
  const Statement* statement = nullptr;
  Scope* scope = nullptr;
  Value caller = {};
};

/// Owns what values point to.
class Heap {
 public:
  Heap() = default;
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Value list(std::vector<Value> items, bool may_grow = true);
  Value tuple(std::vector<Value> items);
  Value dict(Value::Kind kind = Value::Kind::dict);
  Value macro(Macro macro);
  Value method(Value object, std::string_view name);
  Value loop(Loop** out);
  Scope* scope(Scope* parent);
  /// Gives a scope back, unless a macro keeps it.
  void end(Scope* scope);

 private:
  std::deque<List> lists_;
  std::deque<Dict> dicts_;
  std::deque<Macro> macros_;
  std::deque<Method> methods_;
  std::deque<Loop> loops_;
  std::deque<Scope> scopes_;
  std::vector<Scope*> free_scopes_;
};

}  // namespace cairn::inference::templates
