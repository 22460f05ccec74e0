// Tokenizers of all kinds, trained here: by the original library on this project's documentation
// and on made-up words of many scripts.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileCharsmap, nfkcMap } from "./charsmap.mjs";
import { generator, syntheticWord } from "./texts.mjs";

const { Tokenizer } = createRequire(import.meta.url)("@anush008/tokenizers");

const gpt2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const modern = (digits) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
const split = (Regex, behavior = "Isolated", invert = false) => ({ type: "Split", pattern: { Regex }, behavior, invert });
const byteLevel = (more) => ({ type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false, ...more });
const sequence = (name, ...steps) => ({ type: "Sequence", [name]: steps });
const metaspace = (more) => ({ type: "Metaspace", replacement: "\u2581", prepend_scheme: "always", split: true, ...more });
const bert = (more) => ({ type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true, ...more });

const emptyModel = {
  WordPiece: { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", max_input_chars_per_word: 100, vocab: {} },
  BPE: { type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab: {}, merges: [] },
  Unigram: { type: "Unigram", unk_id: null, vocab: [], byte_fallback: false },
};

/// A model of a kind, trained on the files after the given steps.
function train(files, kind, normalizer, pre_tokenizer, model = {}) {
  const tokenizer = Tokenizer.fromString(JSON.stringify({
    version: "1.0", truncation: null, padding: null, added_tokens: [], normalizer, pre_tokenizer,
    post_processor: null, decoder: null, model: { ...emptyModel[kind], ...model },
  }));
  tokenizer.train(files);
  const path = files[0] + "." + kind + ".json";
  tokenizer.save(path);
  return path;
}

const added = (content, id, more = {}) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more });
const piece = (id, type_id = 0) => (id.length === 1 ? { Sequence: { id, type_id } } : { SpecialToken: { id, type_id } });
const template = (ids, single, pair) => ({
  type: "TemplateProcessing", single, pair,
  special_tokens: Object.fromEntries(Object.entries(ids).map(([id, n]) => [id, { id, ids: [n], tokens: [id] }])),
});

function withTokens(model, tokens) {
  // Special tokens come after the trained ones.
  const ids = {};
  let next = Object.keys(model.vocab).length;
  for (const token of tokens) ids[token] = model.vocab[token] ??= next++;
  return ids;
}

function wordPiece(base, name, normalizer, more = {}) {
  const model = structuredClone(base);
  const ids = withTokens(model, ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]);
  const both = { "[CLS]": ids["[CLS]"], "[SEP]": ids["[SEP]"] };
  return {
    name,
    file: {
      version: "1.0", truncation: null, padding: null,
      added_tokens: Object.entries(ids).map(([content, id]) => added(content, id)).sort((a, b) => a.id - b.id),
      normalizer, pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: template(both, [piece("[CLS]"), piece("A"), piece("[SEP]")],
        [piece("[CLS]"), piece("A"), piece("[SEP]"), piece("B", 1), piece("[SEP]", 1)]),
      decoder: { type: "WordPiece", prefix: "##", cleanup: true }, model, ...more,
    },
  };
}

function bpe(base, name, parts, model = {}, tokens = ["<|end|>"]) {
  const made = { ...structuredClone(base), ...model };
  const ids = withTokens(made, tokens);
  return {
    name, ids,
    file: {
      version: "1.0", truncation: null, padding: null,
      added_tokens: Object.entries(ids).map(([content, id]) => added(content, id)).sort((a, b) => a.id - b.id),
      normalizer: null, pre_tokenizer: null, post_processor: null, decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: made, ...parts,
    },
  };
}

function unigram(base, name, parts, model = {}) {
  const fixed = [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0]];
  const bytes = model.byte_fallback ? Array.from({ length: 256 }, (_, b) => [`<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`, -20]) : [];
  const vocab = [...fixed, ...base.vocab.filter(([token]) => !fixed.some(([one]) => one === token)), ...bytes];
  const mask = vocab.length;
  return {
    name,
    file: {
      version: "1.0", truncation: null, padding: null,
      added_tokens: [added("<s>", 0), added("<pad>", 1), added("</s>", 2), added("<unk>", 3), added("<mask>", mask, { lstrip: true })],
      normalizer: null, pre_tokenizer: metaspace(),
      post_processor: template({ "<s>": 0, "</s>": 2 }, [piece("<s>"), piece("A"), piece("</s>")],
        [piece("<s>"), piece("A"), piece("</s>"), piece("</s>"), piece("B"), piece("</s>")]),
      decoder: metaspace(), model: { ...structuredClone(base), unk_id: 3, vocab, ...model }, ...parts,
    },
  };
}

/// All tokenizers: name and file.
export function trainAll(folder, lines) {
  const random = generator(7);
  const corpus = join(folder, "corpus.txt");
  const made = Array.from({ length: 30000 }, () => Array.from({ length: 6 }, () => syntheticWord(random)).join(" "));
  writeFileSync(corpus, [...lines, ...made.slice(0, 4000)].join("\n"));
  const load = (path) => JSON.parse(readFileSync(path, "utf8")).model;
  const lower = load(train([corpus], "WordPiece", bert(), { type: "BertPreTokenizer" }));
  const cased = load(train([corpus], "WordPiece", bert({ lowercase: false }), { type: "BertPreTokenizer" }));
  const bytes = load(train([corpus], "BPE", null, byteLevel({ use_regex: true })));
  for (const byte of byteAlphabet()) bytes.vocab[byte] ??= Object.keys(bytes.vocab).length;
  const marked = load(train([corpus], "BPE", null, metaspace()));
  const plain = load(train([corpus], "BPE", null, { type: "Whitespace" }, { continuing_subword_prefix: "##", end_of_word_suffix: "</w>" }));
  const scored = load(train([corpus], "Unigram", { type: "NFKC" }, metaspace()));
  const charsmap = compileCharsmap(nfkcMap());
  const hex = Array.from({ length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`);
  const llama2 = bpe(marked, "sentencepiece bpe", {
    normalizer: sequence("normalizers", { type: "Prepend", prepend: "\u2581" }, { type: "Replace", pattern: { String: " " }, content: "\u2581" }),
    decoder: sequence("decoders", { type: "Replace", pattern: { String: "\u2581" }, content: " " }, { type: "ByteFallback" }, { type: "Fuse" }, { type: "Strip", content: " ", start: 1, stop: 0 }),
  }, { unk_token: "<unk>", fuse_unk: true, byte_fallback: true }, ["<unk>", "<s>", "</s>", ...hex]);
  llama2.file.added_tokens = ["<unk>", "<s>", "</s>"].map((token) => added(token, llama2.ids[token])).sort((a, b) => a.id - b.id);
  llama2.file.post_processor = template({ "<s>": llama2.ids["<s>"] }, [piece("<s>"), piece("A")], [piece("<s>"), piece("A"), piece("<s>", 1), piece("B", 1)]);
  const llama3 = bpe(bytes, "llama 3", {
    pre_tokenizer: sequence("pretokenizers", split(modern("\\p{N}{1,3}")), byteLevel()),
  }, { ignore_merges: true });
  llama3.file.post_processor = sequence("processors", byteLevel({ add_prefix_space: true }), template({ "<|end|>": llama3.ids["<|end|>"] }, [piece("<|end|>"), piece("A")], [piece("<|end|>"), piece("A"), piece("<|end|>", 1), piece("B", 1)]));
  const gpt = bpe(bytes, "roberta", { pre_tokenizer: byteLevel({ add_prefix_space: true, use_regex: true }) }, {}, ["<s>", "</s>", "<mask>"]);
  gpt.file.post_processor = { type: "RobertaProcessing", sep: ["</s>", gpt.ids["</s>"]], cls: ["<s>", gpt.ids["<s>"]], trim_offsets: true, add_prefix_space: true };
  gpt.file.added_tokens.at(-1).lstrip = true;
  const odd = wordPiece(lower, "added tokens", bert());
  const next = Object.keys(odd.file.model.vocab).length;
  odd.file.added_tokens.push(
    added("<added>", next, { special: false, normalized: true }), added("Word", next + 1, { single_word: true, special: false, normalized: false }),
    added("LEFT", next + 2, { lstrip: true, special: false, normalized: true }), added("RighT", next + 3, { rstrip: true, special: false }),
    added("\u00c4dded", next + 4, { normalized: true, special: false }), added("  ", next + 5, { special: false }), added("<added>>", next + 6, { special: false, normalized: false }));
  return [
    wordPiece(lower, "bert uncased", bert()),
    wordPiece(cased, "bert cased", bert({ lowercase: false, strip_accents: true, handle_chinese_chars: false }), {
      post_processor: { type: "BertProcessing", sep: ["[SEP]", Object.keys(cased.vocab).length + 2], cls: ["[CLS]", Object.keys(cased.vocab).length + 1] },
    }),
    odd, gpt, llama3,
    bpe(bytes, "qwen 2", {
      normalizer: { type: "NFC" }, pre_tokenizer: sequence("pretokenizers", split(modern("\\p{N}")), byteLevel()),
      post_processor: byteLevel({ trim_offsets: false }),
    }),
    llama2,
    unigram(scored, "xlm-roberta", {
      normalizer: sequence("normalizers", { type: "Precompiled", precompiled_charsmap: charsmap }, { type: "Replace", pattern: { Regex: " {2,}" }, content: " " }),
      pre_tokenizer: sequence("pretokenizers", { type: "WhitespaceSplit" }, metaspace()),
    }),
    unigram(scored, "t5", {
      normalizer: sequence("normalizers", { type: "NFKD" }, { type: "StripAccents" }, { type: "Lowercase" }, { type: "Strip", strip_left: true, strip_right: true }),
      pre_tokenizer: metaspace({ prepend_scheme: "first" }),
    }, { byte_fallback: true }),
    unigram(scored, "albert", {
      normalizer: sequence("normalizers", { type: "NFKC" }, { type: "Replace", pattern: { String: "``" }, content: "\"" }),
      pre_tokenizer: sequence("pretokenizers", { type: "Digits", individual_digits: true }, metaspace({ split: false })),
    }),
    bpe(plain, "clip", {
      normalizer: sequence("normalizers", { type: "NFD" }, { type: "Lowercase" }),
      pre_tokenizer: sequence("pretokenizers", { type: "Whitespace" }, { type: "Punctuation", behavior: "MergedWithNext" }, { type: "Digits", individual_digits: false }),
      decoder: null,
    }, { unk_token: "[UNK]" }, ["[UNK]"]),
    wordPiece(lower, "odd splits", sequence("normalizers", { type: "NFC" }, bert({ clean_text: false })), {
      pre_tokenizer: sequence("pretokenizers", split("[aeiou]+", "MergedWithPrevious"), split("\\s+", "Removed"), { type: "Punctuation", behavior: "Contiguous" }, split("[0-9]", "MergedWithNext"), split("[A-Za-z]+|[^A-Za-z]", "Isolated", true)),
    }),
  ];
}

function byteAlphabet() {
  const out = [];
  let next = 0x100;
  for (let byte = 0; byte < 256; ++byte) {
    const prints = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    out.push(String.fromCodePoint(prints ? byte : next++));
  }
  return out;
}
