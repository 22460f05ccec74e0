// SPDX-License-Identifier: Apache-2.0
// Secrets that connector services keep here, under ids of ours: sealed, and given back to who may
// read them.
#pragma once

#include <string>

#include "base/result.h"
#include "connectors/records/record_store.h"
#include "connectors/records/secret_values.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::connectors {

/// Safe from any thread; what is answered is durable. Errors of all calls: those of the store;
/// resource_not_found_exception for an id that is none; unavailable where there is no seal.
class ConnectorSecrets {
 public:
  ConnectorSecrets(store::Store& store, Seal seal, os::Random& random)
      : records_(store, "secret/"), seal_(std::move(seal)), random_(random) {}

  /// The id of a new one.
  Result<std::string> create(const std::string& value, const os::Deadline& deadline);
  /// True where there was none of this id.
  Result<bool> put(const std::string& id, const std::string& value, const os::Deadline& deadline);
  Result<std::string> get(const std::string& id, const os::Deadline& deadline) const;
  Status remove(const std::string& id, const os::Deadline& deadline);
  /// Seals all of them again. Errors: also those of the seal.
  Status reseal(const os::Deadline& deadline);

 private:
  Result<Json> sealed(const std::string& id, const std::string& value) const;

  RecordStore records_;
  const Seal seal_;
  os::Random& random_;
};

}  // namespace cairn::connectors
