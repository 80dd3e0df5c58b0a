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
