// SPDX-License-Identifier: Apache-2.0
#include "lfs/service.h"

#include "os/threads/blocking.h"

namespace cairn::lfs {
namespace {

/// What a client sends with the calls that a batch has announced.
constexpr std::string_view batch_header = "X-Cairn-Batch";

Json shown(const NamedObject& object) {
  return Json::object({{"oid", object.oid}, {"size", object.size_bytes}});
}

Json refused(const NamedObject& object, int code, std::string message) {
  Json out = shown(object);
  out.set("error", Json::object({{"code", code}, {"message", std::move(message)}}));
  return out;
}

/// Nothing where the bucket is not there either.
Result<std::optional<store::ObjectInfo>> find(store::Store* store, const std::string& key,
                                              const os::Deadline& deadline) {
  if (store == nullptr) return std::optional<store::ObjectInfo>();
  auto found = store->head(key, deadline);
  if (!found.ok() && found.error().kind == ErrorKind::not_found)
    return std::optional<store::ObjectInfo>();
  return found;
}

Result<std::shared_ptr<store::Store>> open(const OpenBucket& open_bucket, bool make,
                                           const os::Deadline& deadline) {
  auto opened = open_bucket(make, deadline);
  if (!opened.ok() && opened.error().kind == ErrorKind::not_found && !make)
    return std::shared_ptr<store::Store>();
  return opened;
}

}  // namespace

/// Where the objects of one request are, and where its client finds them.
struct Service::Places {
  Repository repository;
  store::Store* store;  // null: there is no bucket yet
  std::string objects_url;
  std::string verify_url;
  os::Deadline deadline;
  std::string ticket;     // for the calls to verify
  std::size_t& verifies;  // how many are announced
};

Service::Service(ServiceParams params)
    : params_(std::move(params)),
      links_(params_.key, params_.region, params_.clock),
      announcements_(params_.clock, params_.random) {}

bool Service::takes_announced(const net::RequestHead& head) const {
  const auto ticket = head.headers.find(batch_header);
  return ticket && announcements_.take(*ticket);
}

Result<Answer> Service::batch(const Request& request) const {
  const os::Blocking blocking;
  CAIRN_TRY(auto repository, Repository::parse(request.owner, request.repository));
  CAIRN_TRY(const Batch batch, read_batch(request.body, params_.options.batch_objects_max));
  const bool upload = batch.operation == Operation::upload;
  const bool is_public = !upload && repository.is_one_of(params_.options.public_repositories);
  if (!is_public) CAIRN_CHECK(repository.admit(request.caller, upload ? "write" : "read"));
  CAIRN_TRY(const auto store, open(params_.open_bucket, upload, request.deadline));
  std::size_t verifies = 0;
  const Places places{
      .repository = std::move(repository),
      .store = store.get(),
      .objects_url = objects_url(request.head, params_.options, params_.objects_url()),
      .verify_url = verify_url(request.head, params_.options),
      .deadline = request.deadline,
      .ticket = announcements_.ticket(),
      .verifies = verifies};
  Json objects = Json::array();
  std::vector<std::string> faults;
  for (const auto& object : batch.objects) {
    if (batch.hash_algo != "sha256") {
      objects.push(refused(
          object, 409, "objects are named by their sha256 here, and not by " + batch.hash_algo));
    } else if (const auto checked = check(object); !checked.ok()) {
      faults.push_back(checked.error().message);
      objects.push(refused(object, 422, faults.back()));
    } else {
      CAIRN_TRY(auto one, answer(object, batch.operation, places));
      objects.push(std::move(one));
    }
  }
  // 422 of a whole batch says that not one object of it is valid.
  if (!faults.empty() && faults.size() == batch.objects.size())
    return unprocessable(faults.front());
  announcements_.add(places.ticket, verifies, params_.options.url_lifetime_ms);
  return Answer{
      200, Json::object(
               {{"transfer", "basic"}, {"objects", std::move(objects)}, {"hash_algo", "sha256"}})};
}

Status Service::check(const NamedObject& object) const {
  if (!is_oid(object.oid))
    return unprocessable("oid [" + object.oid.substr(0, 80) +
                         "] must be 64 lower-case hexadecimal digits: a SHA-256");
  if (object.size_bytes > params_.options.object_bytes_max)
    return unprocessable("an object of " + std::to_string(object.size_bytes) +
                         " bytes is larger than the " +
                         std::to_string(params_.options.object_bytes_max) + " that are taken");
  return ok_status();
}

Json Service::action(std::string href) const {
  return Json::object(
      {{"href", std::move(href)}, {"expires_in", params_.options.url_lifetime_ms / 1000}});
}

Result<Json> Service::answer(const NamedObject& object, Operation operation,
                             const Places& places) const {
  const std::string key = places.repository.key(object.oid);
  CAIRN_TRY(const auto there, find(places.store, key, places.deadline));
  const std::int64_t lifetime_s = params_.options.url_lifetime_ms / 1000;
  Json out = shown(object);
  const bool same = there && there->size_bytes == object.size_bytes;
  if (operation == Operation::download) {
    if (!there)
      return refused(
          object, 404,
          "object [" + object.oid + "] is not in repository [" + places.repository.path() + "]");
    if (!same)
      return refused(object, 422,
                     "object [" + object.oid + "] has " + std::to_string(there->size_bytes) +
                         " bytes, and not " + std::to_string(object.size_bytes));
    Json download = action(links_.download(places.objects_url, key, lifetime_s));
    out.set("authenticated", true);
    out.set("actions", Json::object({{"download", std::move(download)}}));
    return out;
  }
  if (same) return out;  // without actions: the client need not send it
  // Not `authenticated`: that would make clients verify without their credentials.
  Json upload = action(links_.upload(places.objects_url, key, object.oid, lifetime_s));
  upload.set("header", Json::object({{"x-amz-content-sha256", object.oid}}));
  Json actions = Json::object({{"upload", std::move(upload)}});
  if (!places.verify_url.empty()) {
    Json verify = action(places.verify_url);
    verify.set("header", Json::object({{std::string(batch_header), places.ticket}}));
    actions.set("verify", std::move(verify));
    ++places.verifies;
  }
  out.set("actions", std::move(actions));
  return out;
}

Result<Answer> Service::verify(const Request& request) const {
  const os::Blocking blocking;
  CAIRN_TRY(const auto repository, Repository::parse(request.owner, request.repository));
  CAIRN_CHECK(repository.admit(request.caller, "write"));
  CAIRN_TRY(const NamedObject object, read_verify(request.body));
  CAIRN_CHECK(check(object));
  CAIRN_TRY(const auto store, open(params_.open_bucket, false, request.deadline));
  CAIRN_TRY(const auto there, find(store.get(), repository.key(object.oid), request.deadline));
  if (!there)
    return Error{
        .kind = ErrorKind::not_found,
        .message = "object [" + object.oid + "] is not in repository [" + repository.path() + "]"};
  if (there->size_bytes != object.size_bytes)
    return unprocessable("object [" + object.oid + "] has " + std::to_string(there->size_bytes) +
                         " bytes, and not " + std::to_string(object.size_bytes));
  return Answer{200, shown(object)};
}

}  // namespace cairn::lfs
