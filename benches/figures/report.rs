//! What is stated, and the document that states it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::process::Command;
use traverse::clock::Clock;

/// Where it is written.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/benchmarks.md");

/// What the machine-readable part stands between.
const OPENING: &str = "```json\n";
const CLOSING: &str = "\n```";

/// What a figure has to be.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

/// One line of the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// What is measured, and against what.
    pub what: String,
    pub goal: Option<Goal>,
    /// The median of `samples`.
    pub value: f64,
    /// What `value` and `samples` are in; empty for a ratio.
    pub unit: String,
    pub samples: Vec<f64>,
    /// What the ratio was made of.
    pub detail: String,
    /// The command that the other side of a ratio was measured with, where it is another program.
    pub reference: Option<String>,
}

impl Row {
    /// A ratio with a goal.
    pub fn ratio(what: impl Into<String>, goal: Goal, samples: Vec<f64>, detail: String) -> Self {
        Self { goal: Some(goal), ..Self::plain(what, "", samples, detail) }
    }

    /// A figure without a goal.
    pub fn plain(
        what: impl Into<String>,
        unit: &str,
        samples: Vec<f64>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            goal: None,
            value: median(&samples),
            unit: unit.to_owned(),
            samples,
            detail: detail.into(),
            reference: None,
        }
    }

    /// Names the command of the reference.
    pub fn against(self, command: impl Into<String>) -> Self {
        Self { reference: Some(command.into()), ..self }
    }

    fn measured(&self) -> String {
        format!("{} {}", shown(self.value), self.unit).trim().to_owned()
    }

    /// From the least sample to the greatest.
    fn spread(&self) -> String {
        if self.samples.len() < 2 {
            return "measured once".to_owned();
        }
        let least = self.samples.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.samples.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        format!("{} to {}", shown(least), shown(greatest))
    }

    fn is_met(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::AtLeast(least) => self.value >= least,
            Goal::AtMost(most) => self.value <= most,
        })
    }

    fn goal(&self) -> String {
        let goal = match self.goal {
            None => return String::new(),
            Some(Goal::AtLeast(least)) => format!("≥ {least}"),
            Some(Goal::AtMost(most)) => format!("≤ {most}"),
        };
        if self.is_met() == Some(true) { goal } else { format!("{goal} (**missed**)") }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, measured, goal) = (&self.what, self.measured(), self.goal());
        write!(f, "{what}: {measured}; {goal}; {}; rounds {:.3?}", self.detail, self.samples)
    }
}

fn shown(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 100.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// The middle one; of an even number the upper of the two.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The ratio of each round.
pub fn ratios(above: &[f64], below: &[f64]) -> Vec<f64> {
    above.iter().zip(below).map(|(above, below)| above / below).collect()
}

/// The two sides in the round whose ratio is the median one, so that they have that ratio.
pub fn in_the_middle(above: &[f64], below: &[f64]) -> (f64, f64) {
    let mut rounds: Vec<(f64, f64)> = above.iter().copied().zip(below.iter().copied()).collect();
    rounds.sort_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)));
    rounds[rounds.len() / 2]
}

/// Replaces a figure in the document; the others stay as they were measured.
pub fn keep(name: &str, rows: Vec<Row>) {
    let mut figures = kept();
    let day = Clock::System.now().format("%Y-%m-%d").to_string();
    figures.insert(name.to_owned(), Figure { day, rows });
    std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
    std::fs::write(DOCUMENT, document(&figures)).unwrap();
}

#[derive(Debug, Serialize, Deserialize)]
struct Figure {
    day: String,
    rows: Vec<Row>,
}

fn kept() -> BTreeMap<String, Figure> {
    let document = std::fs::read_to_string(DOCUMENT).unwrap_or_default();
    let json = document.split_once(OPENING).and_then(|(_, rest)| rest.split_once(CLOSING));
    json.and_then(|(json, _)| serde_json::from_str(json).ok()).unwrap_or_default()
}

fn document(figures: &BTreeMap<String, Figure>) -> String {
    let mut text = String::from(
        "# Benchmarks\n\nWritten by `scripts/bench`; do not edit. `scripts/bench NAME…` measures \
         some of them again.\n\nA ratio is taken within one run, its two sides in turn, with the \
         load generator on the same cores; what is stated is the median of the rounds' ratios, \
         and beside it the two sides in the round that has it. Every other figure is the median of \
         its rounds too, but for those that say `measured once`. The spread is from the least \
         round to the greatest. Absolute numbers depend on the machine and on what else it \
         does.\n\n",
    );
    writeln!(text, "Machine of the last run: {}.\n", machine()).unwrap();
    text.push_str(
        "| name | figure | goal | measured | spread | of | day |\n|---|---|---|---|---|---|---|\n",
    );
    for (name, figure) in figures {
        for row in &figure.rows {
            let (what, goal, measured, detail) =
                (&row.what, row.goal(), row.measured(), &row.detail);
            let (spread, day) = (row.spread(), &figure.day);
            writeln!(
                text,
                "| {name} | {what} | {goal} | {measured} | {spread} | {detail} | {day} |"
            )
            .unwrap();
        }
    }
    text.push_str("\n## Commands\n\n");
    for (name, figure) in figures {
        writeln!(text, "- `scripts/bench {name}`").unwrap();
        for reference in figure.rows.iter().filter_map(|row| row.reference.as_ref()) {
            writeln!(text, "  - against `{reference}`").unwrap();
        }
    }
    let json = serde_json::to_string_pretty(figures).unwrap();
    write!(text, "\n## All samples\n\n{OPENING}{json}{CLOSING}\n").unwrap();
    text
}

fn machine() -> String {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let postgres = Command::new("pgbench").arg("--version").output();
    let postgres = postgres.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    format!(
        "{cores} cores ({model}), {}, SQLite {}",
        postgres.unwrap_or_else(|_| "no pgbench".to_owned()),
        rusqlite::version(),
    )
}
