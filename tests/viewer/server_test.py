#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""`pleat view` from outside: what it answers to good, bad and hostile requests.

  server_test.py PLEAT
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PLEAT = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENE = ROOT / "scenes" / "sphere-anisotropic" / "quick.json"


def run_pleat(*words):
    return subprocess.run([PLEAT, *map(str, words)], capture_output=True, text=True, check=False)


class Server:
    """`pleat view` as a process; ends with the test."""

    def __init__(self, *words):
        self.process = subprocess.Popen([PLEAT, "view", "--no-open", *map(str, words)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.line = self.process.stdout.readline()
        found = re.search(r"http://([^:/]+):(\d+)/", self.line)
        if not found:
            raise AssertionError(f"no address: {self.line!r} {self.process.stderr.read()!r}")
        self.host, self.port = found.group(1), int(found.group(2))

    def get(self, path, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=headers is not None and "Host" in headers)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def json(self, path):
        status, body, _ = self.get(path)
        return status, json.loads(body)

    def raw(self, data, timeout=8):
        """Sends bytes as they are and returns what comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as link:
            try:
                link.sendall(data)
                link.shutdown(socket.SHUT_WR)
                parts = []
                while True:
                    part = link.recv(65536)
                    if not part:
                        break
                    parts.append(part)
                return b"".join(parts)
            except (ConnectionResetError, BrokenPipeError, socket.timeout):
                return b""

    def is_alive(self):
        return self.process.poll() is None and self.get("/api/progress")[0] == 200

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(timeout=20)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process.stderr.close()
        return code


class Viewed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pleat_view_"))
        cls.run_folder = cls.folder / "run"
        done = run_pleat("run", SCENE, "-q", "--frames", 5, "-o", cls.run_folder)
        assert done.returncode == 0, done.stderr
        (cls.folder / "secret.txt").write_text("not yours", encoding="utf-8")
        (cls.run_folder / "link.txt").symlink_to(cls.folder / "secret.txt")
        cls.server = Server(cls.run_folder)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        shutil.rmtree(cls.folder)

    def test_it_listens_on_loopback_unless_told_otherwise(self):
        self.assertEqual(self.server.host, "127.0.0.1")
        with open("/proc/net/tcp", encoding="ascii") as table:
            local = [row.split()[1] for row in table if row.split()[3] == "0A"]
        self.assertIn(f"0100007F:{self.server.port:04X}", local)
        self.assertNotIn(f"00000000:{self.server.port:04X}", local)

    def test_the_page_and_its_modules_are_there(self):
        status, body, headers = self.server.get("/")
        self.assertEqual(status, 200)
        self.assertIn(b"<title>Pleat</title>", body)
        self.assertIn("script-src 'self'", headers["Content-Security-Policy"])
        for name in ["main.js", "stage.js", "three.js", "style.css", "icon.svg"]:
            status, body, headers = self.server.get("/" + name)
            self.assertEqual((status, len(body) > 100), (200, True), name)
        status, body, _ = self.server.get("/", method="HEAD")
        self.assertEqual((status, body), (200, b""))

    def test_the_run_is_described(self):
        status, run = self.server.json("/api/run")
        self.assertEqual((status, run["name"], run["fps"]), (200, "run", 25))
        self.assertEqual([m["name"] for m in run["modes"]],
                         ["fabric", "size", "aspect", "strain", "velocity", "curvature", "material", "driver",
                          "generation"])
        self.assertEqual(run["fabrics"], ["gray-interlock"])
        self.assertEqual(run["drivers"], ["curvature", "compression", "velocity", "obstacle"])
        driver = next(m for m in run["modes"] if m["name"] == "driver")
        self.assertEqual([c["name"] for c in driver["categories"]], ["none"] + run["drivers"])
        status, progress = self.server.json("/api/progress")
        self.assertEqual((status, progress["state"], progress["frames"]), (200, "finished", [[0, 5]]))
        self.assertEqual(len(progress["rows"]), 6)
        self.assertEqual(self.server.json("/api/progress?row=4")[1]["rows"], progress["rows"][4:])
        self.assertIn("faces", progress["columns"])

    def test_frames_are_compact_and_whole(self):
        _, plain, _ = self.server.get("/api/frame/3")
        _, full, _ = self.server.get("/api/frame/3?with=speed,sizing,static")
        magic, version, frame, objects = struct.unpack_from("<4sIII", plain)
        self.assertEqual((magic, version, frame, objects), (b"PLF1", 2, 3, 2))
        flags, _, nodes, verts, faces, _ = struct.unpack_from("<6I", plain, 16)
        self.assertEqual((flags & 1, nodes, verts), (1, verts, nodes))
        file = (self.run_folder / "frames" / "00003_sheet.obj").read_text(encoding="utf-8")
        self.assertEqual(faces, len(re.findall(r"(?m)^f ", file)))
        first = [float(x) for x in re.search(r"(?m)^v (.*)$", file).group(1).split()]
        x = struct.unpack_from("<3f", plain, 16 + 24 + 8)
        for a, b in zip(x, first):
            self.assertAlmostEqual(a, b, places=6)
        self.assertEqual(len(full) - len(plain), 4 * nodes + 4 + (14 * faces + 3) // 4 * 4)

    def test_files_of_the_run_can_be_had_and_no_others(self):
        status, body, _ = self.server.get("/files/stats.csv")
        self.assertEqual((status, body[:5]), (200, b"frame"))
        self.assertEqual(self.server.get("/files/frames/00001_sheet.obj")[0], 200)
        for path in ["/files/../secret.txt", "/files/frames/../../secret.txt", "/files/%2e%2e/secret.txt",
                     "/files/%2e%2e%2fsecret.txt", "/files/..%5csecret.txt", "/files//etc/passwd",
                     "/files/" + str(self.folder / "secret.txt"), "/files/link.txt", "/files/", "/files/frames",
                     "/files/.", "/files/stats.csv%00.png", "/files/%ff%fe", "/../secret.txt",
                     "/%2e%2e/secret.txt", "//etc/passwd", "/etc/passwd",
                     "/files/" + "../" * 40 + "etc/passwd"]:
            status, body, _ = self.server.get(path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn(b"not yours", body, path)
            self.assertNotIn(b"root:", body, path)
            self.assertIn("error", json.loads(body), path)
        self.assertTrue(self.server.is_alive())

    def test_bad_requests_get_clear_answers(self):
        for path, status in [("/api/frame/99", 404), ("/api/frame/-1", 400), ("/api/frame/x", 400),
                             ("/api/frame/99999999999999999999", 400), ("/api/frame/", 400),
                             ("/api/frame/1e3", 400), ("/api/progress?row=x", 400),
                             ("/api/progress?row=-1", 400), ("/api/nothing", 404), ("/nothing", 404)]:
            answer = self.server.json(path)
            self.assertEqual(answer[0], status, path)
            self.assertTrue(answer[1]["error"], path)
        self.assertIn("frames 0 to 5", self.server.json("/api/frame/99")[1]["error"])
        self.assertEqual(self.server.json("/api/progress?row=18446744073709551615")[1]["rows"], [])
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]:
            self.assertIn(self.server.get("/api/run", method=method)[0], (400, 405), method)

    def test_huge_and_malformed_requests_do_not_end_it(self):
        requests = [
            b"", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\xff\xfe" * 500,
            b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET /api/frame/" + b"9" * 7000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET /files/" + b"%2e%2e%2f" * 800 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"b" * 1000000 + b"\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 100000,
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
            b"GET /api/frame/2 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=99999999999-\r\n\r\n",
            b"GET /api/frame/2 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=5-1,,a-b\r\n\r\n",
        ]
        for request in requests:
            answer = self.server.raw(request)
            if answer:
                self.assertTrue(answer.startswith(b"HTTP/1.1 "), request[:60])
                self.assertNotIn(b"HTTP/1.1 500", answer, request[:60])
            self.assertIsNone(self.server.process.poll(), request[:60])
        self.assertTrue(self.server.is_alive())

    def test_other_sites_cannot_read_through_a_name_of_their_own(self):
        self.assertEqual(self.server.get("/api/run", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.server.get("/api/run", headers={"Host": f"localhost:{self.server.port}"})[0], 200)
        self.assertEqual(self.server.get("/api/run", headers={"Host": f"[::1]:{self.server.port}"})[0], 200)


class OtherFolders(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pleat_view_"))

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def test_what_is_no_run_is_said_at_once(self):
        empty = run_pleat("view", "--no-open", self.folder)
        self.assertEqual(empty.returncode, 1)
        self.assertIn("folder without frames", empty.stderr)
        missing = run_pleat("view", "--no-open", self.folder / "nothing")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no such file or folder", missing.stderr)
        (self.folder / "bad.json").write_text("{", encoding="utf-8")
        scene = run_pleat("view", "--no-open", self.folder / "bad.json", "-o", self.folder / "out")
        self.assertEqual(scene.returncode, 1)
        self.assertIn("bad.json", scene.stderr)

    def test_a_taken_port_is_said(self):
        run = self.folder / "run"
        run_pleat("run", SCENE, "-q", "--frames", 0, "-o", run)
        server = Server(run)
        try:
            second = run_pleat("view", "--no-open", run, "--port", server.port)
            self.assertEqual(second.returncode, 1)
            self.assertIn("port is in use", second.stderr)
        finally:
            self.assertEqual(server.close(), 0)

    def test_a_run_may_vanish_break_and_come_back(self):
        run = self.folder / "run"
        self.assertEqual(run_pleat("run", SCENE, "-q", "--frames", 2, "-o", run).returncode, 0)
        server = Server(run)
        try:
            self.assertEqual(server.get("/api/frame/1")[0], 200)
            mesh = run / "frames" / "00001_sheet.obj"
            good = mesh.read_text(encoding="utf-8")
            mesh.write_text(good[:200] + "\nf 1/1 999/999 2/2\n", encoding="utf-8")
            status, answer = server.json("/api/frame/1")
            self.assertEqual(status, 404)
            self.assertIn("00001_sheet.obj", answer["error"])
            mesh.write_text(good, encoding="utf-8")
            (run / "frames" / "00001_sheet.attributes").write_bytes(b"PLEATATT broken")
            self.assertEqual(server.get("/api/frame/1?with=speed,sizing")[0], 200)
            (run / "stats.csv").write_bytes(b"\xff\xfe\x00,,\n1,2")
            (run / "run.json").write_text("[1,", encoding="utf-8")
            (run / "scene.json").write_text("not json", encoding="utf-8")
            self.assertEqual(server.json("/api/progress")[1]["state"], "unknown")

            away = self.folder / "away"
            run.rename(away)
            for path in ["/api/run", "/api/progress", "/api/frame/1", "/files/stats.csv"]:
                status, answer = server.json(path)
                self.assertEqual(status, 410, path)
                self.assertIn("no longer exists", answer["error"])
            self.assertEqual(server.get("/")[0], 200)
            away.rename(run)
            self.assertEqual(server.get("/api/frame/1")[0], 200)
            shutil.rmtree(run / "frames")
            self.assertEqual(server.json("/api/frame/1")[0], 404)
        finally:
            self.assertEqual(server.close(), 0)

    def test_a_scene_is_run_and_can_be_followed(self):
        out = self.folder / "out"
        server = Server(ROOT / "scenes" / "hanging" / "adaptive.json", "-o", out, "--threads", 1)
        try:
            seen, most = set(), 0
            for _ in range(400):
                status, progress = server.json("/api/progress")
                self.assertEqual(status, 200)
                seen.add(progress["state"])
                count = sum(b - a + 1 for a, b in progress["frames"])
                self.assertGreaterEqual(count, most, "frames do not vanish")
                if count > most: # every frame that is announced is whole
                    self.assertEqual(server.get(f"/api/frame/{progress['frames'][-1][1]}?with=sizing")[0], 200)
                most = count
                if most >= 4:
                    break
                time.sleep(0.05)
            self.assertGreaterEqual(most, 4)
            self.assertIn("running", seen)
        finally:
            self.assertEqual(server.close(), 0)
        record = json.loads((out / "run.json").read_text(encoding="utf-8"))
        self.assertEqual(record["state"], "stopped", "the run ends with the viewer, whole")

    def test_an_export_is_one_file_and_names_no_folder(self):
        run = self.folder / "run"
        self.assertEqual(run_pleat("run", SCENE, "-q", "--frames", 4, "-o", run).returncode, 0)
        page = self.folder / "page.html"
        done = run_pleat("view", run, "--export", page, "--frames", "0:4:2")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text(encoding="utf-8")
        self.assertEqual(re.findall(r'id="pleat-frame-(\d+)"', text), ["0", "2", "4"])
        self.assertNotIn(str(self.folder), text)
        self.assertNotRegex(text, r'(src|href)="(?!data:|#)')
        self.assertEqual(run_pleat("view", run, "--export", page, "--frames", "9:12").returncode, 1)
        self.assertEqual(run_pleat("view", self.folder / "none", "--export", page).returncode, 1)


if __name__ == "__main__":
    os.environ.pop("DISPLAY", None)
    unittest.main(verbosity=2)
