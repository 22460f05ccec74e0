#!/usr/bin/env python3
"""fetched_models_test.py BINARY: models of random weights go from a bucket through download, verification
and deployment, and answer as PyTorch does; also after a restart, and imported by the command line."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import torch

import random_models
from served_models_test import Cairn, Served, check_dense, check_rerank, check_sparse


def run(cairn, words):
    """The command line with the keys of this server's first start."""
    with open(os.path.join(cairn.data, "keys/admin-s3.json")) as file:
        pair = json.load(file)
    done = subprocess.run(
        [cairn.binary, *words], capture_output=True, text=True, timeout=120, check=False,
        env=dict(os.environ, AWS_ACCESS_KEY_ID=pair["access_key_id"],
                 AWS_SECRET_ACCESS_KEY=pair["secret_access_key"]))
    assert done.returncode == 0, done.stderr
    return done.stdout


def main():
    cairn = Cairn(sys.argv[1])
    models = tempfile.mkdtemp(prefix="cairn-models-")
    torch.set_num_threads(1)
    try:
        dense = Served(models, "dense", "bert", "text_embedding")
        sparse = Served(models, "sparse", "old_bert", "sparse_embedding",
                        random_models.word_head(*random_models.BERT_WORDS))
        scored = Served(models, "scored", "old_bert", "rerank", random_models.rerank_head)
        cairn.start("--set", "models.sources=s3://shelf/models")
        place = ["--endpoint-url", cairn.objects]
        run(cairn, ["objects", "mb", "s3://shelf", *place])
        for model in (dense, sparse):
            run(cairn, ["objects", "cp", "--recursive", model.path, "s3://shelf/models/" + model.name,
                        *place])
        printed = run(cairn, ["model", "import", scored.path, "--server", cairn.api, "--key-file",
                              os.path.join(cairn.data, "keys/admin.key")])
        assert printed == "scored\n", printed
        with torch.no_grad():
            check_dense(cairn, dense)
            check_sparse(cairn, sparse)
            check_rerank(cairn, scored)
            log = cairn.log_tail(200)
            assert '"event":"model_downloaded","model_id":"dense","source":"s3://shelf/models"' in log, log
            cairn.kill()
            cairn.start()  # without the source: what was fetched is here
            for model in (dense, sparse, scored):
                cairn.ok("DELETE", f"/_inference/{model.name}-endpoint")
            check_dense(cairn, dense)
        assert cairn.stop() == 0
        print("all well")
    finally:
        if cairn.process is not None and cairn.process.poll() is None:
            cairn.kill()
        for folder in (cairn.folder, models):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
