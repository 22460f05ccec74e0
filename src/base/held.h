// SPDX-License-Identifier: Apache-2.0
// Values of C libraries, which have a function of their own that frees them.
#pragma once

#include <memory>

namespace cairn {

template <auto free_it>
struct FreedBy {
  template <class T>
  void operator()(T* value) const {
    free_it(value);
  }
};

/// A T that `free_it` frees on every way out: Held<BIGNUM, BN_free>.
template <class T, auto free_it>
using Held = std::unique_ptr<T, FreedBy<free_it>>;

}  // namespace cairn
