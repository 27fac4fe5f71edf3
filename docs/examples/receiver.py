"""Receives webhooks: believes only what is signed with the endpoint's secret, and takes each delivery once."""
import hashlib
import hmac
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300


def is_genuine(header, body, secrets, now=None):
    """Whether a header X-Svc-Signature is of this very body, by one of the secrets, and of the last 300 seconds."""
    parts = [part.partition("=") for part in header.split(",")]
    t = next((value for name, _, value in parts if name == "t"), "")
    if not (t.isascii() and t.isdigit()) or abs((now or time.time()) - int(t)) > TOLERANCE_SECONDS:
        return False
    given = [value.encode() for name, _, value in parts if name == "v1"]
    right = [hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest().encode() for secret in secrets]
    return any(hmac.compare_digest(one, mac) for mac in right for one in given)


# Deliveries come at least once. In production this is a table with a unique key, written in the transaction that does the
# work of the event, so that a crash in between neither loses nor repeats it.
taken = set()
taking = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        # The raw bytes: JSON that is parsed and written again is not the same text.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        secrets = os.environ.get("WEBHOOK_SECRET", "").split()
        if not is_genuine(self.headers.get("X-Svc-Signature", ""), body, secrets):
            return self.answer(401)
        delivery = self.headers.get("X-Svc-Delivery", "")
        with taking:
            is_new = delivery not in taken
            taken.add(delivery)
            if is_new:
                print(delivery, body.decode(), flush=True)
        self.answer(204)  # a repeated one too, or it would be sent again

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "9090"))
    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    print(f"listening on {port}", flush=True)
    server.serve_forever()
