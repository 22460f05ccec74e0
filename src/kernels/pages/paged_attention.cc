// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of attention over pages; writing pages.
#include "kernels/pages/paged_attention.h"

#include <type_traits>

#include "kernels/pages/paged_attention_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const PageKernels*>& usable_page_kernels() {
  static const std::vector<const PageKernels*> usable = [] {
    std::vector<const PageKernels*> out{&scalar_page_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_page_kernels());
    if (os::cpu_features().avx512) out.push_back(&avx512_page_kernels());
    return out;
  }();
  return usable;
}

const PageKernels& page_kernels() {
  static const PageKernels& widest = *usable_page_kernels().back();
  return widest;
}

template <class Number>
void put_in_page(const float* key, const float* value, std::size_t head_size, std::size_t token,
                 Number* page) {
  Number* const keys = page + token;
  Number* const values = page + page_keys(head_size) + token * page_stride(head_size);
  for (std::size_t i = 0; i < head_size; ++i) {
    if constexpr (std::is_same_v<Number, float>) {
      keys[i * page_tokens] = key[i];
      values[i] = value[i];
    } else {
      keys[i * page_tokens] = to_bf16(key[i]);
      values[i] = to_bf16(value[i]);
    }
  }
}

template void put_in_page(const float*, const float*, std::size_t, std::size_t, float*);
template void put_in_page(const float*, const float*, std::size_t, std::size_t, Bf16*);

}  // namespace cairn::kernels
