"""A mail server on loopback: aiosmtpd, with STARTTLS, which it insists on.

Usage: server.py CERTIFICATE KEY. Prints its port, then an object a line for each letter that came.
What it answers is in the local part of the receiver: `nobody…` 550 and `full…` 452 to the receiver, `busy…` 451
and `gone…` 550 to the letter, `slow…` nothing for a minute; `cut…` is hung up on where the letter should come, the
first time; `rude…` is taken, and gets no farewell. A sender `barred…` is refused.
"""

import asyncio
import json
import ssl
import sys
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP


def say(what):
    print(json.dumps(what), flush=True)


class Mailbox:
    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("barred"):
            return "550 no mail from you"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 go on"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody"):
            return "550 5.1.1 nobody here"
        if address.startswith("full"):
            return "452 4.2.2 no room"
        envelope.rcpt_tos.append(address)
        return "250 go on"

    async def handle_DATA(self, server, session, envelope):
        letter = message_from_bytes(envelope.original_content, policy=policy.default)
        receiver = envelope.rcpt_tos[0]
        if receiver.startswith("slow"):
            await asyncio.sleep(60)
        if receiver.startswith("busy"):
            return "451 later"
        if receiver.startswith("gone"):
            return "550 nobody here"
        session.is_rude = receiver.startswith("rude")
        text = letter.get_body(("plain",))
        html = letter.get_body(("html",))
        say({
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": session.ssl is not None,
            "headers": {name.lower(): str(value) for name, value in letter.items()},
            "text": text.get_content() if text else None,
            "html": html.get_content() if html else None,
        })
        return "250 taken"


class Server(SMTP):
    hung_up_on = set()

    async def smtp_DATA(self, arg):
        receivers = self.envelope.rcpt_tos if self.envelope else []
        if receivers and receivers[0].startswith("cut") and receivers[0] not in self.hung_up_on:
            self.hung_up_on.add(receivers[0])
            await self.push("354 go on")
            self.transport.close()
            return
        await super().smtp_DATA(arg)

    async def smtp_QUIT(self, arg):
        if getattr(self.session, "is_rude", False):
            await asyncio.sleep(60)
        await super().smtp_QUIT(arg)


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    loop = asyncio.get_running_loop()

    def session():
        return Server(Mailbox(), hostname="localhost", tls_context=context, require_starttls=True)

    server = await loop.create_server(session, "127.0.0.1", 0)
    say({"port": server.sockets[0].getsockname()[1]})
    # Ends with whoever started it.
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
