// Reads a calendar feed with ical.js (the parser of Thunderbird), and compares what it finds with
// what its reader must see.
//
//     node judge.mjs FILE EXPECTED.json [--empty]
//
// EXPECTED.json and the exit status are those of judge.py. TRAVERSE_JUDGES_NODE names the folder
// that ical.js is installed in.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const HOME = join(process.env.TRAVERSE_JUDGES_NODE, "node_modules/ical.js");
const PACKAGE = JSON.parse(readFileSync(join(HOME, "package.json"), "utf8"));
const { default: ICAL } = await import(pathToFileURL(join(HOME, PACKAGE.module ?? PACKAGE.main)));
const PARSER = `ical.js ${PACKAGE.version}`;

// A day, or an instant in UTC; what is neither is said to be floating.
function when(time) {
  if (time.isDate) return time.toString();
  return time.zone === ICAL.Timezone.utcTimezone ? time.toString() : `${time} (floating)`;
}

function read(text) {
  const parsed = ICAL.parse(text);
  if (!Array.isArray(parsed) || parsed[0] !== "vcalendar") throw new Error("not one calendar");
  const calendar = new ICAL.Component(parsed);
  const events = calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    return {
      uid: event.uid,
      changed_at: when(component.getFirstPropertyValue("last-modified")),
      sequence: event.sequence,
      start: when(event.startDate),
      summary: event.summary,
      description: event.description,
      url: component.getFirstPropertyValue("url"),
      categories: component.getFirstProperty("categories")?.getValues() ?? [],
    };
  });
  return { name: calendar.getFirstPropertyValue("name"), events };
}

// RFC 5545, 3.3.11.
const escape = (text) => text.replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
const unescape = (text) =>
  text.replace(/\\([\\;,nN])/g, (_, c) => (c.toLowerCase() === "n" ? "\n" : c));

// ical.js 2.2.1 takes the comma after an escaped backslash for an escaped comma, so that a category
// that ends in a backslash swallows the next one.
const misreadCategories = (labels) =>
  labels.map(escape).join(",").split(/(?<!\\),/).map(unescape);

function faults(expected, { name, events }) {
  const found = [];
  let known = 0;
  const compare = (what, is, not, misread) => {
    if (isDeepStrictEqual(is, not)) return;
    if (misread !== undefined && isDeepStrictEqual(is, misread)) known += 1;
    else found.push(`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(not)}`);
  };
  // It knows neither NAME nor X-WR-CALNAME, and keeps them escaped.
  compare("the calendar's name", name, expected.name, escape(expected.name));
  compare("the number of events", events.length, expected.events.length);
  const byUid = new Map(events.map((event) => [event.uid, event]));
  if (byUid.size !== events.length) found.push("two events of one UID");
  for (const event of expected.events) {
    const seen = byUid.get(event.uid);
    byUid.delete(event.uid);
    if (seen === undefined) {
      found.push(`${event.uid}: not found`);
      continue;
    }
    for (const [field, value] of Object.entries(event)) {
      const misread = field === "categories" ? misreadCategories(value) : undefined;
      compare(`${event.uid}: ${field}`, seen[field], value, misread);
    }
  }
  for (const uid of byUid.keys()) found.push(`${uid}: an event that nobody wrote`);
  return { found, known };
}

function main(args) {
  const paths = args.filter((argument) => argument !== "--empty");
  if (paths.length !== 2) {
    console.error("usage: node judge.mjs FILE EXPECTED.json [--empty]");
    return 2;
  }
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(paths[0]));
  const expected = JSON.parse(readFileSync(paths[1], "utf8"));
  if (expected.events.length > 0 === args.includes("--empty")) {
    console.log("FAULT: expected events need a feed that is not --empty, and the other way round");
    return 1;
  }
  let calendar;
  try {
    calendar = read(text);
  } catch (error) {
    console.log(`FAULT ${PARSER}: cannot read it: ${error}`);
    return 1;
  }
  const { found, known } = faults(expected, calendar);
  for (const fault of found) console.log(`FAULT ${PARSER}: ${fault}`);
  console.log(
    `${PARSER}: ${calendar.events.length} events checked, ${found.length} faults, ` +
      `${known} values misread as known`,
  );
  console.log(`1 parser, ${calendar.events.length} events checked: ${found.length ? "FAULTS" : "ok"}`);
  return found.length ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
