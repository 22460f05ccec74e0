// A small decoder of random weights in the Hugging Face layout, whose tokens are bytes and which has
// a chat template: enough to see that prompts, steps and streams work, not to be talked to.
import fs from 'node:fs'
import path from 'node:path'

const shape = { hidden: 64, layers: 2, heads: 4, kvHeads: 2, headSize: 16, wide: 128 }
const controls = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']

// How GPT-2 shows bytes as characters.
function byteLetters () {
  const shown = []
  for (let byte = 0; byte < 256; byte++) {
    if ((byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174) shown.push(byte)
  }
  const letters = new Array(256)
  for (const byte of shown) letters[byte] = String.fromCodePoint(byte)
  let next = 256
  for (let byte = 0; byte < 256; byte++) letters[byte] ??= String.fromCodePoint(next++)
  return letters
}

function tokenizer () {
  const vocab = Object.fromEntries(byteLetters().map((letter, byte) => [letter, byte]))
  return {
    version: '1.0',
    added_tokens: controls.map((content, i) => ({
      id: 256 + i, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', dropout: null, unk_token: null, fuse_unk: false, byte_fallback: false, vocab, merges: [] }
  }
}

// Numbers that look normal, the same each time (mulberry32, sums of uniform ones).
function numbers (seed) {
  let state = seed
  const uniform = () => {
    state = (state + 0x6D2B79F5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  return () => uniform() + uniform() + uniform() + uniform() - 2
}

function safetensors (tensors) {
  const header = {}
  let at = 0
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + data.byteLength] }
    at += data.byteLength
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...Object.values(tensors).map(({ data }) => Buffer.from(data.buffer))])
}

function weights (words) {
  const draw = numbers(7)
  const out = {}
  const matrix = (name, rows, columns, spread) => {
    out[name] = { shape: [rows, columns], data: Float32Array.from({ length: rows * columns }, () => draw() * spread) }
  }
  const norm = (name) => { out[name] = { shape: [shape.hidden], data: new Float32Array(shape.hidden).fill(1) } }
  matrix('model.embed_tokens.weight', words, shape.hidden, 0.5)
  for (let layer = 0; layer < shape.layers; layer++) {
    const at = `model.layers.${layer}.`
    norm(at + 'input_layernorm.weight')
    matrix(at + 'self_attn.q_proj.weight', shape.heads * shape.headSize, shape.hidden, 0.2)
    matrix(at + 'self_attn.k_proj.weight', shape.kvHeads * shape.headSize, shape.hidden, 0.2)
    matrix(at + 'self_attn.v_proj.weight', shape.kvHeads * shape.headSize, shape.hidden, 0.2)
    matrix(at + 'self_attn.o_proj.weight', shape.hidden, shape.heads * shape.headSize, 0.2)
    norm(at + 'post_attention_layernorm.weight')
    matrix(at + 'mlp.gate_proj.weight', shape.wide, shape.hidden, 0.2)
    matrix(at + 'mlp.up_proj.weight', shape.wide, shape.hidden, 0.2)
    matrix(at + 'mlp.down_proj.weight', shape.hidden, shape.wide, 0.2)
  }
  norm('model.norm.weight')
  matrix('lm_head.weight', words, shape.hidden, 0.3)
  return out
}

// Writes the files; gives their names.
export function writeDecoder (folder, window = 1024) {
  const words = 256 + controls.length
  const template = "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}" +
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
  const files = {
    'config.json': JSON.stringify({
      model_type: 'llama', vocab_size: words, hidden_size: shape.hidden, num_hidden_layers: shape.layers,
      num_attention_heads: shape.heads, num_key_value_heads: shape.kvHeads, head_dim: shape.headSize,
      intermediate_size: shape.wide, max_position_embeddings: window, hidden_act: 'silu', rms_norm_eps: 1e-6,
      rope_theta: 10000, eos_token_id: 256
    }),
    'generation_config.json': JSON.stringify({ eos_token_id: [256, 258] }),
    'tokenizer.json': JSON.stringify(tokenizer()),
    'tokenizer_config.json': JSON.stringify({ eos_token: '<|im_end|>', chat_template: template }),
    'model.safetensors': safetensors(weights(words))
  }
  fs.mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), bytes)
  return Object.keys(files)
}
