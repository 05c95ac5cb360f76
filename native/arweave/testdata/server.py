"""A gateway that misbehaves on request, for native/arweave's tests.

usage: server.py [TLS_DIRECTORY]

Listens on a free port of 127.0.0.1 and prints it; ends when its standard input does. The first part of a path
names the behaviour, so that one server is many gateways: http://127.0.0.1:PORT/missing is one that answers 404.
With a TLS_DIRECTORY it makes a self-signed certificate there (cert.pem) and speaks https.
"""

import http.server
import os
import ssl
import subprocess
import sys
import threading
import time

KERNEL = b"@compute @workgroup_size(1) fn main() {} // \xc3\xa9\n"
counts = {}
counts_lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        behaviour, _, rest = self.path[1:].partition("/")
        with counts_lock:
            counts[behaviour] = counts.get(behaviour, 0) + 1
        try:
            getattr(self, "do_" + behaviour)(rest)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, status, body=b"", content_type="text/plain", **headers):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", headers.pop("length", len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_ok(self, rest):
        self.answer(200, KERNEL)

    def do_named(self, rest):
        self.answer(200, ("// " + rest + "\n").encode())

    def do_agent(self, rest):
        self.answer(200, ("// " + self.headers["User-Agent"]).encode())

    def do_missing(self, rest):
        self.answer(404, b"Not Found")

    def do_gone(self, rest):
        self.answer(410)

    def do_broken(self, rest):
        self.answer(500, b"oops")

    def do_pending(self, rest):
        self.answer(202, b"Pending")

    def do_redirect(self, rest):
        self.answer(302, Location="/ok/" + rest)

    def do_absolute(self, rest):
        self.answer(307, Location="http://%s/ok/%s" % (self.headers["Host"], rest))

    def do_hops(self, rest):
        left, _, txid = rest.partition("/")
        self.answer(302, Location="/hops/%d/%s" % (int(left) - 1, txid) if int(left) > 1 else "/ok/" + txid)

    def do_loop(self, rest):
        self.answer(302, Location="/loop/" + rest)

    def do_nowhere(self, rest):
        self.answer(302)

    def do_ftp(self, rest):
        self.answer(302, Location="ftp://127.0.0.1/" + rest)

    def do_file(self, rest):
        self.answer(302, Location="file:///etc/passwd")

    def do_downgrade(self, rest):
        self.answer(302, Location="http://127.0.0.1:%s/ok/%s" % (rest.split("/")[0], rest.split("/")[1]))

    def do_slow(self, rest):
        time.sleep(20)
        self.answer(200, KERNEL)

    def do_soon(self, rest):
        time.sleep(0.3)
        self.answer(200, KERNEL)

    def do_stalled(self, rest):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"fn")
        self.wfile.flush()
        time.sleep(20)

    def do_truncated(self, rest):
        self.answer(200, KERNEL, length=len(KERNEL) + 10)
        self.close_connection = True

    def do_announced(self, rest):
        self.answer(200, b"x" * 100, length=1 << 40)
        self.close_connection = True

    def do_endless(self, rest):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            self.wfile.write(b"1000\r\n" + b"/" * 0x1000 + b"\r\n")

    def do_html(self, rest):
        self.answer(200, KERNEL, content_type="Text/HTML; charset=utf-8")

    def do_markup(self, rest):
        self.answer(200, b"\n <!DOCTYPE html><title>Gateway</title>")

    def do_latin(self, rest):
        self.answer(200, b"// \xe9\n")

    def do_surrogate(self, rest):
        self.answer(200, b"// \xed\xa0\x80\n")

    def do_nul(self, rest):
        self.answer(200, b"fn\0main")

    def do_empty(self, rest):
        self.answer(200)

    def do_count(self, rest):
        with counts_lock:
            self.answer(200, b"%d" % counts.get(rest.split("/")[0], 0))

    def log_message(self, *arguments):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if len(sys.argv) > 1:
        key, cert = (os.path.join(sys.argv[1], name) for name in ("key.pem", "cert.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert,
                        "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


main()
