"""Breaks a good feed in many ways, and requires both judges to refuse every one of them.

    judge_the_judges.py FILE EXPECTED.json

FILE and EXPECTED.json are a feed that both judges accept, with days, instants and URLs in it.
Exit status 1 when a judge refuses the good feed or accepts a broken one.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
JUDGES = {
    "judge.py": [sys.executable, str(HERE / "judge.py")],
    "judge.mjs": ["node", str(HERE / "judge.mjs")],
}


def first_event(data):
    """From its BEGIN to the CRLF of its END."""
    start = data.index(b"BEGIN:VEVENT")
    end = data.index(b"END:VEVENT\r\n") + len(b"END:VEVENT\r\n")
    return data[start:end]


def once(old, new):
    def change(data):
        if old not in data:
            raise ValueError(f"the feed has no {old!r} to break")
        return data.replace(old, new, 1)

    return change


BREAKS = {
    "no bytes": lambda data: b"",
    "half of it": lambda data: data[: len(data) // 2],
    "an event less": lambda data: data.replace(first_event(data), b"", 1),
    "an event twice": lambda data: data.replace(first_event(data), first_event(data) * 2, 1),
    "an event more": lambda data: data.replace(
        first_event(data), first_event(data) + first_event(data).replace(b"UID:", b"UID:x"), 1
    ),
    "another UID": once(b"UID:0", b"UID:1"),
    "another summary": once(b"SUMMARY:Two", b"SUMMARY:Three"),
    "another description": once(b"DESCRIPTION:Two", b"DESCRIPTION:Three"),
    "another category": once(b"CATEGORIES:Array", b"CATEGORIES:Tree"),
    "another name": once(b"NAME:Revisions", b"NAME:Divisions"),
    "another URL": once(b"URL:https://leetcode.com/problems", b"URL:https://example.com/problems"),
    "another day": once(b"DTSTART;VALUE=DATE:20", b"DTSTART;VALUE=DATE:19"),
    "a floating instant": once(b"T235959Z\r\nSUMMARY", b"T235959\r\nSUMMARY"),
    "an instant for a day": once(b"DTSTART;VALUE=DATE:20240227", b"DTSTART:20240227T000000Z"),
    "another sequence": once(b"SEQUENCE:0\r\n", b"SEQUENCE:1000\r\n"),
    "another change": once(b"LAST-MODIFIED:20", b"LAST-MODIFIED:19"),
    "a lost escape": once(b"C:\\\\new", b"C:\\new"),
    "a line that its fold has lost": once(b"\r\n ", b"\r\n"),
}


def verdict(command, feed, expected):
    """Whether the judge accepts it, and what it says."""
    done = subprocess.run([*command, feed, expected], capture_output=True, text=True, check=False)
    sign = {0: "events checked: ok", 1: "FAULT"}.get(done.returncode)
    if sign is None or sign not in done.stdout:
        raise RuntimeError(f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done.returncode == 0, done.stdout


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    data = pathlib.Path(arguments[0]).read_bytes()
    expected = json.loads(pathlib.Path(arguments[1]).read_text(encoding="utf-8"))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        feed = pathlib.Path(folder) / "feed.ics"
        nothing = pathlib.Path(folder) / "nothing.json"
        nothing.write_text(json.dumps({**expected, "events": []}), encoding="utf-8")
        for judge, command in JUDGES.items():
            accepted, said = verdict(command, arguments[0], arguments[1])
            if not accepted:
                print(f"FAULT {judge} refuses the good feed:\n{said}")
                failed = True
            for name, change in BREAKS.items():
                feed.write_bytes(change(data))
                if verdict(command, feed, arguments[1])[0]:
                    print(f"FAULT {judge} accepts a feed with {name}")
                    failed = True
            if verdict(command, arguments[0], nothing)[0]:
                print(f"FAULT {judge} accepts that nothing is expected")
                failed = True
    print(f"{len(JUDGES)} judges, {len(BREAKS) + 1} breaks each: {'FAULTS' if failed else 'ok'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
