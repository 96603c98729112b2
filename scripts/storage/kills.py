"""Kills of the program at the requests of its publisher: see scripts/storage.sh."""

import http.client
import http.server
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

import boto3

BUCKET = "bucket"
INPUTS = 200


class Killer:
    """Decides which PUT kills the program, and whether the server has stored its object by then."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.process = None
        self.left = 0
        self.before = self.after = self.puts = 0

    def arm(self, process):
        with self.lock:
            self.process, self.left = process, self.random.randint(1, 6)

    def disarm(self):
        with self.lock:
            self.process = None

    def is_due(self):
        with self.lock:
            self.puts += 1
            self.left -= 1
            return self.process is not None and self.left == 0

    def kill(self, is_stored):
        with self.lock:
            if self.process is None:
                return
            self.process.kill()
            self.process = None
            if is_stored:
                self.after += 1
            else:
                self.before += 1

    def kills(self):
        return self.before + self.after


def proxy(port, killer):
    """A server that passes requests on to another, and kills the program at some of them."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            is_due = self.command == "PUT" and killer.is_due()
            if is_due and killer.random.random() < 0.5:
                killer.kill(is_stored=False)
                self.close_connection = True
                return
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request(self.command, self.path, body, dict(self.headers))
            response = connection.getresponse()
            content = response.read()
            if is_due:
                killer.kill(is_stored=True)
                self.close_connection = True
                return
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in ("connection", "date", "server", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_HEAD = do_PUT = do_POST = handle_any

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_storage():
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process, port
        except OSError:
            if process.poll() is not None:
                sys.exit("the S3 server does not start")
            time.sleep(0.1)


def objects(client, prefix):
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
    names = [item["Key"] for page in pages for item in page.get("Contents", [])]
    read = lambda name: client.get_object(Bucket=BUCKET, Key=name)["Body"].read()
    return {name.removeprefix(prefix): read(name) for name in sorted(names)}


def check(found, results, out):
    parts = b"".join(text for name, text in found.items() if name.startswith("part-"))
    assert parts == results, f"{out}: the parts are not the results"
    indexes = sorted(json.loads(line)["index"] for line in parts.splitlines())
    assert indexes == list(range(INPUTS)), f"{out}: a line is lost or there twice"
    manifest = json.loads(found["manifest.json"])
    listed = [part["name"] for part in manifest["parts"]]
    assert listed == [name for name in found if name.startswith("part-")], f"{out}: the manifest"
    return len(listed)


def main():
    program, kills, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    print(f"seed {seed}", flush=True)
    killer = Killer(seed)
    storage, port = start_storage()
    local = subprocess.Popen([program, "local", "--json"], stdout=subprocess.PIPE, text=True)
    try:
        address = json.loads(local.stdout.readline())
        endpoint = f"http://127.0.0.1:{proxy(port, killer)}"
        variables = os.environ | {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "PODQUEUE_API_KEY": address["api_key"],
            "PODQUEUE_BASE_URL": address["base_url"],
        }
        client = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{port}",
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        client.create_bucket(Bucket=BUCKET)
        text = "".join(f'{{"n": {n}}}\n' for n in range(INPUTS))
        client.put_object(Bucket=BUCKET, Key="in.jsonl", Body=text)
        began, batches, runs, parts = time.monotonic(), 0, 0, 0
        while killer.kills() < kills:
            out = f"out-{batches}/"
            with tempfile.TemporaryDirectory() as folder:
                command = [program, "batch", "run", f"s3://{BUCKET}/in.jsonl", "-e", "echo"]
                command += ["-o", f"s3://{BUCKET}/{out}", "--no-rate-limits"]
                while True:
                    # The end of each run publishes a part.
                    take = ["--take", str(killer.random.randint(1, 60))]
                    runs += 1
                    run = subprocess.Popen(
                        command + take,
                        cwd=folder,
                        env=variables,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE,
                        text=True,
                    )
                    killer.arm(run)
                    _, errors = run.communicate()
                    killer.disarm()
                    # 3: inputs are left. Kills only happen while nothing is being submitted.
                    assert run.returncode in (0, 3, -9), f"{run.returncode}: {errors}"
                    if run.returncode == 0:
                        break
                with open(os.path.join(folder, "in.results.jsonl"), "rb") as results:
                    parts += check(objects(client, out), results.read(), out)
            batches += 1
        seconds = time.monotonic() - began
        print(
            f"{killer.kills()} kills ({killer.before} before an object was stored, {killer.after} "
            f"after it), {batches} batches of {INPUTS} inputs, {runs} runs, {parts} parts, "
            f"{killer.puts} requests to store, {seconds:.0f} s: nothing is lost, nothing is twice"
        )
    finally:
        local.kill()
        storage.kill()


main()
