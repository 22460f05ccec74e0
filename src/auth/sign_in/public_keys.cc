// SPDX-License-Identifier: Apache-2.0
#include "auth/sign_in/public_keys.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "auth/errors.h"
#include "base/encode.h"
#include "base/held.h"
#include "format/json.h"

namespace cairn::auth {
namespace {

using HeldNumber = Held<BIGNUM, BN_free>;
using HeldPublicKey = Held<EVP_PKEY, EVP_PKEY_free>;
using HeldKeyContext = Held<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using HeldDigestContext = Held<EVP_MD_CTX, EVP_MD_CTX_free>;
using HeldBuilder = Held<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using HeldParameters = Held<OSSL_PARAM, OSSL_PARAM_free>;
using HeldSignature = Held<ECDSA_SIG, ECDSA_SIG_free>;

constexpr std::size_t keys_max = 100;
constexpr int rsa_bits_min = 2048, rsa_bits_max = 8192;
constexpr std::size_t ed25519_bytes = 32;

struct Curve {
  std::string_view name;       // of JWA
  const char* group;           // of OpenSSL
  std::size_t bytes;           // of a coordinate
  std::string_view algorithm;  // the one that signs with it
};
constexpr Curve curves[] = {{"P-256", "prime256v1", 32, "ES256"},
                            {"P-384", "secp384r1", 48, "ES384"},
                            {"P-521", "secp521r1", 66, "ES512"}};

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

HeldNumber number_of(std::string_view bytes) {
  return HeldNumber(BN_bin2bn(unsigned_bytes(bytes), static_cast<int>(bytes.size()), nullptr));
}

HeldPublicKey public_key_of(const char* kind, OSSL_PARAM_BLD* builder) {
  const HeldParameters parameters(OSSL_PARAM_BLD_to_param(builder));
  const HeldKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (parameters == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
    return nullptr;
  return HeldPublicKey(key);
}

HeldPublicKey rsa_key(std::string_view modulus, std::string_view exponent) {
  const HeldNumber n = number_of(modulus), e = number_of(exponent);
  const HeldBuilder builder(OSSL_PARAM_BLD_new());
  if (n == nullptr || e == nullptr || builder == nullptr) return nullptr;
  if (BN_num_bits(n.get()) < rsa_bits_min || BN_num_bits(n.get()) > rsa_bits_max ||
      BN_num_bits(e.get()) > 64 || BN_is_odd(e.get()) != 1)
    return nullptr;
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return nullptr;
  return public_key_of("RSA", builder.get());
}

HeldPublicKey curve_key(const Curve& curve, std::string_view x, std::string_view y) {
  if (x.size() != curve.bytes || y.size() != curve.bytes) return nullptr;
  const std::string point = "\x04" + std::string(x) + std::string(y);
  const HeldBuilder builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve.group, 0) !=
          1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1)
    return nullptr;
  return public_key_of("EC", builder.get());
}

/// OpenSSL reads signatures of curves as ASN.1; tokens have both numbers one after the other.
std::string asn1_signature(std::string_view signature, std::size_t number_bytes) {
  if (signature.size() != 2 * number_bytes) return {};
  HeldNumber r = number_of(signature.substr(0, number_bytes));
  HeldNumber s = number_of(signature.substr(number_bytes));
  const HeldSignature pair(ECDSA_SIG_new());
  if (r == nullptr || s == nullptr || pair == nullptr ||
      ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1)
    return {};
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* bytes = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &bytes);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return out;
}

const EVP_MD* digest_of(std::string_view algorithm) {
  if (algorithm.ends_with("256")) return EVP_sha256();
  if (algorithm.ends_with("384")) return EVP_sha384();
  return EVP_sha512();
}

bool has_signed(EVP_PKEY* key, const EVP_MD* digest, bool salted, std::string_view text,
                std::string_view signature) {
  const HeldDigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* settings = nullptr;  // belongs to the context
  if (context == nullptr ||
      EVP_DigestVerifyInit(context.get(), &settings, digest, nullptr, key) != 1)
    return false;
  if (salted && (EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) != 1 ||
                 EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) != 1))
    return false;
  return EVP_DigestVerify(context.get(), unsigned_bytes(signature), signature.size(),
                          unsigned_bytes(text), text.size()) == 1;
}

/// A member that is base64url.
std::string bytes_in(const Json& key, std::string_view member) {
  return from_base64url(key.string_or(member)).value_or("");
}

}  // namespace

struct PublicKeys::Key {
  std::string id = {};
  std::string algorithm = {};    // the only one that it may be used with; empty: any that fits
  const Curve* curve = nullptr;  // of EC
  bool is_rsa = false;           // neither: Ed25519
  std::shared_ptr<EVP_PKEY> key = {};

  bool fits(std::string_view wanted) const {
    static constexpr std::string_view of_rsa[] = {"RS256", "RS384", "RS512",
                                                  "PS256", "PS384", "PS512"};
    if (!algorithm.empty() && algorithm != wanted) return false;
    if (curve != nullptr) return wanted == curve->algorithm;
    if (is_rsa) return std::find(std::begin(of_rsa), std::end(of_rsa), wanted) != std::end(of_rsa);
    return wanted == "EdDSA";
  }

  bool verifies(std::string_view wanted, std::string_view text, std::string_view signature) const {
    if (curve != nullptr)
      return has_signed(key.get(), digest_of(wanted), false, text,
                        asn1_signature(signature, curve->bytes));
    if (is_rsa) return has_signed(key.get(), digest_of(wanted), wanted[0] == 'P', text, signature);
    return has_signed(key.get(), nullptr, false, text, signature);
  }

  /// Nothing for kinds that sign no tokens here.
  static Result<std::optional<Key>> read(const Json& json) {
    if (!json.is_object()) return illegal_argument("a key of the set is no object");
    const std::string use = json.string_or("use"), kind = json.string_or("kty");
    if (!use.empty() && use != "sig") return std::optional<Key>();
    Key out{.id = json.string_or("kid"), .algorithm = json.string_or("alg")};
    HeldPublicKey key;
    if (kind == "RSA") {
      out.is_rsa = true;
      key = rsa_key(bytes_in(json, "n"), bytes_in(json, "e"));
    } else if (kind == "EC") {
      const std::string name = json.string_or("crv");
      const auto curve = std::find_if(std::begin(curves), std::end(curves),
                                      [&](const Curve& one) { return one.name == name; });
      if (curve == std::end(curves)) return std::optional<Key>();
      out.curve = curve;
      key = curve_key(*curve, bytes_in(json, "x"), bytes_in(json, "y"));
    } else if (kind == "OKP" && json.string_or("crv") == "Ed25519") {
      const std::string x = bytes_in(json, "x");
      if (x.size() == ed25519_bytes)
        key.reset(
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, unsigned_bytes(x), x.size()));
    } else {
      return std::optional<Key>();
    }
    if (key == nullptr)
      return illegal_argument("the key [" + out.id + "] of kind [" + kind + "] cannot be read");
    out.key = std::shared_ptr<EVP_PKEY>(key.release(), EVP_PKEY_free);
    return std::optional<Key>(std::move(out));
  }
};

Result<PublicKeys> PublicKeys::parse(std::string_view json_web_key_set) {
  CAIRN_TRY(const Json set, parse_json(json_web_key_set));
  const Json* keys = set.is_object() ? set.find("keys") : nullptr;
  if (keys == nullptr || !keys->is_array())
    return illegal_argument("a set of keys is an object with the array [keys]");
  if (keys->as_array().size() > keys_max)
    return illegal_argument("a set may have [" + std::to_string(keys_max) + "] keys");
  auto all = std::make_shared<std::vector<Key>>();
  for (const Json& one : keys->as_array()) {
    CAIRN_TRY(auto key, Key::read(one));
    if (key) all->push_back(*std::move(key));
  }
  if (all->empty()) return illegal_argument("the set has no key that signs tokens");
  PublicKeys out;
  out.keys_ = std::move(all);
  return out;
}

bool PublicKeys::verify(std::string_view algorithm, std::string_view id, std::string_view text,
                        std::string_view signature) const {
  if (keys_ == nullptr) return false;
  return std::any_of(keys_->begin(), keys_->end(), [&](const Key& key) {
    return (id.empty() || key.id == id) && key.fits(algorithm) &&
           key.verifies(algorithm, text, signature);
  });
}

std::size_t PublicKeys::size() const { return keys_ == nullptr ? 0 : keys_->size(); }

}  // namespace cairn::auth
