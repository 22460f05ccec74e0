// SPDX-License-Identifier: Apache-2.0
// Rows of the object engine: objects, buckets, uploads, parts, journals. The first byte chooses which.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "objectstore/core/inventory.h"
#include "objectstore/journal/journal_record.h"
#include "objectstore/journal/table_key.h"
#include "objectstore/records.h"
#include "objectstore/core/access_point_records.h"
#include "objectstore/core/upload_records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::objectstore;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0: {
      cairn::s3::Object listed;
      (void)decode_summary(bytes, "key", listed);
      (void)decode_object(bytes, "key");
      break;
    }
    case 1: {
      ObjectRecord record;
      const std::size_t half = bytes.size() / 2;
      (void)decode_manifest({std::string(bytes)}, record);
      (void)decode_manifest({std::string(bytes.substr(0, half)), std::string(bytes.substr(half))},
                            record);
      break;
    }
    case 2:
      (void)decode_bucket(bytes);
      break;
    case 3:
      (void)decode_upload(upload_row(1, "key", 2), bytes);
      break;
    case 4: {
      const auto record = decode_change(bytes);
      if (record.ok())
        (void)encode_change(record->kind, record->object, record->gone, {});
      (void)decode_inventory_state(bytes);
      const TableKey key(bytes);
      (void)key.unseal(nullptr, bytes);
      break;
    }
    case 5: {
      const auto point = decode_access_point(bytes);
      // A tag may come twice, and the last one counts: what is written again has it once.
      if (point.ok() && !(decode_access_point(encode(*point)).value() == *point)) std::abort();
      break;
    }
    default:
      (void)decode_part(part_row(2, 1), bytes);
  }
  return 0;
}
