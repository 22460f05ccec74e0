// SPDX-License-Identifier: Apache-2.0
// Reading a request for aggregations, and running all of them side by side.
#include "index/aggregations/aggregations.h"

#include <algorithm>

#include "base/strings.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/data_too_large.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/live_settings.h"

namespace cairn::index {
namespace {

class All final : public Aggregations {
 public:
  All(std::unique_ptr<BucketCount> buckets, AggregationList list)
      : buckets_(std::move(buckets)), list_(std::move(list)), states_(make_states(list_)) {}

  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    buckets_->chunks.forget();
    for (const auto& aggregation : list_)
      CAIRN_CHECK(aggregation->begin_measured(context, segment));
    return ok_status();
  }
  Status add(Docs docs) override {
    if (docs.empty()) return ok_status();
    for (const auto& state : states_) {
      CAIRN_CHECK(buckets_->take(steps_of(docs.size())));
      CAIRN_CHECK(state->add(docs));
    }
    return ok_status();
  }
  Status absorb(Aggregations& others) override {
    return absorb_states(states_, static_cast<All&>(others).states_);
  }
  std::uint64_t terms_to_number() const override { return buckets_->terms_to_number; }
  void finish_under(os::Steps& steps) override { buckets_->steps = &steps; }
  Result<Json> finish() override { return render(list_, states_); }
  std::vector<AggregationProfile> profiles() const override {
    std::vector<AggregationProfile> out;
    for (const auto& aggregation : list_) out.push_back(aggregation->profile());
    return out;
  }

 private:
  std::unique_ptr<BucketCount> buckets_;
  AggregationList list_;
  StateList states_;
};

bool is_nested(std::string_view type) { return type == "nested" || type == "reverse_nested"; }

Result<std::unique_ptr<Aggregation>> make_of_type(const AggregationRequest& own,
                                                  AggregationList subs,
                                                  const AggregationScope& scope) {
  const std::string& type = own.type;
  if (auto metric = make_metric(own); !metric || *metric != nullptr) {
    if (metric && !subs.empty())
      return malformed("Aggregator [" + own.name + "] of type [" + type +
                       "] cannot accept sub-aggregations");
    return metric;
  }
  if (type == "terms") return make_terms(own, std::move(subs));
  if (type == "range" || type == "date_range") return make_range(own, std::move(subs));
  if (type == "histogram" || type == "date_histogram") return make_histogram(own, std::move(subs));
  if (type == "missing") return make_missing(own, std::move(subs));
  if (type == "filter" || type == "filters") return make_filters(own, std::move(subs));
  if (is_nested(type)) return make_nested(own, std::move(subs), scope);
  return malformed("Unknown aggregation type [" + type + "]");
}

/// What a field that is not mapped counts as where a value stands in for it.
const Field* field_of_missing(const AggregationRequest& request, const Json& missing) {
  static const Field dates{.name = "missing", .type = FieldType::date};
  static const Field words{.name = "missing", .type = FieldType::keyword};
  static const Field whole{.name = "missing", .type = FieldType::long_};
  static const Field numbers{.name = "missing", .type = FieldType::double_};
  if (request.type.starts_with("date_")) return &dates;
  if (missing.is_string()) return &words;
  return missing.is_integer() ? &whole : &numbers;
}

/// Names what a fault of the request is in.
Error placed_at(const std::string& name, Error error) {
  for (auto& [detail, at] : error.details)
    if (detail == "_at" && at != "*") at.insert(0, name + (at.empty() ? "" : "."));
  return error;
}

/// The type that answers are named with: that of terms is told by their field.
std::string wire_type(const AggregationRequest& own) {
  if (own.type != "terms") return own.type;
  const Field* field = own.context.view.mapping->find(own.parameters.string_or("field"));
  const Json* missing = own.parameters.find("missing");
  if (field == nullptr && missing != nullptr) field = field_of_missing(own, *missing);
  if (field == nullptr) return "umterms";
  if (field->type == FieldType::keyword) return "sterms";
  return is_number(field->type) && !is_whole_number(field->type) ? "dterms" : "lterms";
}

Result<std::unique_ptr<Aggregation>> make_one(const QueryContext& context, const std::string& name,
                                              const Json& request, BucketCount& buckets,
                                              const QueryReader& read_query) {
  if (!request.is_object()) return malformed("Expected [START_OBJECT] under [" + name + "]");
  std::string type, below_name;
  const Json* parameters = nullptr;
  const Json* below = nullptr;
  Json meta;
  for (const auto& [key, value] : request.as_object()) {
    if (key == "aggs" || key == "aggregations") {
      below = &value;
      below_name = key;
    } else if (key == "meta") {
      if (!value.is_object()) return malformed("[meta] of [" + name + "] must be an object");
      meta = value;
    } else {
      if (parameters != nullptr)
        return malformed("Found two aggregation type definitions in [" + name + "]: [" + type +
                         "] and [" + key + "]");
      type = key;
      parameters = &value;
    }
  }
  if (parameters == nullptr) return malformed("Missing definition for aggregation [" + name + "]");
  if (!parameters->is_object() && type != "filter")
    return malformed("Expected [START_OBJECT] under [" + type + "]");
  AggregationScope scope;
  if (is_nested(type)) {
    auto found = scope_of(context, name, type, *parameters, buckets);
    if (!found) return placed_at(type, std::move(found).error());
    scope = std::move(*found);
  }
  AggregationList subs;
  if (below != nullptr) {
    const QueryContext& within = scope.context == nullptr ? context : *scope.context;
    const bool lost = is_nested(type) && scope.objects == nullptr;
    buckets.lost_paths += lost ? 1 : 0;
    auto list = make_aggregation_list(within, *below, buckets, read_query);
    buckets.lost_paths -= lost ? 1 : 0;
    if (!list) return placed_at(below_name, std::move(list).error());
    subs = std::move(*list);
  }
  const AggregationRequest own{.context = context,
                               .name = name,
                               .type = type,
                               .parameters = *parameters,
                               .buckets = buckets,
                               .read_query = read_query};
  StepTime initialize;
  StepWatch watch(buckets.clock == nullptr ? nullptr : &initialize, buckets.clock);
  auto made = make_of_type(own, std::move(subs), scope);
  watch.end();
  if (!made) return placed_at(type, std::move(made).error());
  if (buckets.clock != nullptr)
    (*made)->measure(*buckets.clock, measured_type(own.type, wire_type(own)), initialize);
  (*made)->set_shown(buckets.typed_keys ? wire_type(own) + "#" + name : name, std::move(meta));
  return made;
}

}  // namespace

Result<AggregationList> make_aggregation_list(const QueryContext& context, const Json& request,
                                              BucketCount& buckets, const QueryReader& read_query) {
  if (!request.is_object()) return malformed("[aggs] must be an object");
  AggregationList out;
  for (const auto& [name, value] : request.as_object()) {
    if (name.find_first_of("[]>") != std::string::npos || name.empty())
      return malformed("Invalid aggregation name [" + name +
                       "]. Aggregation names can contain any character except '[', ']', and '>'");
    CAIRN_CHECK(context.steps.take(32));
    auto made = make_one(context, name, value, buckets, read_query);
    if (!made) return placed_at(name, std::move(made).error());
    out.push_back(std::move(*made));
  }
  return out;
}

StateList make_states(const AggregationList& list) {
  StateList out;
  for (const auto& aggregation : list) out.push_back(aggregation->state_measured());
  return out;
}

Status absorb_states(const StateList& into, const StateList& from) {
  for (std::size_t i = 0; i < into.size(); ++i) CAIRN_CHECK(into[i]->absorb(*from[i]));
  return ok_status();
}

Status absorb_buckets(std::vector<Bucket>& into, const std::vector<Bucket>& from) {
  for (std::size_t i = 0; i < into.size(); ++i) CAIRN_CHECK(into[i].absorb(from[i]));
  return ok_status();
}

Result<Json> render(const AggregationList& list, const StateList& states) {
  Json out = Json::object();
  for (std::size_t i = 0; i < list.size(); ++i) {
    CAIRN_TRY(auto shown, states[i]->finish());
    list[i]->put(out, std::move(shown));
  }
  return out;
}

void Aggregation::put(Json& out, Json answer) const {
  // Two aggregations side by side never have one name: looking for it would cost as much as there
  // are.
  if (meta_.is_null()) {
    out.as_object().emplace_back(shown_name_, std::move(answer));
    return;
  }
  Json with_meta = Json::object({{"meta", meta_}});
  for (auto& [name, value] : answer.as_object()) with_meta.set(name, value);
  out.as_object().emplace_back(shown_name_, std::move(with_meta));
}

std::size_t Aggregation::buckets_below() const {
  constexpr std::size_t more_than_any = std::size_t{1} << 40;  // twice this is still a number
  std::size_t sum = 0;
  for (const auto& sub : subs_) sum = std::min(sum + sub->fixed_buckets(), more_than_any);
  return sum;
}

void Aggregation::mark_answered() {
  answered_ = true;
  if (!answers_all()) return;
  for (const auto& sub : subs_) sub->mark_answered();
}

std::size_t Aggregation::bytes_below() const {
  constexpr std::size_t more_than_any = std::size_t{1} << 40;
  constexpr std::size_t of_state = 256, of_bucket = 48;
  std::size_t sum = 0;
  for (const auto& sub : subs_) {
    const std::size_t each = std::min(of_bucket + sub->bytes_below(), more_than_any);
    const std::size_t buckets = std::min<std::size_t>(sub->own_buckets(), 1u << 20);
    sum = std::min(sum + of_state + buckets * each, more_than_any);
  }
  return sum;
}

Status BucketCount::hold(std::size_t bytes) {
  held_bytes += bytes;
  if (held_bytes <= held_bytes_max) return take(16);
  return data_too_large("the buckets of the aggregations", held_bytes, held_bytes_max,
                        "narrow the query, or count fewer distinct values");
}

Status Aggregation::begin_subs(const QueryContext& context, std::size_t segment) {
  for (const auto& sub : subs_) CAIRN_CHECK(sub->begin_measured(context, segment));
  return ok_status();
}

Status check_parameters(const AggregationRequest& request,
                        std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.parameters.as_object())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return of_request(content_error("[" + request.type + "] unknown field [" + name + "]"));
  return ok_status();
}

Error malformed(std::string message) { return of_request(parsing_error(std::move(message))); }

Error unfit_parameter(const AggregationRequest& request, std::string_view name, Error cause) {
  Error error = content_error("[" + request.type + "] failed to parse field [" + std::string(name) +
                              "]: " + cause.message);
  error.cause = std::make_shared<const Error>(std::move(cause));
  return of_request(std::move(error));
}

Result<FieldSource> FieldSource::open(const AggregationRequest& request) {
  const Json* name = request.parameters.find("field");
  if (name == nullptr || !name->is_string())
    return of_request(
        illegal_argument("Required one of fields [field], but none were specified for "
                         "aggregation [" +
                         request.name + "]"));
  FieldSource out;
  out.name_ = name->as_string();
  out.held_ = &request.buckets;
  const Field* field = request.context.view.mapping->find(out.name_);
  if (const Json* missing = request.parameters.find("missing")) out.missing_ = *missing;
  if (field == nullptr && out.missing_.is_null()) return out;
  if (field == nullptr) field = field_of_missing(request, out.missing_);
  if (field->type == FieldType::text)
    return illegal_argument(
        "Fielddata is disabled on [" + out.name_ +
        "]. Text fields are not optimised for operations that require per-document field data "
        "like aggregations and sorting, so these operations are disabled by default. Please use "
        "a keyword field instead.");
  const bool counts = field->type == FieldType::keyword || is_number(field->type) ||
                      field->type == FieldType::date || field->type == FieldType::boolean;
  if (!counts || !field->doc_values)
    return illegal_argument("Field [" + out.name_ + "] of type [" +
                            std::string(name_of(field->declared_type())) +
                            "] is not supported for aggregation [" + request.type + "]");
  out.field_ = field;
  if (!out.missing_.is_null() && field->type != FieldType::keyword) {
    CAIRN_TRY(out.missing_number_, column_value(*field, out.missing_));
  }
  return out;
}

Status FieldSource::begin_segment(const QueryContext& context, std::size_t segment) {
  column_ = nullptr;
  asked_chunk_ = SIZE_MAX;
  if (field_ == nullptr) return ok_status();
  const Segment& s = context.view.segments[segment].of(name_);
  CAIRN_TRY(column_, s.column(name_, context.deadline));
  return ok_status();
}

std::optional<std::size_t> FieldSource::count(Docs docs) const {
  if (!is_single()) return std::nullopt;
  if (fills_in() || (column_ != nullptr && column_->reader.has_all())) return docs.size();
  if (column_ == nullptr) return std::size_t{0};
  std::size_t sum = 0;
  for (const std::uint32_t doc : docs) sum += column_->reader.has(doc) ? 1 : 0;
  return sum;
}

Docs FieldSource::without(Docs docs, Frame& frame) const {
  if (column_ == nullptr) return docs;
  if (column_->reader.has_all()) return {};
  frame.docs.clear();
  for (const std::uint32_t doc : docs)
    if (!column_->reader.has(doc)) frame.docs.push_back(doc);
  return frame.docs;
}

const std::int64_t* FieldSource::decoded(Docs docs) const {
  // Decoding a chunk takes as long as some hundred values one by one.
  constexpr std::size_t worth_decoding = 512;
  const std::size_t chunk = docs.front() / column_chunk;
  if (asked_chunk_ != chunk) {
    asked_chunk_ = chunk;
    asked_ = 0;
  }
  asked_ += docs.size();
  if (asked_ >= worth_decoding) return held_->chunks.get(column_->reader, chunk, hint_);
  return held_->chunks.find(column_->reader, chunk, hint_);
}

ValueBatch FieldSource::single_batch(Docs docs, Frame& frame) const {
  if (docs.empty() || (column_ == nullptr && !fills_in())) return {};
  if (column_ == nullptr || column_->reader.documents_with_values() == 0) {
    if (!fills_in()) return {};
    frame.values.assign(docs.size(), missing_number_);
    return {.docs = docs, .values = frame.values.data()};
  }
  const ColumnReader& column = column_->reader;
  if (!column.has_all() && !fills_in()) {
    frame.docs.clear();
    for (const std::uint32_t doc : docs)
      if (column.has(doc)) frame.docs.push_back(doc);
    docs = frame.docs;
    if (docs.empty()) return {};
  }
  const std::int64_t* const values = decoded(docs);
  const bool fill = !column.has_all() && fills_in();
  const bool dense = docs.back() - docs.front() + 1 == docs.size();
  if (values != nullptr && dense && !fill)
    return {.docs = docs, .values = values + docs.front() % column_chunk};
  frame.values.resize(docs.size());
  for (std::size_t i = 0; i < docs.size(); ++i) {
    if (fill && !column.has(docs[i]))
      frame.values[i] = missing_number_;
    else
      frame.values[i] = values != nullptr ? values[docs[i] % column_chunk] : column.value(docs[i]);
  }
  return {.docs = docs, .values = frame.values.data()};
}

ValueBatch FieldSource::next_batch(Docs docs, std::size_t& at, Frame& frame) const {
  const ColumnReader& column = column_->reader;
  frame.docs.clear();
  frame.values.clear();
  for (; at < docs.size() && frame.docs.size() < column_chunk; ++at) {
    const auto [first, last] = column.range(docs[at]);
    for (std::uint32_t i = first; i < last; ++i) {
      frame.docs.push_back(docs[at]);
      frame.values.push_back(column.value(i));
    }
    if (first != last || !fills_in()) continue;
    frame.docs.push_back(docs[at]);
    frame.values.push_back(missing_number_);
  }
  return {.docs = frame.docs, .values = frame.values.data(), .single = false};
}

bool FieldSource::is_floating() const {
  return field_ != nullptr && is_number(field_->type) && !is_whole_number(field_->type);
}

double FieldSource::number(std::int64_t value) const {
  return is_floating() ? key_double(value) : static_cast<double>(value);
}

Result<std::unique_ptr<GlobalOrdinals>> FieldSource::open_ordinals(
    const AggregationRequest& request) const {
  if (!is_terms()) return std::unique_ptr<GlobalOrdinals>();
  std::optional<std::string> missing;
  if (!missing_.is_null()) missing = missing_.is_string() ? missing_.as_string() : missing_.dump();
  return GlobalOrdinals::open(request.context, name_, std::move(missing), request.buckets);
}

Result<std::optional<double>> AggregationState::number(std::string_view name) {
  CAIRN_TRY(const Json answer, finish());
  const Json* value = answer.find(name);
  // Of one bucket, where nothing says which number.
  if (value == nullptr && (name == "value" || name == "_count")) value = answer.find("doc_count");
  if (value == nullptr || !value->is_number()) return std::optional<double>();
  return std::optional(value->as_double());
}

Status check_buckets(const BucketCount& buckets, std::size_t count) {
  if (count <= buckets.most) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "too_many_buckets_exception",
               .message = "Trying to create too many buckets. Must be less than or equal to: [" +
                          std::to_string(buckets.most) + "] but was [" + std::to_string(count) +
                          "]. This limit can be set by changing "
                          "the [search.max_buckets] cluster level setting."};
}

Status count_buckets(BucketCount& buckets, std::size_t count) {
  // Buckets of buckets of buckets: the number may be beyond counting.
  buckets.made = count > SIZE_MAX - buckets.made ? SIZE_MAX : buckets.made + count;
  CAIRN_CHECK(check_buckets(buckets, buckets.made));
  return buckets.take(count);
}

Status render_subs(Json& out, const AggregationList& list, const StateList& states) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    CAIRN_TRY(auto shown, states[i]->finish());
    list[i]->put(out, std::move(shown));
  }
  return ok_status();
}

Result<KeyText> KeyText::open(const AggregationRequest& request, const FieldSource& source) {
  KeyText out;
  std::string format = request.parameters.string_or("format");
  if (format.empty() && source.is_date()) format = source.field()->format;
  if (source.is_date() || request.type.starts_with("date_")) {
    if (format.empty()) format = default_date_format;
    CAIRN_TRY(out.dates, DateFormat::parse(format));
    const std::string zone = request.parameters.string_or("time_zone");
    if (!zone.empty()) {
      CAIRN_TRY(out.zone, read_zone(zone));
    }
  } else if (!format.empty()) {
    const Field* field = source.field();
    if (field != nullptr && !is_number(field->type))
      return illegal_argument("Field [" + field->name + "] of type [" +
                              std::string(name_of(field->declared_type())) +
                              "] does not support custom formats");
    CAIRN_TRY(out.numbers, NumberFormat::parse(format));
  }
  return out;
}

Result<std::unique_ptr<Aggregations>> make_aggregations(const QueryContext& context,
                                                        const Json& request,
                                                        const QueryReader& read_query,
                                                        bool typed_keys, const os::Clock* clock) {
  auto buckets = std::make_unique<BucketCount>();
  buckets->typed_keys = typed_keys;
  buckets->clock = clock;
  const Options& options = context.view.options;
  buckets->most = options.live ? options.live->max_buckets.load() : options.max_buckets;
  buckets->held_bytes_max = context.view.options.aggregation_bytes_max;
  buckets->steps = &context.steps;
  CAIRN_TRY(auto list, make_aggregation_list(context, request, *buckets, read_query));
  // Those that every answer has are counted once before the work, so that there are no more of them
  // in memory either.
  for (const auto& aggregation : list) {
    CAIRN_CHECK(count_buckets(*buckets, aggregation->fixed_buckets()));
    aggregation->mark_answered();
  }
  buckets->made = 0;
  return std::unique_ptr<Aggregations>(std::make_unique<All>(std::move(buckets), std::move(list)));
}

}  // namespace cairn::index
