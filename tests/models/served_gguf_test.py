#!/usr/bin/env python3
"""served_gguf_test.py BINARY: a GGUF file is imported, listed, answers as PyTorch does on the
numbers that it holds, and is removed; what makes no model is refused with what is wrong."""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy
import torch

import gguf_files
import gguf_test
import random_decoders
import torch_decoders

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cairn_server import Cairn  # noqa: E402

TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
TEXTS = {"ab": [2], "abba": [2, 1, 0], "bab": [1, 2]}


def write_model(path):
    config = {**random_decoders.BASE, **random_decoders.CONFIGS["llama"], **gguf_test.WIDE}
    tensors = random_decoders.weights_of(config, 7)
    held = gguf_files.write_decoder(path, config, tensors, lambda name: gguf_files.Q4_0,
                                    random_decoders.head_size(config), more=[
                                        ("tokenizer.chat_template", gguf_files.STRING, TEMPLATE)])
    return torch_decoders.Decoder(config, held)


class Server(Cairn):
    def cli(self, *words):
        key = os.path.join(self.data, "keys/admin.key")
        command = [self.binary, "model", *words, "--server", self.api, "--key-file", key]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return run.returncode, run.stdout, run.stderr


def check_vectors(cairn, decoder):
    status, made = cairn.request("PUT", "/_inference/text_embedding/e", {
        "service": "cairn",
        "service_settings": {"model_id": "tiny.q4_0", "num_allocations": 1, "num_threads": 1}})
    assert status == 200 and made["service_settings"]["dimensions"] == 256, made
    status, answer = cairn.request("POST", "/_inference/text_embedding/e", {"input": list(TEXTS)})
    assert status == 200, answer
    for (text, ids), got in zip(TEXTS.items(), answer["text_embedding"]):
        wanted = decoder.states(ids)[-1].numpy()
        cosine = float(numpy.dot(wanted, got["embedding"]) / numpy.linalg.norm(wanted))
        assert cosine > 0.998, (text, cosine)
    assert cairn.request("DELETE", "/_inference/text_embedding/e")[0] == 200


def check_completion(cairn):
    """The template in the file makes a prompt, and the tokenizer in it the text of the answer."""
    status, made = cairn.request("PUT", "/_inference/completion/c", {
        "service": "cairn",
        "service_settings": {"model_id": "tiny.q4_0", "num_allocations": 1, "num_threads": 1}})
    assert status == 200, made
    text = ""
    for _ in range(200):  # an answer may end at once
        if len(text) > 10:
            break
        status, answer = cairn.request("POST", "/_inference/completion/c", {"input": "abba"})
        assert status == 200, answer
        text += answer["completion"][0]["result"]
    assert len(text) > 10 and set(text) <= set("abw0123456789"), text
    assert cairn.request("DELETE", "/_inference/completion/c")[0] == 200


def check_import(cairn, folder):
    path = os.path.join(folder, "Tiny.Q4_0.gguf")
    decoder = write_model(path)
    status, out, err = cairn.cli("import", path)
    assert (status, out) == (0, "tiny.q4_0\n"), (status, out, err)
    status, out, err = cairn.cli("import", folder, "--id", "tiny.q4_0")
    assert status == 0 and "is in the store already" in err, (status, out, err)
    status, out, err = cairn.cli("list")
    assert status == 0 and "tiny.q4_0" in out, (status, out, err)
    with torch.no_grad():
        check_vectors(cairn, decoder)
    check_completion(cairn)
    status, out, err = cairn.cli("remove", "tiny.q4_0")
    assert status == 0, (status, out, err)
    assert "tiny.q4_0" not in cairn.cli("list")[1]


def check_refused(cairn, folder):
    path = os.path.join(folder, "bad.gguf")
    gguf_files.write(path, [("general.architecture", gguf_files.STRING, "mamba")], [])
    status, out, err = cairn.cli("import", path)
    assert status != 0 and "[general.architecture] is [mamba]" in err, (status, out, err)
    status, out, err = cairn.cli("import", folder, "--id", "two")
    assert status != 0 and "several GGUF files" in err, (status, out, err)


def main():
    cairn = Server(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="cairn-gguf-")
    torch.set_num_threads(1)
    try:
        cairn.start()
        check_import(cairn, folder)
        check_refused(cairn, folder)
        assert cairn.stop() == 0
        print("all well")
    finally:
        if cairn.process is not None and cairn.process.poll() is None:
            cairn.kill()
        for each in (cairn.folder, folder):
            shutil.rmtree(each, ignore_errors=True)


if __name__ == "__main__":
    main()
