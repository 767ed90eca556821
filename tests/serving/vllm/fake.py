"""A stand-in for ``vllm serve``: its documented HTTP interface, with the answers that a bundle recorded.

Standard library alone, so that it starts at once: ``python fake.py BASE --port N ...``. It reads the file in
FAKE_VLLM on every request: ``{"prompts": {images: token ids}, "base": probes, "behaviour": name}``, and writes
what it was asked beside it.
"""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KINDS = ("text", "image", "images")
TOKEN = "token_id:{}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def facts(self):
        return json.loads(Path(os.environ["FAKE_VLLM"]).read_text())

    def do_GET(self):
        self.answer(200, {}) if self.path == "/health" else self.answer(404, {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with Path(os.environ["FAKE_VLLM"] + ".log").open("a") as log:
            log.write(json.dumps({"path": self.path, "body": body}) + "\n")
        if self.headers.get("authorization") != f"Bearer {os.environ['VLLM_API_KEY']}":
            self.answer(401, {"error": "Unauthorized"})
        elif self.path == "/v1/load_lora_adapter":
            self.load(body)
        elif self.path == "/v1/unload_lora_adapter":
            self.server.adapters.pop(body["lora_name"])
            self.text(f"Success: LoRA adapter '{body['lora_name']}' removed successfully.")
        else:
            self.chat(body)

    def load(self, body):
        if self.facts["behaviour"] == "refuse" or not Path(body["lora_path"], "adapter_config.json").is_file():
            self.error(400, "BadRequestError", "LoRA rank is greater than max_lora_rank")
            return
        self.server.adapters[body["lora_name"]] = body["lora_path"]
        self.text(f"Success: LoRA adapter '{body['lora_name']}' added successfully.")

    def chat(self, body):
        if body["model"] != "base" and body["model"] not in self.server.adapters:
            self.error(404, "NotFoundError", f"The model `{body['model']}` does not exist.")
            return
        parts = [part for message in body["messages"] if isinstance(message["content"], list)
                 for part in message["content"]]  # fmt: skip
        kind = min(sum(part["type"] == "image_url" for part in parts), 2)
        probe = self.probe(body["model"], KINDS[kind])
        prompt = self.facts["prompts"][str(kind)]
        if self.facts["behaviour"] == "too long":
            self.error(400, "BadRequestError", "the context holds 10 tokens")
        elif body.get("stream"):
            self.stream(body, probe["answer"], prompt)
        else:
            self.first_token(body, probe, prompt)

    def probe(self, model, kind):
        behaviour = self.facts["behaviour"]
        base = self.facts["base"][kind]
        if model == "base" or behaviour == "no effect":
            return {"top": base["base"], "answer": base["answer"]}
        recorded = json.loads(Path(self.server.adapters[model], "../bundle.json").read_text())["probes"][kind]
        shift = 3.0 if behaviour == "other" else 0.0
        top = [{"id": token["id"], "logprob": token["logprob"] - shift} for token in recorded["adapter"]]
        return {"top": top, "answer": recorded["answer"]}

    def first_token(self, body, probe, prompt):
        known = {token["id"]: token["logprob"] for token in probe["top"]}
        tops = [entry(token, known.get(token, -30.0)) for token in body["logprob_token_ids"]]
        best = probe["top"][0]
        content = [entry(best["id"], best["logprob"]) | {"top_logprobs": tops}]
        choice = {"index": 0, "message": {"role": "assistant", "content": "x"}, "logprobs": {"content": content}}
        prompt = prompt[1:] if self.facts["behaviour"] == "prompt" else prompt
        self.answer(200, {"choices": [choice], "prompt_token_ids": prompt, "model": body["model"]})

    def stream(self, body, answer, prompt):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}],
                    "prompt_token_ids": prompt})  # fmt: skip
        answer = answer[: body["max_completion_tokens"]]
        if self.facts["behaviour"] == "slow":
            time.sleep(1.5)
        for begin in range(0, len(answer), body["stream_interval"]):
            ids = answer[begin : begin + body["stream_interval"]]
            choice = {"index": 0, "delta": {"content": "?"}, "token_ids": ids, "logprobs": None}
            if body.get("logprobs"):
                tops = [entry(i, -0.5 - i) for i in range(body["top_logprobs"])]
                choice["logprobs"] = {"content": [entry(token, -0.25) | {"top_logprobs": tops} for token in ids]}
            if self.facts["behaviour"] == "break" and begin:
                self.event({"error": {"message": "EngineCore died", "type": "InternalServerError", "code": 500}})
                return
            self.event({"choices": [choice]})
        self.event({"choices": [], "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(answer)}})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def event(self, data):
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())

    def error(self, status, kind, message):
        self.answer(status, {"error": {"message": message, "type": kind, "param": None, "code": status}})

    def answer(self, status, data):
        self.send(status, "application/json", json.dumps(data).encode())

    def text(self, text):
        self.send(200, "text/plain", text.encode())

    def send(self, status, kind, content):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def entry(token, logprob):
    return {"token": TOKEN.format(token), "logprob": logprob, "bytes": None, "top_logprobs": []}


class Server(ThreadingHTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    if sys.argv[1] == "end":
        sys.exit(3)
    with Server(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler) as server:
        server.adapters = {}
        server.serve_forever()
