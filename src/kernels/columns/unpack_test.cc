// SPDX-License-Identifier: Apache-2.0
// Every version of the decoding against the numbers that were packed.
#include "kernels/columns/unpack.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>

namespace cairn::kernels {
namespace {

// Bit by bit: slow and obvious. 8 bytes more, as the decoding asks for.
std::string packed(const std::vector<std::uint64_t>& numbers, unsigned bits) {
  std::string out((numbers.size() * bits + 7) / 8 + 8, '\xa5');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (unsigned b = 0; b < bits; ++b) {
      const std::size_t at = i * bits + b;
      const auto one = static_cast<char>(1 << at % 8);
      const bool set = (numbers[i] >> b & 1) != 0;
      out[at / 8] = static_cast<char>(set ? out[at / 8] | one : out[at / 8] & ~one);
    }
  }
  return out;
}

TEST_CASE("unpacking: every version, width and count gives what was packed") {
  std::mt19937_64 random(20240612);
  const std::int64_t bases[] = {0, -17, std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};
  for (unsigned bits = 1; bits <= 64; ++bits) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    for (const std::size_t count : {0, 1, 7, 8, 9, 63, 64, 65, 4095, 4096}) {
      std::vector<std::uint64_t> numbers(count);
      for (auto& number : numbers) number = random() % 5 == 0 ? mask : random() & mask;
      const std::string in = packed(numbers, bits);
      const std::int64_t base = bases[random() % 4];
      for (const UnpackKernels* version : usable_unpack_kernels()) {
        CAPTURE(version->name);
        CAPTURE(bits);
        CAPTURE(count);
        std::vector<std::int64_t> out(count + 1, 42);
        version->unpack(in.data(), count, bits, base, out.data());
        bool same = out[count] == 42;  // nothing behind the end
        for (std::size_t i = 0; i < count; ++i)
          same = same && static_cast<std::uint64_t>(out[i]) ==
                             static_cast<std::uint64_t>(base) + numbers[i];
        REQUIRE(same);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::kernels
