// SPDX-License-Identifier: Apache-2.0
// config.json of each family as its models have it, and files that are none.
#include "inference/encoder/config.h"

#include <doctest/doctest.h>

#include <random>

namespace cairn::inference::config_test {
namespace {

constexpr std::string_view bert = R"({"model_type":"bert","architectures":["BertModel"],
  "vocab_size":30522,"hidden_size":384,"num_hidden_layers":6,"num_attention_heads":12,
  "intermediate_size":1536,"hidden_act":"gelu","max_position_embeddings":512,"type_vocab_size":2,
  "layer_norm_eps":1e-12,"pad_token_id":0,"position_embedding_type":"absolute"})";

constexpr std::string_view modernbert = R"({"model_type":"modernbert","vocab_size":50368,
  "hidden_size":768,"num_hidden_layers":22,"num_attention_heads":12,"intermediate_size":1152,
  "hidden_activation":"gelu","max_position_embeddings":8192,"norm_eps":1e-5,
  "global_rope_theta":160000.0,"local_rope_theta":10000.0,"global_attn_every_n_layers":3,
  "local_attention":128,"pad_token_id":50283,"classifier_pooling":"mean",
  "architectures":["ModernBertForMaskedLM"]})";

EncoderConfig read(std::string_view text) {
  auto out = read_encoder_config(text);
  REQUIRE_MESSAGE(out.ok(), (out.ok() ? "" : out.error().message));
  return std::move(out).value();
}

/// The text with one part in place of another.
std::string with(std::string_view text, std::string_view old, std::string_view content) {
  std::string out(text);
  const std::size_t at = out.find(old);
  REQUIRE(at != std::string::npos);
  return out.replace(at, old.size(), content);
}

TEST_CASE("encoder config: BERT and its kin") {
  const EncoderConfig plain = read(bert);
  CHECK(plain.family == EncoderFamily::bert);
  CHECK(plain.shape.hidden == 384);
  CHECK(plain.shape.head_size == 32);
  CHECK(plain.shape.most_tokens == 512);
  CHECK(plain.shape.first_position == 0);
  CHECK(plain.shape.epsilon == 1e-12F);
  CHECK(plain.token_types == 2);
  CHECK(plain.pad_id == 0);
  CHECK(plain.head == EncoderHead::none);
  const EncoderConfig roberta = read(
      with(with(with(bert, "\"bert\"", "\"xlm-roberta\""), ":512", ":514"), "_id\":0", "_id\":1"));
  CHECK(roberta.family == EncoderFamily::xlm_roberta);
  CHECK(roberta.shape.first_position == 2);  // positions begin behind the padding's
  CHECK(roberta.shape.most_tokens == 512);
  const EncoderConfig distilled = read(R"({"model_type":"distilbert","vocab_size":30522,"dim":768,
    "n_layers":6,"n_heads":12,"hidden_dim":3072,"activation":"gelu",
    "max_position_embeddings":512})");
  CHECK(distilled.shape.layers == 6);
  CHECK(distilled.shape.intermediate == 3072);
  CHECK(distilled.token_types == 0);
}

TEST_CASE("encoder config: relative, rotary and windowed positions") {
  const EncoderConfig mpnet =
      read(with(with(with(bert, "\"bert\"", "\"mpnet\""), ":512", ":514"), "_id\":0", "_id\":1"));
  CHECK(mpnet.shape.positions == Positions::relative);
  CHECK(mpnet.relative_buckets == 32);
  CHECK(mpnet.shape.first_position == 2);
  const EncoderConfig modern = read(modernbert);
  CHECK(modern.shape.positions == Positions::rotary);
  CHECK(modern.shape.window == 64);
  CHECK(modern.shape.global_every == 3);
  CHECK(modern.shape.rotary_base == 160'000.0F);
  CHECK(modern.shape.norm_first);
  CHECK(modern.shape.gated);
  CHECK_FALSE(modern.linear_bias);
  CHECK(modern.head == EncoderHead::masked_language_model);
  CHECK(modern.classifier_takes_mean);
  const EncoderConfig nomic = read(R"({"model_type":"nomic_bert","vocab_size":30528,"n_embd":768,
    "n_layer":12,"n_head":12,"n_inner":3072,"n_positions":8192,"activation_function":"swiglu",
    "rotary_emb_base":1000,"rotary_emb_fraction":1.0,"rotary_emb_interleaved":false,
    "rotary_emb_scale_base":null,"layer_norm_epsilon":1e-12,"prenorm":false,"type_vocab_size":2,
    "qkv_proj_bias":false,"mlp_fc1_bias":false,"mlp_fc2_bias":false})");
  CHECK(nomic.shape.rotary_base == 1'000.0F);
  CHECK(nomic.shape.activation == kernels::Activation::silu);
  CHECK(nomic.norm_bias);
  const EncoderConfig gte = read(
      with(with(bert, "\"bert\"", "\"new\""), "\"absolute\"", R"("rope","rope_theta":500000)"));
  CHECK(gte.family == EncoderFamily::gte);
  CHECK(gte.shape.rotary_base == 500'000.0F);
  CHECK(gte.shape.rotary_divisor == 1.0F);
  const EncoderConfig stretched =
      read(with(with(bert, "\"bert\"", "\"new\""), "\"absolute\"",
                R"("rope","rope_theta":10000,"rope_scaling":{"type":"ntk","factor":8.0})"));
  CHECK(stretched.shape.rotary_base == 80'000.0F);
  CHECK(stretched.shape.rotary_divisor ==
        doctest::Approx(std::pow(8.0, 2.0 / static_cast<double>(stretched.shape.head_size))));
}

TEST_CASE("encoder config: classifiers and their scores") {
  const auto classifier = [](std::string_view more) {
    return read(with(bert, R"(["BertModel"])",
                     R"(["BertForSequenceClassification"],)" + std::string(more)));
  };
  const EncoderConfig one = classifier(R"("id2label":{"0":"LABEL_0"})");
  CHECK(one.head == EncoderHead::classifier);
  CHECK(one.labels == 1);
  CHECK(one.sigmoid);
  CHECK_FALSE(classifier(R"("num_labels":3)").sigmoid);
  CHECK_FALSE(classifier(R"("num_labels":1,"sentence_transformers":
    {"activation_fn":"torch.nn.modules.linear.Identity"})")
                  .sigmoid);
}

TEST_CASE("encoder config: what is not offered is refused by name") {
  const std::pair<std::string, std::string> cases[] = {
      {with(bert, "\"bert\"", "\"t5\""), "t5"},
      {with(bert, "\"gelu\"", "\"mish\""), "mish"},
      {with(bert, "\"absolute\"", "\"relative_key\""), "relative_key"},
      {with(modernbert, "\"norm_eps\"", R"("mlp_bias":true,"norm_eps")"), "mlp_bias"},
      {with(with(bert, "\"bert\"", "\"new\""), "\"absolute\"",
            R"("rope","rope_scaling":{"type":"yarn","factor":2.0})"),
       "yarn"},
      {with(with(bert, "\"bert\"", "\"new\""), "\"absolute\"",
            R"("rope","rope_scaling":{"type":"ntk","factor":2.0,"mixed_b":0.6})"),
       "mixed_b"}};
  for (const auto& [text, name] : cases) {
    CAPTURE(text);
    const auto out = read_encoder_config(text);
    REQUIRE_FALSE(out.ok());
    CHECK(out.error().kind == ErrorKind::unsupported);
    CHECK(out.error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("encoder config: hostile files are refused, naming the field") {
  const std::pair<std::string, std::string> cases[] = {
      {with(bert, ":30522", ":-1"), "vocab_size"},
      {with(bert, ":30522", ":1e9"), "vocab_size"},
      {with(bert, ":384", ":99999999"), "hidden_size"},
      {with(bert, ":384", ":385"), "num_attention_heads"},
      {with(bert, "\"num_attention_heads\":12", "\"num_attention_heads\":0"),
       "num_attention_heads"},
      {with(bert, "\"num_hidden_layers\":6", "\"num_hidden_layers\":\"6\""), "num_hidden_layers"},
      {with(bert, "1e-12", "0"), "layer_norm_eps"},
      {with(bert, "1e-12", "1e999"), "layer_norm_eps"},
      {with(bert, "_id\":0", "_id\":30522"), "pad_token_id"},
      {with(bert, R"(["BertModel"])", "[]"), "architectures"},
      {with(with(bert, "\"bert\"", "\"roberta\""), ":512", ":1"), "max_position_embeddings"},
      {with(modernbert, "\"num_attention_heads\":12", "\"num_attention_heads\":256"), "even"}};
  for (const auto& [text, name] : cases) {
    CAPTURE(text);
    const auto out = read_encoder_config(text);
    REQUIRE_FALSE(out.ok());
    // A number beyond JSON's is refused before any field is looked at.
    if (text.find("1e999") == std::string::npos)
      CHECK(out.error().message.find(name) != std::string::npos);
  }
  constexpr unsigned seed = 9;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string text(round % 2 == 0 ? bert : modernbert);
    for (int i = 0; i < 2; ++i) text[random() % text.size()] = static_cast<char>(random() & 0x7fU);
    const auto out = read_encoder_config(text);
    if (out.ok()) CHECK(out->shape.head_size * out->shape.heads == out->shape.hidden);
  }
}

TEST_CASE("sentence files: modules, pooling, dense, prompts") {
  const auto modules = read_modules(
      R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
          {"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
          {"idx":2,"name":"2","path":"2_Dense","type":"sentence_transformers.models.Dense"},
          {"idx":3,"name":"3","path":"3_Normalize","type":"sentence_transformers.models.Normalize"}])");
  REQUIRE(modules.ok());
  REQUIRE(modules->size() == 4);
  CHECK((*modules)[1].kind == SentenceModule::Kind::pooling);
  CHECK((*modules)[2].path == "2_Dense");
  CHECK_FALSE(read_modules(R"([{"path":"../x","type":"Pooling"}])").ok());
  CHECK_FALSE(read_modules(R"([{"path":"","type":"x.WeightedLayerPooling"}])").ok());
  CHECK_FALSE(read_modules("{}").ok());
  const auto pooling = read_pooling(
      R"({"word_embedding_dimension":384,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true})");
  REQUIRE(pooling.ok());
  CHECK(pooling->mean);
  CHECK_FALSE(pooling->first);
  CHECK(pooling->include_prompt);
  CHECK_FALSE(read_pooling(R"({"word_embedding_dimension":384})").ok());
  const auto dense = read_dense(R"({"in_features":768,"out_features":256,"bias":false,
    "activation_function":"torch.nn.modules.linear.Identity"})");
  REQUIRE(dense.ok());
  CHECK(dense->out == 256);
  CHECK(dense->activation == kernels::Activation::none);
  CHECK_FALSE(
      read_dense(R"({"in_features":1,"out_features":1,"activation_function":"x.Mish"})").ok());
  const auto settings = read_sentence_settings(
      R"({"max_seq_length":256,"do_lower_case":false})",
      R"({"prompts":{"query":"query: ","passage":"passage: "},"default_prompt_name":null,
          "similarity_fn_name":"cosine"})");
  REQUIRE(settings.ok());
  CHECK(settings->max_tokens == 256);
  REQUIRE(settings->prompts.size() == 2);
  CHECK(settings->prompts[0].second == "query: ");
  CHECK(settings->similarity == "cosine");
  CHECK(read_sentence_settings("", "").ok());
  CHECK_FALSE(read_sentence_settings(R"({"max_seq_length":0})", "").ok());
  CHECK_FALSE(read_sentence_settings("", R"({"prompts":{"query":1}})").ok());
}

}  // namespace
}  // namespace cairn::inference::config_test
