// SPDX-License-Identifier: Apache-2.0
// From the entries of models.sources to places that can be asked.
#include "app/settings/model_sources.h"

#include <utility>

#include "app/settings/bucket_places.h"
#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::uint64_t model_file_max = std::uint64_t{256} << 30U;

Error bad_source(const std::string& text, const std::string& why) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "models.sources: [" + text + "] " + why +
                          "; an entry is a folder (/srv/models), an address "
                          "(https://host/path), or a bucket (s3://bucket/prefix, "
                          "s3://CLIENT@bucket/prefix with a client of s3.client)"};
}

Result<std::unique_ptr<inference::FileSource>> source_of(const std::string& text,
                                                         const ModelPlaces& places,
                                                         objectstore::Engine* engine) {
  if (text.starts_with("/")) return inference::folder_source(os::system_files(), text);
  if (text.starts_with("http://") || text.starts_with("https://")) {
    auto source = inference::http_source(text);
    if (!source.ok()) return bad_source(text, "cannot be used: " + source.error().message);
    return source;
  }
  if (!text.starts_with(bucket_scheme)) return bad_source(text, "is not understood");
  auto place = parse_bucket_place(text, places.clients);
  if (!place.ok()) return bad_source(text, place.error().message);
  inference::OpenStore open = [place = *place, engine,
                               access = BucketAccess{.clients = places.clients,
                                                     .keys_folder = places.keys_folder,
                                                     .object_bytes_max = model_file_max,
                                                     .setting = "models.sources"}](
                                  const os::Deadline&) -> Result<std::shared_ptr<store::Store>> {
    CAIRN_TRY(std::shared_ptr<store::Store> opened, open_bucket_place(place, access, *engine));
    return opened;
  };
  return inference::store_source(text, std::move(open));
}

}  // namespace

Status check_model_sources(const std::vector<std::string>& sources, const S3Clients& clients) {
  const ModelPlaces places{.sources = sources, .clients = clients};
  for (const std::string& text : sources) CAIRN_CHECK(source_of(text, places, nullptr));
  return ok_status();
}

Result<std::vector<std::unique_ptr<inference::FileSource>>> model_sources(
    const ModelPlaces& places, objectstore::Engine& engine) {
  std::vector<std::unique_ptr<inference::FileSource>> out;
  for (const std::string& text : places.sources) {
    CAIRN_TRY(auto source, source_of(text, places, &engine));
    out.push_back(std::move(source));
  }
  return out;
}

}  // namespace cairn::app
