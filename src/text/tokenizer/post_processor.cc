// SPDX-License-Identifier: Apache-2.0
// TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel and sequences of them.
#include "text/tokenizer/post_processor.h"

#include <utility>

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t most_pieces = 64;
constexpr std::size_t most_ids_of_piece = 64;
constexpr std::int64_t most_id = INT32_MAX;

using Template = std::vector<TemplatePiece>;

Result<std::vector<std::uint32_t>> read_ids(const Fields& special) {
  CAIRN_TRY(const Json::Array* ids, special.array("ids"));
  if (ids == nullptr || ids->size() > most_ids_of_piece)
    return special.wrong("ids", "must be an array of at most 64 ids");
  std::vector<std::uint32_t> out;
  for (const Json& id : *ids) {
    if (!id.is_integer() || id.as_int() < 0 || id.as_int() > most_id)
      return special.wrong("ids", "must be ids");
    out.push_back(static_cast<std::uint32_t>(id.as_int()));
  }
  return out;
}

Result<TemplatePiece> read_piece(const Json& json, const std::string& path, const Fields& all) {
  const Fields fields(json, path);
  const Json* sequence = fields.find("Sequence");
  const Json* special = fields.find("SpecialToken");
  if ((sequence == nullptr) == (special == nullptr))
    return wrong_file("[" + path + "] must be a Sequence or a SpecialToken");
  const Fields inner(sequence != nullptr ? *sequence : *special, path);
  TemplatePiece out;
  CAIRN_TRY(const std::string id, inner.string("id"));
  CAIRN_TRY(const auto type_id, inner.integer("type_id", 0, 0, 255));
  out.type_id = static_cast<std::uint32_t>(type_id);
  if (sequence != nullptr) {
    if (id != "A" && id != "B") return inner.wrong("id", "must be A or B");
    out.sequence = id == "A" ? 0 : 1;
    return out;
  }
  const Json* specials = all.find("special_tokens");
  const Json* named = specials == nullptr ? nullptr : specials->find(id);
  if (named == nullptr) return inner.wrong("id", "[" + id + "] is not in special_tokens");
  CAIRN_TRY(out.ids, read_ids(Fields(*named, all.path_of("special_tokens"))));
  return out;
}

Result<Template> read_template(const Fields& fields, std::string_view name, int texts) {
  CAIRN_TRY(const Json::Array* pieces, fields.array(name));
  if (pieces == nullptr || pieces->size() > most_pieces)
    return fields.wrong(name, "must be an array of at most 64 pieces");
  Template out;
  int counts[2] = {0, 0};
  for (std::size_t i = 0; i < pieces->size(); ++i) {
    CAIRN_TRY(
        TemplatePiece piece,
        read_piece((*pieces)[i], fields.path_of(name) + "[" + std::to_string(i) + "]", fields));
    if (piece.sequence >= 0) ++counts[piece.sequence];
    out.push_back(std::move(piece));
  }
  if (counts[0] != 1 || counts[1] != texts - 1)
    return fields.wrong(name, "must have each text once");
  return out;
}

/// `["[SEP]", 102]`
Result<std::uint32_t> read_named_id(const Fields& fields, std::string_view name) {
  CAIRN_TRY(const Json::Array* both, fields.array(name));
  if (both == nullptr || both->size() != 2 || !(*both)[1].is_integer() || (*both)[1].as_int() < 0 ||
      (*both)[1].as_int() > most_id) {
    return fields.wrong(name, "must be a token and its id");
  }
  return static_cast<std::uint32_t>((*both)[1].as_int());
}

TemplatePiece special(std::uint32_t id, std::uint32_t type_id) {
  return {.sequence = -1, .type_id = type_id, .ids = {id}};
}

Status read_around(const Fields& fields, bool roberta, PostProcessor& out) {
  CAIRN_TRY(const std::uint32_t first, read_named_id(fields, "cls"));
  CAIRN_TRY(const std::uint32_t last, read_named_id(fields, "sep"));
  const std::uint32_t second_type = roberta ? 0 : 1;
  out.single = {special(first, 0), {.sequence = 0}, special(last, 0)};
  out.pair = out.single;
  if (roberta) out.pair.push_back(special(last, 0));
  out.pair.push_back({.sequence = 1, .type_id = second_type});
  out.pair.push_back(special(last, second_type));
  return ok_status();
}

Status read_trimming(const Fields& fields, PostProcessor& out) {
  CAIRN_TRY(const bool trims, fields.boolean("trim_offsets", true));
  CAIRN_TRY(const bool adds, fields.boolean("add_prefix_space", true));
  if (!trims) return ok_status();
  out.trims_offsets = true;
  out.keeps_added_space = adds;
  return ok_status();
}

Status read_processor(const Json& json, const std::string& path, bool& has_template,
                      PostProcessor& out) {
  if (json.is_null()) return ok_status();
  const Fields fields(json, path);
  CAIRN_TRY(const std::string type, fields.type());
  if (type == "Sequence") {
    CAIRN_TRY(const Json::Array* steps, fields.array("processors"));
    if (steps == nullptr) return fields.wrong("processors", "must be an array");
    for (std::size_t i = 0; i < steps->size(); ++i) {
      CAIRN_CHECK(read_processor((*steps)[i], path + ".processors[" + std::to_string(i) + "]",
                                 has_template, out));
    }
    return ok_status();
  }
  if (type == "ByteLevel") return read_trimming(fields, out);
  if (type != "TemplateProcessing" && type != "BertProcessing" && type != "RobertaProcessing") {
    return fields.unknown_type(
        type, "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence");
  }
  if (has_template) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "tokenizer: [" + path + "] is a second template, which is not offered"};
  }
  has_template = true;
  if (type == "TemplateProcessing") {
    CAIRN_TRY(out.single, read_template(fields, "single", 1));
    if (fields.find("pair") != nullptr) {
      CAIRN_TRY(out.pair, read_template(fields, "pair", 2));
    }
    return ok_status();
  }
  if (type == "RobertaProcessing") CAIRN_CHECK(read_trimming(fields, out));
  return read_around(fields, type == "RobertaProcessing", out);
}

}  // namespace

std::size_t PostProcessor::special_count(bool is_pair) const {
  std::size_t out = 0;
  for (const TemplatePiece& piece : is_pair ? pair : single) out += piece.ids.size();
  return out;
}

Result<PostProcessor> read_post_processor(const Json& post_processor) {
  PostProcessor out;
  bool has_template = false;
  CAIRN_CHECK(read_processor(post_processor, "post_processor", has_template, out));
  return out;
}

}  // namespace cairn::text::tokenizer
