"""Encoders of random weights in the shapes of well-known ones, in two forms of the same numbers: a folder
of the Hugging Face layout, and graphs for ONNX Runtime with its fused operators, in fp32 and with dynamic
int8 (the strongest forms that it has on a processor).     Debian: python3-numpy python3-onnx

    models.py FOLDER NAME        writes FOLDER/NAME/, FOLDER/NAME.float32.onnx, FOLDER/NAME.int8.onnx, and
                                 FOLDER/NAME-words/, the same with the head of masked words
"""

import json
import os
import struct
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS, TOKENS = 30522, 512
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SHAPES = {  # layers, hidden, wide
    "minilm-l6": (6, 384, 1536),
    "bert-base": (12, 768, 3072),
}
HEADS = 12
SPREAD = numpy.float32(0.04)
EPSILON = 1e-12
FUSED = "com.microsoft"


def random_tensors(name):
    layers, hidden, wide = SHAPES[name]
    numbers = numpy.random.default_rng(7)
    out = {}

    def matrix(key, *shape):
        out[key] = numbers.standard_normal(shape, dtype=numpy.float32) * SPREAD

    def linear(key, columns, depth):
        matrix(key + ".weight", columns, depth)
        matrix(key + ".bias", columns)

    def norm(key):
        matrix(key + ".weight", hidden)
        out[key + ".weight"] += 1
        matrix(key + ".bias", hidden)

    matrix("embeddings.word_embeddings.weight", WORDS, hidden)
    matrix("embeddings.position_embeddings.weight", TOKENS, hidden)
    matrix("embeddings.token_type_embeddings.weight", 2, hidden)
    norm("embeddings.LayerNorm")
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            linear(at + "attention.self." + part, hidden, hidden)
        linear(at + "attention.output.dense", hidden, hidden)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", wide, hidden)
        linear(at + "output.dense", hidden, wide)
        norm(at + "output.LayerNorm")
    linear("cls.predictions.transform.dense", hidden, hidden)
    norm("cls.predictions.transform.LayerNorm")
    matrix("cls.predictions.bias", WORDS)
    return out


def save_config(folder, name, architecture):
    layers, hidden, wide = SHAPES[name]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "bert", "architectures": [architecture], "hidden_size": hidden,
                   "num_hidden_layers": layers, "num_attention_heads": HEADS, "intermediate_size": wide,
                   "vocab_size": WORDS, "max_position_embeddings": TOKENS, "type_vocab_size": 2,
                   "hidden_act": "gelu", "layer_norm_eps": EPSILON, "pad_token_id": 0}, file)


def save_folder(folder, tensors):
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(SPECIAL + [f"w{i}" for i in range(len(SPECIAL), WORDS)]))
    head, at = {}, 0
    for key, numbers in tensors.items():
        head[key] = {"dtype": "F32", "shape": list(numbers.shape), "data_offsets": [at, at + numbers.nbytes]}
        at += numbers.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for numbers in tensors.values():
            file.write(numbers.tobytes())


class Graph:
    """Layers as ONNX Runtime fuses them. Results carry the names of their nodes."""

    def __init__(self, name, tensors, int8):
        self.layers, self.hidden, _ = SHAPES[name]
        self.name, self.tensors, self.int8 = name, tensors, int8
        self.nodes, self.constants = [], []

    def constant(self, name, numbers):
        self.constants.append(numpy_helper.from_array(numpy.ascontiguousarray(numbers), name))
        return name

    def tensor(self, key):
        return self.constant(key, self.tensors[key])

    def node(self, kind, inputs, output, domain="", **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return output

    def rounded(self, name, weights):
        """Bytes and their scale, one for the whole matrix."""
        scale = numpy.float32(numpy.abs(weights).max() / 127)
        whole = numpy.clip(numpy.round(weights / scale), -127, 127).astype(numpy.int8)
        return self.constant(name + ".bytes", whole), self.constant(name + ".scale", scale)

    def linear(self, rows, key, output):
        """Without the bias, which the next node adds."""
        weights = self.tensors[key + ".weight"].T
        if not self.int8:
            return self.node("MatMul", [rows, self.constant(key + ".turned", weights)], output)
        whole, scale = self.rounded(key, weights)
        zero = self.constant(key + ".zero", numpy.int8(0))
        return self.node("DynamicQuantizeMatMul", [rows, whole, scale, zero], output, FUSED)

    def attention(self, rows, at, output):
        parts = [at + "attention.self." + part for part in ("query", "key", "value")]
        weights = numpy.concatenate([self.tensors[part + ".weight"].T for part in parts], 1)
        bias = self.constant(at + "joined.bias",
                             numpy.concatenate([self.tensors[part + ".bias"] for part in parts]))
        if not self.int8:
            joined = self.constant(at + "joined", weights)
            return self.node("Attention", [rows, joined, bias, "mask"], output, FUSED, num_heads=HEADS)
        whole, scale = self.rounded(at + "joined", weights)
        zero = self.constant(at + "joined.zero", numpy.int8(0))
        bytes_, spread, middle = self.node("DynamicQuantizeLinear", [rows],
                                           [output + ".rows", output + ".spread", output + ".middle"])
        return self.node("QAttention", [bytes_, whole, bias, spread, scale, "mask", middle, zero],
                         output, FUSED, num_heads=HEADS)

    def added_and_normal(self, rows, residual, norm, linear, output):
        return self.node("SkipLayerNormalization",
                         [rows, residual, self.tensor(norm + ".weight"), self.tensor(norm + ".bias"),
                          self.tensor(linear + ".bias")], output, FUSED, epsilon=EPSILON)

    def layer(self, rows, index):
        at = f"encoder.layer.{index}."
        attended = self.attention(rows, at, at + "attended")
        dense = at + "attention.output.dense"
        rows = self.added_and_normal(self.linear(attended, dense, at + "dense"), rows,
                                     at + "attention.output.LayerNorm", dense, at + "between")
        up, down = at + "intermediate.dense", at + "output.dense"
        wide = self.node("BiasGelu", [self.linear(rows, up, at + "up"), self.tensor(up + ".bias")],
                         at + "wide", FUSED)
        return self.added_and_normal(self.linear(wide, down, at + "down"), rows,
                                     at + "output.LayerNorm", down, at + "out")

    def model(self):
        embeddings = "embeddings."
        first_type = self.tensors[embeddings + "token_type_embeddings.weight"][0]
        places = self.tensors[embeddings + "position_embeddings.weight"] + first_type
        rows, _ = self.node(
            "EmbedLayerNormalization",
            ["ids", "", self.tensor(embeddings + "word_embeddings.weight"), self.constant("places", places),
             "", self.tensor(embeddings + "LayerNorm.weight"), self.tensor(embeddings + "LayerNorm.bias"),
             "mask"], ["embedded", "lengths"], FUSED, epsilon=EPSILON)
        for index in range(self.layers):
            rows = self.layer(rows, index)
        self.node("Cast", ["mask"], "counted", to=TensorProto.FLOAT)
        self.node("Unsqueeze", ["counted", self.constant("last", numpy.array([2]))], "wide_mask")
        self.node("Mul", [rows, "wide_mask"], "seen")
        self.node("ReduceSum", ["seen", self.constant("tokens", numpy.array([1]))], "sum", keepdims=0)
        self.node("LpNormalization", ["sum"], "embedding", axis=1, p=2)
        whole = [helper.make_tensor_value_info(name, TensorProto.INT32, ["rows", "tokens"])
                 for name in ("ids", "mask")]
        result = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["rows", self.hidden])
        graph = helper.make_graph(self.nodes, self.name, whole, [result], self.constants)
        out = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16),
                                                      helper.make_opsetid(FUSED, 1)])
        out.ir_version = 8
        return out


def make(folder, name):
    if os.path.exists(os.path.join(folder, name + ".int8.onnx")):
        return
    tensors = random_tensors(name)
    plain, words = os.path.join(folder, name), os.path.join(folder, name + "-words")
    save_config(plain, name, "BertModel")
    save_folder(plain, tensors)
    save_config(words, name, "BertForMaskedLM")
    for file in ("vocab.txt", "model.safetensors"):
        os.link(os.path.join(plain, file), os.path.join(words, file))
    for kind in ("float32", "int8"):
        onnx.save(Graph(name, tensors, kind == "int8").model(), os.path.join(folder, f"{name}.{kind}.onnx"))


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2])
