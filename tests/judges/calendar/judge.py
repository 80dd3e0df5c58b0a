"""Reads a calendar feed with four parsers that other people wrote, and compares what each of them
finds with what its reader must see.

    judge.py FILE EXPECTED.json [--empty]

EXPECTED.json is {"name": …, "events": [{"uid", "changed_at", "sequence", "start", "summary",
"description", "url" (or null), "categories"}, …]}: texts as a person reads them, a day as
2026-12-31, an instant as 2026-12-31T23:59:59Z. Every parser must read the file, and find exactly
these events with exactly these values. Exit status 1 on any difference, and when there is nothing
to check: no event expected (without --empty), no parser. 2 for wrong arguments.

A parser that is known to misread a right value has that misreading written out beside it, so that
it is held to the truth or to precisely that; nobody else is.
"""

import datetime
import importlib.metadata
import json
import re
import sys


def when(value):
    """A day, or an instant in UTC; what is neither is said to be floating."""
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    if value.tzinfo is None:
        return value.isoformat() + " (floating)"
    return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def escape(text):
    """RFC 5545, 3.3.11."""
    return re.sub(r"([\\;,])", r"\\\1", text).replace("\n", "\\n")


def read_icalendar(data):
    import icalendar

    calendar = icalendar.Calendar.from_ical(data)
    broken = [error for component in calendar.walk() for error in component.errors]
    if broken:
        raise ValueError(f"properties that it could not read: {broken}")
    return str(calendar.calendar_name), [
        {
            "uid": str(event["UID"]),
            "changed_at": when(event["LAST-MODIFIED"].dt),
            "sequence": int(event["SEQUENCE"]),
            "start": when(event["DTSTART"].dt),
            "summary": str(event["SUMMARY"]),
            "description": str(event["DESCRIPTION"]),
            "url": str(event["URL"]) if "URL" in event else None,
            "categories": [str(label) for label in event["CATEGORIES"].cats],
        }
        for event in calendar.walk("VEVENT")
    ]


def read_vobject(data):
    import vobject

    calendars = list(vobject.readComponents(data.decode()))
    if len(calendars) != 1:
        raise ValueError(f"{len(calendars)} calendars")
    calendar = calendars[0]
    return calendar.contents["name"][0].value, [
        {
            "uid": event.uid.value,
            "changed_at": when(event.last_modified.value),
            "sequence": int(event.sequence.value),
            "start": when(event.dtstart.value),
            "summary": event.summary.value,
            "description": event.description.value,
            "url": event.url.value if "url" in event.contents else None,
            "categories": list(event.categories.value),
        }
        for event in calendar.contents.get("vevent", [])
    ]


def read_ical(data):
    from ical.calendar_stream import IcsCalendarStream

    calendar = IcsCalendarStream.calendar_from_ics(data.decode())
    # RFC 7986 allows a name in each of several languages.
    if len(calendar.name) != 1:
        raise ValueError(f"{len(calendar.name)} names")
    return calendar.name[0], [
        {
            "uid": event.uid,
            "changed_at": when(event.last_modified),
            "sequence": event.sequence,
            "start": when(event.dtstart),
            "summary": event.summary,
            "description": event.description,
            "url": str(event.url) if event.url else None,
            "categories": list(event.categories),
        }
        for event in calendar.events
    ]


def ical_misreads(event):
    """ical 14.3.1 splits CATEGORIES at every comma, also at an escaped one, and then unescapes."""
    pieces = ",".join(map(escape, event["categories"])).split(",")
    meant = {"n": "\n", "N": "\n"}
    categories = [
        re.sub(r"\\([\\;,Nn])", lambda m: meant.get(m[1], m[1]), piece) for piece in pieces
    ]
    return {"categories": categories}


def read_ics(data):
    import ics

    calendar = ics.Calendar(data.decode())
    return next(line.value for line in calendar.extra if line.name == "NAME"), [
        {
            "uid": event.uid,
            "changed_at": when(event.last_modified.datetime),
            # It has no notion of SEQUENCE and keeps the line as it is.
            "sequence": int(next(line.value for line in event.extra if line.name == "SEQUENCE")),
            # It holds a day as midnight, and remembers how precise it was.
            "start": when(event.begin.date() if event.all_day else event.begin.datetime),
            "summary": event.name,
            "description": event.description,
            "url": event.url,
            # A set: see ics_misreads.
            "categories": sorted(event.categories),
        }
        for event in calendar.events
    ]


def ics_misreads(event):
    """ics 0.7.3 undoes one escape after the other, backslashes last, so that the end of an escaped
    backslash and the letter after it are taken for an escape; does so with URLs, too; does not
    split CATEGORIES at a comma after an escaped backslash; and keeps categories as a set."""

    def unescape(text):
        for escaped, meant in (
            ("\\;", ";"), ("\\,", ","), ("\\n", "\n"), ("\\N", "\n"),
            ("\\r", "\r"), ("\\R", "\r"), ("\\\\", "\\"),
        ):
            text = text.replace(escaped, meant)
        return text

    categories = re.split(r"(?<!\\),", ",".join(map(escape, event["categories"])))
    return {
        "summary": unescape(escape(event["summary"])),
        "description": unescape(escape(event["description"])),
        "url": None if event["url"] is None else unescape(event["url"]),
        "categories": sorted({unescape(label) for label in categories}),
    }


# How it reads a file, how it misreads an event, how it misreads the calendar's name: NAME came with
# RFC 7986, and who does not know it keeps it escaped.
PARSERS = {
    "icalendar": (read_icalendar, None, escape),
    "vobject": (read_vobject, None, None),
    "ical": (read_ical, ical_misreads, None),
    "ics": (read_ics, ics_misreads, escape),
}


def faults(expected, name, events, misreads, misreads_name):
    """What one parser found otherwise than expected, and how many values were known misreadings."""
    found, known = [], 0
    if name != expected["name"]:
        if misreads_name and name == misreads_name(expected["name"]):
            known += 1
        else:
            found.append(f"the calendar's name is {name!r}, not {expected['name']!r}")
    if len(events) != len(expected["events"]):
        found.append(f"{len(events)} events, not {len(expected['events'])}")
    by_uid = {event["uid"]: event for event in events}
    if len(by_uid) != len(events):
        found.append("two events of one UID")
    for uid in by_uid.keys() - {event["uid"] for event in expected["events"]}:
        found.append(f"{uid}: an event that nobody wrote: {by_uid[uid]['summary']!r}")
    for event in expected["events"]:
        read = by_uid.get(event["uid"])
        if read is None:
            found.append(f"{event['uid']}: not found")
            continue
        excused = misreads(event) if misreads else {}
        for field, value in event.items():
            if read[field] == value:
                continue
            if field in excused and read[field] == excused[field]:
                known += 1
                continue
            found.append(f"{event['uid']}: {field} is {read[field]!r}, not {value!r}")
    return found, known


def main(arguments):
    paths = [argument for argument in arguments if argument != "--empty"]
    if len(paths) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(paths[0], "rb") as file:
        data = file.read()
    with open(paths[1], encoding="utf-8") as file:
        expected = json.load(file)
    if bool(expected["events"]) == ("--empty" in arguments):
        print("FAULT: expected events need a feed that is not --empty, and the other way round")
        return 1

    failed = False
    events_checked = 0
    for parser, (read, *misreads) in PARSERS.items():
        try:
            version = importlib.metadata.version(parser)
            name, events = read(data)
        except Exception as error:  # Whatever it stumbles over, it has not read the file.
            print(f"FAULT {parser}: cannot read it: {type(error).__name__}: {error}")
            failed = True
            continue
        found, known = faults(expected, name, events, *misreads)
        for fault in found:
            print(f"FAULT {parser}: {fault}")
        failed = failed or bool(found)
        events_checked += len(events)
        print(
            f"{parser} {version}: {len(events)} events checked, {len(found)} faults, "
            f"{known} values misread as known"
        )
    print(f"{len(PARSERS)} parsers, {events_checked} events checked: {'FAULTS' if failed else 'ok'}")
    return 1 if failed or not PARSERS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
