// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/asymmetric.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>

#include <utility>

#include "base/hash.h"
#include "base/held.h"

namespace cairn::s3 {
namespace {

using Number = Held<BIGNUM, BN_clear_free>;
using Curve = Held<EC_GROUP, EC_GROUP_free>;
using Point = Held<EC_POINT, EC_POINT_free>;
using Key = Held<EVP_PKEY, EVP_PKEY_free>;
using Context = Held<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using DigestContext = Held<EVP_MD_CTX, EVP_MD_CTX_free>;
using Builder = Held<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Parameters = Held<OSSL_PARAM, OSSL_PARAM_free>;

constexpr std::size_t point_bytes = 65;
constexpr int counter_max = 254;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// The first candidate that is below n - 1, plus one (NIST SP 800-108 in counter mode).
Number private_number(std::string_view access_key_id, std::string_view secret, Dialect dialect,
                      const EC_GROUP* curve) {
  const std::string key = value_name("AWS4A", dialect) + std::string(secret);
  const std::string label = value_name("AWS4-ECDSA-P256-SHA256", dialect);
  Number limit(BN_dup(EC_GROUP_get0_order(curve)));
  if (limit == nullptr || BN_sub_word(limit.get(), 2) != 1) return nullptr;
  for (int counter = 1; counter <= counter_max; ++counter) {
    std::string input("\0\0\0\1", 4);
    input += label;
    input += '\0';
    input += access_key_id;
    input += static_cast<char>(counter);
    input.append("\0\0\1\0", 4);
    const std::string candidate = hmac_sha256(key, input);
    Number number(BN_bin2bn(bytes_of(candidate), static_cast<int>(candidate.size()), nullptr));
    if (number == nullptr || BN_cmp(number.get(), limit.get()) > 0) continue;
    if (BN_add_word(number.get(), 1) != 1) return nullptr;
    return number;
  }
  return nullptr;
}

std::string public_point(const EC_GROUP* curve, const BIGNUM* number) {
  const Point point(EC_POINT_new(curve));
  if (point == nullptr || EC_POINT_mul(curve, point.get(), number, nullptr, nullptr, nullptr) != 1)
    return {};
  std::string out(point_bytes, '\0');
  const std::size_t written =
      EC_POINT_point2oct(curve, point.get(), POINT_CONVERSION_UNCOMPRESSED,
                         reinterpret_cast<unsigned char*>(out.data()), out.size(), nullptr);
  return written == point_bytes ? out : std::string();
}

Key make_key(const BIGNUM* number, const std::string& point) {
  const Builder builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) !=
          1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, number) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1)
    return nullptr;
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  if (parameters == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, parameters.get()) != 1)
    return nullptr;
  return Key(key);
}

}  // namespace

struct AsymmetricKey::Pair {
  Key key;
  std::string point;
};

Result<AsymmetricKey> AsymmetricKey::derive(std::string_view access_key_id, std::string_view secret,
                                            Dialect dialect) {
  const Error fault{.kind = ErrorKind::internal,
                    .message = "no pair of keys could be derived for SigV4A"};
  const Curve curve(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  if (curve == nullptr) return fault;
  const Number number = private_number(access_key_id, secret, dialect, curve.get());
  if (number == nullptr) return fault;
  auto pair = std::make_shared<Pair>();
  pair->point = public_point(curve.get(), number.get());
  pair->key = make_key(number.get(), pair->point);
  if (pair->key == nullptr) return fault;
  return AsymmetricKey(std::move(pair));
}

bool AsymmetricKey::verifies(std::string_view text, std::string_view signature) const {
  const DigestContext context(EVP_MD_CTX_new());
  return context != nullptr &&
         EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, pair_->key.get()) ==
             1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                          text.size()) == 1;
}

std::string AsymmetricKey::sign(std::string_view text) const {
  const DigestContext context(EVP_MD_CTX_new());
  std::size_t size = 0;
  if (context == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, pair_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes_of(text), text.size()) != 1)
    return {};
  std::string out(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                     bytes_of(text), text.size()) != 1)
    return {};
  out.resize(size);
  return out;
}

const std::string& AsymmetricKey::public_key() const { return pair_->point; }

}  // namespace cairn::s3
