"""Forward passes of encoder families in plain PyTorch, written from their papers and model cards:
slow, for comparison alone."""
import math

import torch
from torch.nn import functional


class Encoder:
    def __init__(self, config, tensors, prefix=""):
        self.config = config
        self.tensors = {name: torch.from_numpy(numbers) for name, numbers in tensors.items()}
        self.prefix = prefix

    def tensor(self, name):
        return self.tensors.get(self.prefix + name)

    def linear(self, name, x):
        return functional.linear(x, self.tensor(name + ".weight"), self.tensor(name + ".bias"))

    def norm(self, name, x, epsilon):
        gain = self.tensor(name + ".weight")
        shift = self.tensor(name + ".bias")
        if gain is None:
            gain, shift = self.tensor(name + ".gamma"), self.tensor(name + ".beta")
        return functional.layer_norm(x, x.shape[-1:], gain, shift, epsilon)

    def heads(self, x, count):
        return x.view(x.shape[0], count, -1).transpose(0, 1)

    def attend(self, q, k, v, count, bias=None):
        """Rows are tokens; `bias` is added to scores of [heads, tokens, tokens]."""
        q, k, v = (self.heads(x, count) for x in (q, k, v))
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if bias is not None:
            scores = scores + bias
        out = torch.softmax(scores, -1) @ v
        return out.transpose(0, 1).reshape(out.shape[1], -1)


def gelu(x):
    return functional.gelu(x)


def gelu_new(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def rotated(x, count, base, divisor=1.0):
    """Rotary positions, half-split, of all heads of queries or keys."""
    size = x.shape[-1] // count
    frequencies = 1.0 / base ** (torch.arange(0, size, 2, dtype=torch.float64) / size) / divisor
    angles = torch.outer(torch.arange(x.shape[0], dtype=torch.float64), frequencies)
    angles = torch.cat((angles, angles), -1)
    cosines, sines = angles.cos().float()[:, None], angles.sin().float()[:, None]
    x = x.view(x.shape[0], count, size)
    turned = torch.cat((-x[..., size // 2:], x[..., :size // 2]), -1)
    return (x * cosines + turned * sines).reshape(x.shape[0], -1)


def bert(config, tensors, ids, types, prefix="", first_position=0):
    e = Encoder(config, tensors, prefix)
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]
    act = {"gelu": gelu, "gelu_new": gelu_new}[config["hidden_act"]]
    types = torch.clamp(types, max=config["type_vocab_size"] - 1)
    x = (e.tensor("embeddings.word_embeddings.weight")[ids]
         + e.tensor("embeddings.position_embeddings.weight")[torch.arange(len(ids)) + first_position]
         + e.tensor("embeddings.token_type_embeddings.weight")[types])
    x = e.norm("embeddings.LayerNorm", x, epsilon)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = (e.linear(at + "attention.self." + part, x) for part in ("query", "key", "value"))
        y = e.linear(at + "attention.output.dense", e.attend(q, k, v, heads))
        x = e.norm(at + "attention.output.LayerNorm", x + y, epsilon)
        y = e.linear(at + "output.dense", act(e.linear(at + "intermediate.dense", x)))
        x = e.norm(at + "output.LayerNorm", x + y, epsilon)
    return x


def old_bert(config, tensors, ids, types):
    return bert(config, tensors, ids, types, prefix="bert.")


def roberta(config, tensors, ids, types):
    return bert(config, tensors, ids, types, "roberta.", config["pad_token_id"] + 1)


def distilbert(config, tensors, ids, types):
    e = Encoder(config, tensors, "distilbert.")
    x = (e.tensor("embeddings.word_embeddings.weight")[ids]
         + e.tensor("embeddings.position_embeddings.weight")[:len(ids)])
    x = e.norm("embeddings.LayerNorm", x, 1e-12)
    for layer in range(config["n_layers"]):
        at = f"transformer.layer.{layer}."
        q, k, v = (e.linear(at + "attention." + part, x) for part in ("q_lin", "k_lin", "v_lin"))
        y = e.linear(at + "attention.out_lin", e.attend(q, k, v, config["n_heads"]))
        x = e.norm(at + "sa_layer_norm", x + y, 1e-12)
        y = e.linear(at + "ffn.lin2", gelu(e.linear(at + "ffn.lin1", x)))
        x = e.norm(at + "output_layer_norm", x + y, 1e-12)
    return x


def mpnet_bias(e, tokens, buckets):
    positions = torch.arange(tokens)
    away = -(positions[None, :] - positions[:, None])
    half = buckets // 2
    side = (away < 0).long() * half
    away = away.abs()
    exact = half // 2
    far = exact + (torch.log(away.float() / exact) / math.log(128 / exact)
                   * (half - exact)).clamp(0, 1e6).long()
    bucket = side + torch.where(away < exact, away, far.clamp(max=half - 1))
    return e.tensor("encoder.relative_attention_bias.weight")[bucket].permute(2, 0, 1)


def mpnet(config, tensors, ids, types):
    e = Encoder(config, tensors)
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]
    first = config["pad_token_id"] + 1
    x = (e.tensor("embeddings.word_embeddings.weight")[ids]
         + e.tensor("embeddings.position_embeddings.weight")[torch.arange(len(ids)) + first])
    x = e.norm("embeddings.LayerNorm", x, epsilon)
    bias = mpnet_bias(e, len(ids), config["relative_attention_num_buckets"])
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = (e.linear(at + "attention.attn." + part, x) for part in "qkv")
        y = e.linear(at + "attention.attn.o", e.attend(q, k, v, heads, bias))
        x = e.norm(at + "attention.LayerNorm", x + y, epsilon)
        y = e.linear(at + "output.dense", gelu(e.linear(at + "intermediate.dense", x)))
        x = e.norm(at + "output.LayerNorm", x + y, epsilon)
    return x


def modernbert(config, tensors, ids, types):
    e = Encoder(config, tensors, "model.")
    epsilon, heads, width = config["norm_eps"], config["num_attention_heads"], config["hidden_size"]
    x = e.norm("embeddings.norm", e.tensor("embeddings.tok_embeddings.weight")[ids], epsilon)
    away = (torch.arange(len(ids))[None] - torch.arange(len(ids))[:, None]).abs()
    window = torch.where(away <= config["local_attention"] // 2, 0.0, -math.inf)
    for layer in range(config["num_hidden_layers"]):
        at = f"layers.{layer}."
        sees_all = layer % config["global_attn_every_n_layers"] == 0
        base = config["global_rope_theta" if sees_all else "local_rope_theta"]
        y = x if layer == 0 else e.norm(at + "attn_norm", x, epsilon)
        q, k, v = e.linear(at + "attn.Wqkv", y).split(width, -1)
        q, k = rotated(q, heads, base), rotated(k, heads, base)
        x = x + e.linear(at + "attn.Wo", e.attend(q, k, v, heads, None if sees_all else window))
        up, gate = e.linear(at + "mlp.Wi", e.norm(at + "mlp_norm", x, epsilon)).chunk(2, -1)
        x = x + e.linear(at + "mlp.Wo", gelu(up) * gate)
    return e.norm("final_norm", x, epsilon)


def nomic(config, tensors, ids, types):
    e = Encoder(config, tensors)
    epsilon, heads, width = config["layer_norm_epsilon"], config["n_head"], config["n_embd"]
    x = (e.tensor("embeddings.word_embeddings.weight")[ids]
         + e.tensor("embeddings.token_type_embeddings.weight")[types])
    x = e.norm("emb_ln", x, epsilon)
    for layer in range(config["n_layer"]):
        at = f"encoder.layers.{layer}."
        q, k, v = e.linear(at + "attn.Wqkv", x).split(width, -1)
        q, k = (rotated(part, heads, config["rotary_emb_base"]) for part in (q, k))
        y = e.linear(at + "attn.out_proj", e.attend(q, k, v, heads))
        x = e.norm(at + "norm1", x + y, epsilon)
        y = e.linear(at + "mlp.fc11", x) * functional.silu(e.linear(at + "mlp.fc12", x))
        x = e.norm(at + "norm2", x + e.linear(at + "mlp.fc2", y), epsilon)
    return x


def gte(config, tensors, ids, types):
    e = Encoder(config, tensors, "new.")
    epsilon, heads, width = config["layer_norm_eps"], config["num_attention_heads"], config["hidden_size"]
    factor = config["rope_scaling"]["factor"]
    base, divisor = config["rope_theta"] * factor, factor ** (2 / (width // heads))
    x = e.norm("embeddings.LayerNorm", e.tensor("embeddings.word_embeddings.weight")[ids], epsilon)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = e.linear(at + "attention.qkv_proj", x).split(width, -1)
        q, k = (rotated(part, heads, base, divisor) for part in (q, k))
        x = e.norm(at + "attn_ln", x + e.linear(at + "attention.o_proj", e.attend(q, k, v, heads)), epsilon)
        up, gate = e.linear(at + "mlp.up_gate_proj", x).chunk(2, -1)
        x = e.norm(at + "mlp_ln", x + e.linear(at + "mlp.down_proj", gelu(gate) * up), epsilon)
    return x
