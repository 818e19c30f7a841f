"""The part of GitHub's REST API that the action uses, on loopback: comments of one pull request, kept in memory. Calls that
the real service would refuse are refused; `calls` has them all."""
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

# Who a token belongs to, and whether it may write.
TOKENS = {
    "of-the-workflow": (None, True),
    "of-a-fork": (None, False),
    "of-ann": ("ann", True),
}
BOT = {"login": "github-actions[bot]", "type": "Bot"}
# Characters of a comment.
LONGEST = 65_536


class GitHub:
    """The service, with a pull request that others have talked about at length."""

    def __init__(self, number, others):
        self.number = number
        self.comments = [{"id": 1000 + n, "user": {"login": "mallory", "type": "User"}, "body": body} for n, body in enumerate(others)]
        self.calls = []
        self.down = False
        service = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self):
                length = int(self.headers.get("Content-Length", 0))
                code, value = service.answer(self.command, self.path, self.headers, self.rfile.read(length))
                body = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = answer

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, method, path, headers, body):
        url = urlsplit(path)
        self.calls.append((method, path))
        if self.down:
            return 503, {"message": "No server is currently available"}
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in TOKENS:
            return 401, {"message": "Bad credentials"}
        if headers.get("Accept") != "application/vnd.github+json" or not headers.get("X-GitHub-Api-Version"):
            return 400, {"message": "headers that the documentation recommends are missing"}
        login, may_write = TOKENS[token]
        if (method, url.path) == ("GET", "/user"):
            return (200, {"login": login, "type": "User"}) if login else (403, {"message": "Resource not accessible by integration"})
        listing = f"/repos/ann/shop/issues/{self.number}/comments"
        if (method, url.path) == ("GET", listing):
            query = {key: int(value[0]) for key, value in parse_qs(url.query).items()}
            size = min(query.get("per_page", 30), 100)
            first = (query.get("page", 1) - 1) * size
            return 200, self.comments[first:first + size]
        one = re.fullmatch(r"/repos/ann/shop/issues/comments/(\d+)", url.path)
        if not (method == "POST" and url.path == listing or method == "PATCH" and one):
            return 404, {"message": "Not Found"}
        if not may_write:
            return 403, {"message": "Resource not accessible by integration"}
        text = json.loads(body)["body"]
        if not text or len(text) > LONGEST:
            return 422, {"message": "Validation Failed"}
        user = {"login": login, "type": "User"} if login else BOT
        if method == "POST":
            comment = {"id": 5000 + len(self.comments), "user": user, "body": text}
            self.comments.append(comment)
        else:
            comment = next((own for own in self.comments if own["id"] == int(one[1])), None)
            if comment is None:
                return 404, {"message": "Not Found"}
            comment["body"] = text
        comment["html_url"] = f"https://github.com/ann/shop/pull/{self.number}#issuecomment-{comment['id']}"
        return (201 if method == "POST" else 200), comment

    def written(self):
        """The comments that are not of the strangers."""
        return [comment for comment in self.comments if comment["user"]["login"] != "mallory"]
