"""What scripts/schemathesis needs beside the document.

The server counts registrations and logins by address, and some operations end the session that they
are called with. So each request comes from an address of its own (the server trusts this machine as
a proxy), and an operation that ends a session gets one that nothing else uses.
"""

import itertools
import os

import requests
import schemathesis

ENDS_THE_SESSION = {"logout", "change_password", "delete_me"}

numbers = itertools.count(1)


def address() -> str:
    number = next(numbers)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def new_session() -> str:
    number = next(numbers)
    account = {
        "email": f"user{number}@{os.getpid()}.example.org",
        "handle": f"user-{os.getpid()}-{number}",
        "password": "correct horse battery",
    }
    url = os.environ["TRAVERSE_URL"] + "/api/v1/auth/register"
    answer = requests.post(url, json=account, headers={"X-Forwarded-For": address()}, timeout=30)
    answer.raise_for_status()
    return answer.json()["token"]


@schemathesis.auth(refresh_interval=None).apply_to(operation_id=list(ENDS_THE_SESSION))
class OneSessionEach:
    def get(self, case, context):
        return new_session()

    def set(self, case, token, context):
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.auth().skip_for(operation_id=list(ENDS_THE_SESSION))
class Admin:
    def get(self, case, context):
        return os.environ["TRAVERSE_TOKEN"]

    def set(self, case, token, context):
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["X-Forwarded-For"] = address()


# So many problems are solved, and half of them solved again: their numbers, and those of what came
# of them, begin at 1 in each table.
SOLVED = 40


def solve_some():
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {os.environ['TRAVERSE_TOKEN']}"
    base = os.environ["TRAVERSE_URL"] + "/api/v1"
    for number in range(1, SOLVED + 1):
        submission = {
            "problem": {"platform": "leetcode", "slug": f"problem-{number}", "title": "A problem"},
            "verdict": "accepted",
        }
        answer = session.post(
            f"{base}/submissions",
            json=submission,
            headers={"Idempotency-Key": f"solved-{number}"},
            timeout=30,
        )
        answer.raise_for_status()
        if number % 2 == 0:
            revision = answer.json()["next_revisions"][0]["id"]
            answer = session.post(
                f"{base}/revisions/{revision}/complete", json={"rating": "good"}, timeout=30
            )
            answer.raise_for_status()


    return session.get(f"{base}/calendar", timeout=30).json()["url"].split("/")[-3:-1]


if "TRAVERSE_TOKEN" in os.environ:
    FEED, FEED_TOKEN = solve_some()


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Most numbers name nothing; these name something, as long as it is not deleted."""
    parameters = path_parameters or {}
    number = parameters.get("id")
    if isinstance(number, int) and number > SOLVED:
        parameters["id"] = number % SOLVED + 1
    if isinstance(parameters.get("feed_id"), int) and len(str(parameters.get("token"))) == 32:
        parameters |= {"feed_id": int(FEED), "token": FEED_TOKEN}
    return path_parameters


@schemathesis.hook
def map_body(context, body):
    """Text that is well-formed and names nothing gets past the first check only like this."""
    if isinstance(body, dict):
        if isinstance(body.get("time_zone"), str):
            body["time_zone"] = "Europe/Berlin"
        for problem in (body, body.get("problem")):
            if isinstance(problem, dict) and isinstance(problem.get("slug"), str):
                slug = problem["slug"]
                if problem.get("platform") == "leetcode" and 1 <= len(slug) <= 255:
                    problem["slug"] = f"problem-{len(slug)}"
                    problem.pop("url", None)
    return body
