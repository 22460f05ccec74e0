"""Writes decoders as GGUF files: the format, the quantised types, and the names, by their published
definitions."""
import struct

import numpy

F32, F16, Q4_0, Q8_0, Q4_K, Q6_K, BF16 = 0, 1, 2, 8, 12, 14, 30
NAMES = {F32: "F32", F16: "F16", BF16: "BF16", Q4_0: "Q4_0", Q8_0: "Q8_0", Q4_K: "Q4_K",
         Q6_K: "Q6_K"}
ALIGNMENT = 32
U32, I32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9


def in_halves(numbers):
    return numbers.astype("<f2").astype("<f4")


def q8_0(rows):
    blocks = rows.reshape(-1, 32)
    scale = in_halves(numpy.abs(blocks).max(1, keepdims=True) / 127)
    numbers = numpy.round(blocks / numpy.where(scale == 0, 1, scale)).clip(-127, 127)
    data = numpy.concatenate((scale.astype("<f2").view("u1"), numbers.astype("i1").view("u1")), 1)
    return data.tobytes(), (scale * numbers).reshape(rows.shape)


def q4_0(rows):
    blocks = rows.reshape(-1, 32)
    most = numpy.take_along_axis(blocks, numpy.abs(blocks).argmax(1)[:, None], 1)
    scale = in_halves(most / -8)
    numbers = (numpy.round(blocks / numpy.where(scale == 0, 1, scale)) + 8).clip(0, 15)
    whole = numbers.astype("u1")
    pairs = whole[:, :16] | whole[:, 16:] << 4
    data = numpy.concatenate((scale.astype("<f2").view("u1"), pairs), 1)
    return data.tobytes(), (scale * (numbers - 8)).reshape(rows.shape)


def q4_k(rows):
    parts = rows.reshape(-1, 8, 32)
    least = numpy.minimum(parts.min(2), 0)
    scale, offset = (parts.max(2).clip(0) - least) / 15, -least
    of_scales = in_halves(scale.max(1, keepdims=True) / 63)
    of_offsets = in_halves(offset.max(1, keepdims=True) / 63)
    s = numpy.round(scale / numpy.where(of_scales == 0, 1, of_scales)).clip(0, 63).astype("u1")
    o = numpy.round(offset / numpy.where(of_offsets == 0, 1, of_offsets)).clip(0, 63).astype("u1")
    step, shift = (of_scales * s)[..., None], (of_offsets * o)[..., None]
    numbers = numpy.round((parts + shift) / numpy.where(step == 0, 1, step)).clip(0, 15)
    packed = numpy.concatenate((s[:, :4] | s[:, 4:] >> 4 << 6, o[:, :4] | o[:, 4:] >> 4 << 6,
                                (s[:, 4:] & 15) | (o[:, 4:] & 15) << 4), 1)
    whole = numbers.astype("u1").reshape(-1, 4, 2, 32)
    quarters = (whole[:, :, 0] | whole[:, :, 1] << 4).reshape(-1, 128)
    halves = [each.astype("<f2").view("u1") for each in (of_scales, of_offsets)]
    data = numpy.concatenate((*halves, packed, quarters), 1)
    return data.tobytes(), (step * numbers - shift).astype("<f4").reshape(rows.shape)


def q6_k(rows):
    parts = rows.reshape(-1, 16, 16)
    most = numpy.take_along_axis(parts, numpy.abs(parts).argmax(2)[..., None], 2)[..., 0]
    scale = most / -32
    of_scales = in_halves(numpy.abs(scale).max(1, keepdims=True) / 127)
    s = numpy.round(scale / numpy.where(of_scales == 0, 1, of_scales)).clip(-127, 127).astype("i1")
    step = (of_scales * s)[..., None]
    numbers = (numpy.round(parts / numpy.where(step == 0, 1, step)) + 32).clip(0, 63)
    whole = numbers.astype("u1").reshape(-1, 2, 4, 32)
    low = numpy.stack((whole[:, :, 0] & 15 | (whole[:, :, 2] & 15) << 4,
                       whole[:, :, 1] & 15 | (whole[:, :, 3] & 15) << 4), 2).reshape(-1, 128)
    high = (whole[:, :, 0] >> 4 | whole[:, :, 1] >> 4 << 2 | whole[:, :, 2] >> 4 << 4
            | whole[:, :, 3] >> 4 << 6).reshape(-1, 64)
    data = numpy.concatenate((low, high, s.view("u1"), of_scales.astype("<f2").view("u1")), 1)
    return data.tobytes(), (step * (numbers - 32)).astype("<f4").reshape(rows.shape)


def bf16(rows):
    bits = rows.astype("<f4").view("<u4")
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    return bits.astype("<u2").tobytes(), (bits << 16).astype("<u4").view("<f4").reshape(rows.shape)


def stored(kind, numbers):
    """The bytes of a tensor in a file, and the numbers that they are."""
    if kind == F32:
        return numbers.astype("<f4").tobytes(), numbers.astype("<f4")
    if kind == F16:
        return numbers.astype("<f2").tobytes(), in_halves(numbers)
    return {BF16: bf16, Q8_0: q8_0, Q4_0: q4_0, Q4_K: q4_k, Q6_K: q6_k}[kind](numbers)


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def value(name, kind, content):
    if kind == ARRAY:
        inner = {str: STRING, float: FLOAT32, int: I32}[type(content[0])]
        body = struct.pack("<IQ", inner, len(content)) + b"".join(one(inner, v) for v in content)
    else:
        body = one(kind, content)
    return string(name) + struct.pack("<I", kind) + body


def one(kind, content):
    if kind == STRING:
        return string(content)
    return struct.pack({U32: "<I", I32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], content)


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def write(path, values, tensors, version=3):
    """`values`: (name, kind, content); `tensors`: (name, kind, shape, columns last; bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    head += b"".join(value(*each) for each in values)
    at = 0
    for name, kind, shape, content in tensors:
        head += string(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", length) for length in reversed(shape))
        head += struct.pack("<IQ", kind, at)
        at += len(padded(content))
    with open(path, "wb") as file:
        file.write(padded(head))
        for *_, content in tensors:
            file.write(padded(content))


PARTS = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
         "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
         "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
         "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def name_of(name):
    stem, ending = name.rsplit(".", 1)
    if stem in WHOLE:
        return f"{WHOLE[stem]}.{ending}"
    layer, part = stem.removeprefix("model.layers.").split(".", 1)
    return f"blk.{layer}.{PARTS[part]}.{ending}"


def pairs_together(numbers, heads):
    """Rows of queries or keys as files of the architecture llama have them."""
    halves = numbers.reshape(heads, 2, numbers.shape[0] // heads // 2, *numbers.shape[1:])
    return numpy.ascontiguousarray(halves.swapaxes(1, 2).reshape(numbers.shape))


def heads_of(name, config):
    if "self_attn.q_proj" in name:
        return config["num_attention_heads"]
    return config["num_key_value_heads"] if "self_attn.k_proj" in name else 0


def shape_values(config, head_size):
    kind = "llama" if config["model_type"] == "mistral" else config["model_type"]
    joined = config.get("rope_parameters") or {}
    values = [
        ("general.architecture", STRING, kind),
        (f"{kind}.context_length", U32, config["max_position_embeddings"]),
        (f"{kind}.embedding_length", U32, config["hidden_size"]),
        (f"{kind}.block_count", U32, config["num_hidden_layers"]),
        (f"{kind}.feed_forward_length", U32, config["intermediate_size"]),
        (f"{kind}.attention.head_count", U32, config["num_attention_heads"]),
        (f"{kind}.attention.head_count_kv", U32, config["num_key_value_heads"]),
        (f"{kind}.attention.key_length", U32, head_size),
        (f"{kind}.attention.value_length", U32, head_size),
        (f"{kind}.attention.layer_norm_rms_epsilon", FLOAT32, config["rms_norm_eps"]),
        (f"{kind}.rope.dimension_count", U32, head_size),
        (f"{kind}.rope.freq_base", FLOAT32, joined.get("rope_theta", config.get("rope_theta"))),
    ]
    scaling = config.get("rope_scaling") or {}
    how = scaling.get("rope_type", scaling.get("type", "none"))
    if how in ("linear", "yarn"):
        values += [(f"{kind}.rope.scaling.type", STRING, how),
                   (f"{kind}.rope.scaling.factor", FLOAT32, scaling["factor"])]
    if how == "yarn":
        values.append((f"{kind}.rope.scaling.original_context_length", U32,
                       scaling["original_max_position_embeddings"]))
    return values


def byte_level_values(words):
    """A vocabulary of `words` tokens: letters, a word of two, and names."""
    tokens = ["a", "b", "ab"] + [f"w{i}" for i in range(words - 4)] + ["<|end|>"]
    return [("tokenizer.ggml.model", STRING, "gpt2"), ("tokenizer.ggml.pre", STRING, "qwen2"),
            ("tokenizer.ggml.tokens", ARRAY, tokens),
            ("tokenizer.ggml.token_type", ARRAY, [1] * (words - 1) + [3]),
            ("tokenizer.ggml.merges", ARRAY, ["a b"]),
            ("tokenizer.ggml.eos_token_id", U32, words - 1)]


def write_decoder(path, config, tensors, kind_of, head_size, divisors=None, version=3, more=()):
    """Writes `tensors`, named as in folders, each in the type that `kind_of(name)` gives, vectors
    in fp32. `more`: values beside the usual ones. Gives the numbers that the file has, named as in
    folders."""
    turned = config["model_type"] in ("llama", "mistral")
    out, held = [], {}
    for name, numbers in tensors.items():
        kind = F32 if numbers.ndim == 1 else kind_of(name)
        content, held[name] = stored(kind, numbers)  # a row at a time: the order does not matter
        heads = heads_of(name, config) if turned else 0
        if heads:
            content = stored(kind, pairs_together(numbers, heads))[0]
        out.append((name_of(name), kind, numbers.shape, content))
    if divisors is not None:
        out.append(("rope_freqs.weight", F32, divisors.shape, stored(F32, divisors)[0]))
    values = shape_values(config, head_size) + byte_level_values(config["vocab_size"])
    write(path, values + list(more), out, version)
    return held
