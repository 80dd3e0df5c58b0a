//! Imports point one way, as `docs/architecture.md` draws it; every race class has its guard, its
//! test and its line in `docs/race-classes.md`. Each check fails when it finds nothing to check.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use traverse::app::guards;

/// The most lines of a file.
const LONGEST: usize = 600;

/// What a kind of file must not mention, and how many such files there are at least.
const RULES: &[(&str, usize, &[&str])] = &[
    ("routes", 15, &["diesel", "crate::schema", "store::", "guards", "on_conflict"]),
    ("model", 6, &["actix", "super::store", "super::guards", "super::routes"]),
    ("store", 7, &["actix", "on_conflict", "super::guards", "super::routes", "crate::http"]),
    ("guards", 8, &["actix", "super::store", "super::routes", "crate::http"]),
    ("mod", 8, &["actix", "sql_query", "crate::http", "crate::app"]),
];

struct Source {
    /// From the root of the repository.
    path: String,
    text: String,
}

impl Source {
    /// The lines of code with their numbers: no comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        lines.filter(|(_, line)| !line.starts_with("//"))
    }

    /// The folder of the domain and the kind of the file: of `src/auth/routes/tokens.rs` they are
    /// `auth` and `routes`.
    fn place(&self) -> Option<(&str, &str)> {
        let (domain, file) = self.path.strip_prefix("src/")?.split_once('/')?;
        if matches!(domain, "db" | "http" | "cli" | "days") {
            return None;
        }
        let kind = match file.split_once('/') {
            Some((folder, _)) => folder,
            None => file.strip_suffix(".rs")?,
        };
        Some((domain, kind))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files of a folder with one of these endings, in the order of their paths.
fn files(folder: &str, ending: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_str().unwrap().ends_with(ending) {
                found.push(read(&path));
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn read(path: &PathBuf) -> Source {
    let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    Source { path: name, text: std::fs::read_to_string(path).unwrap() }
}

fn sources() -> Vec<Source> {
    let sources = files("src", ".rs");
    assert!(sources.len() > 100, "only {} sources", sources.len());
    sources
}

/// The functions of all guards, by the domain.
fn guard_functions() -> BTreeMap<String, String> {
    let mut functions = BTreeMap::new();
    for source in sources().iter().filter(|source| source.path.ends_with("/guards.rs")) {
        let (domain, _) = source.place().unwrap();
        for (_, line) in source.code() {
            if let Some(rest) = line.strip_prefix("pub fn ") {
                let name = rest.split_once(['(', '<']).unwrap().0;
                let before = functions.insert(name.to_owned(), domain.to_owned());
                assert_eq!(before, None, "two guards are called {name}");
            }
        }
    }
    assert!(functions.len() >= 30, "only {} guards", functions.len());
    functions
}

#[test]
fn imports_point_one_way() {
    let sources = sources();
    let mut wrong = Vec::new();
    for (kind, least, forbidden) in RULES {
        let of_kind: Vec<_> = sources
            .iter()
            .filter(|source| source.place().is_some_and(|(_, found)| found == *kind))
            .collect();
        assert!(of_kind.len() >= *least, "only {} files are {kind}", of_kind.len());
        for source in of_kind {
            for (number, line) in source.code() {
                for word in forbidden.iter().filter(|word| line.contains(**word)) {
                    // What routes show is named in `mod.rs`.
                    if !line.starts_with("pub mod ") {
                        wrong.push(format!("{}:{number}: {word}: {line}", source.path));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_domain_is_called_through_its_verbs() {
    let sources = sources();
    let domains: BTreeSet<&str> =
        sources.iter().filter_map(|source| Some(source.place()?.0)).collect();
    assert!(domains.len() >= 9, "only {domains:?}");
    let mut calls = 0;
    let mut wrong = Vec::new();
    // The list of guards and the list of routes are what names them all.
    let lists = ["src/app.rs", "src/http/router.rs"];
    for source in sources.iter().filter(|source| !lists.contains(&source.path.as_str())) {
        let own = source.path.strip_prefix("src/").and_then(|path| path.split_once('/'));
        for (number, line) in source.code() {
            for domain in domains.iter().filter(|domain| own.is_none_or(|(own, _)| own != **domain))
            {
                calls += usize::from(line.contains(&format!("{domain}::")));
                for inner in ["guards", "store", "routes"] {
                    let path = format!("{domain}::{inner}");
                    let before = line.find(&path).and_then(|at| line[..at].chars().next_back());
                    let is_whole = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
                    if line.contains(&path) && is_whole {
                        wrong.push(format!("{}:{number}: {line}", source.path));
                    }
                }
            }
        }
    }
    assert!(calls > 100, "only {calls} calls were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What calls what: each domain, and the domains that its files name. Routes are left out: they
/// stand on everything, and nothing stands on them.
fn calls(sources: &[Source]) -> BTreeMap<&str, BTreeSet<&str>> {
    let domains: BTreeSet<&str> =
        sources.iter().filter_map(|source| Some(source.place()?.0)).collect();
    let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        let Some((own, kind)) = source.place().filter(|(_, kind)| *kind != "routes") else {
            continue;
        };
        // The extractor of a caller is of the routes, too.
        if (own, kind) == ("auth", "caller") {
            continue;
        }
        let code: Vec<&str> = source.code().map(|(_, line)| line).collect();
        let code = code.join(" ");
        assert!(!code.contains("use crate::{"), "{}: one domain a line", source.path);
        for path in code.split("crate::").skip(1) {
            let name = path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
            if let Some(domain) = domains.get(name).filter(|domain| **domain != own) {
                calls.entry(own).or_default().insert(domain);
            }
        }
    }
    calls
}

/// No domain needs itself, however far around.
#[test]
fn domains_call_in_one_direction() {
    let sources = sources();
    let mut left = calls(&sources);
    let edges: usize = left.values().map(BTreeSet::len).sum();
    assert!(edges >= 20, "only {edges} calls between domains: {left:?}");
    // Whoever calls nobody is taken away, until nobody is left, or only those of a cycle.
    loop {
        let callers: BTreeSet<&str> = left.keys().copied().collect();
        for called in left.values_mut() {
            called.retain(|domain| callers.contains(domain));
        }
        let before = left.len();
        left.retain(|_, called| !called.is_empty());
        if left.len() == before {
            break;
        }
    }
    assert!(left.is_empty(), "domains call each other: {left:?}");
}

/// The databases know nothing of the domains.
#[test]
fn the_ground_knows_nothing_of_what_stands_on_it() {
    let mut imports = 0;
    let mut wrong = Vec::new();
    for source in files("src/db", ".rs") {
        for (number, line) in source.code().filter(|(_, line)| line.contains("crate::")) {
            imports += 1;
            let is_below = ["crate::db", "crate::turns", "pub(crate)"];
            if !is_below.iter().any(|below| line.contains(below)) {
                wrong.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    assert!(imports > 0, "no import was found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands between the parenthesis that `text` begins behind and the one that closes it.
fn in_parentheses(text: &str) -> &str {
    let mut depth = 1;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    panic!("a parenthesis stays open: {text}")
}

/// An update that finds a row only in some state, or an upsert, settles a race: it is a guard. What
/// others write may be chosen by whose it is or what it belongs to, which never changes.
#[test]
fn only_guards_settle_races() {
    let belongs = ["user_id.eq(", "solve_id.eq(", "solve_id.eq_any(", "id.eq_any("];
    let (mut updates, mut wrong) = (0, Vec::new());
    for source in sources().iter().filter(|source| !source.path.ends_with("/guards.rs")) {
        let text = source.code().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
        if text.contains(".on_conflict") && source.path != "src/db/guard.rs" {
            wrong.push(format!("{}: an upsert", source.path));
        }
        for part in text.split("diesel::update(").skip(1) {
            updates += 1;
            for filter in in_parentheses(part).split(".filter(").skip(1) {
                let condition = in_parentheses(filter);
                let column = condition.trim().split_once("::").map_or(condition, |(_, it)| it);
                if !belongs.iter().any(|belongs| column.starts_with(belongs)) {
                    wrong.push(format!("{}: an update where {condition}", source.path));
                }
            }
        }
    }
    assert!(updates > 10, "only {updates} updates were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_guard_has_a_race_test_of_its_name() {
    let functions: BTreeSet<String> = guard_functions().into_keys().collect();
    let tests = files("tests/it/races", ".rs");
    let names: BTreeSet<String> = tests
        .iter()
        .map(|test| Path::new(&test.path).file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "mod")
        .collect();
    assert_eq!(names, functions);
    let list = tests.iter().find(|test| test.path.ends_with("/mod.rs")).unwrap();
    for test in tests.iter().filter(|test| !test.path.ends_with("/mod.rs")) {
        let name = Path::new(&test.path).file_stem().unwrap().to_str().unwrap();
        assert!(list.text.contains(&format!("mod {name};\n")), "{name} does not run");
        assert!(test.text.contains("race_rounds("), "{name} does not race");
        let waits = ["wins_only_after_a_rollback(", "overlap(", "passes_over("];
        assert!(waits.iter().any(|call| test.text.contains(call)), "{name} does not wait");
        assert!(test.text.contains(&format!("{name}(")), "{name} does not call its guard");
    }
}

/// The lines of the table of race classes in `docs/race-classes.md`: their cells.
fn documented() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join("docs/race-classes.md")).unwrap();
    let (classes, _) = text.split_once("\n## ").unwrap();
    let rows: Vec<Vec<String>> = classes
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
        .map(|line| {
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
        })
        .collect();
    assert!(rows.len() >= 25, "only {} rows", rows.len());
    rows
}

fn in_quotes(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Each guard and each constraint is in the table once, and nothing else is.
#[test]
fn the_documented_race_classes_are_those_of_the_code() {
    let mut functions = Vec::new();
    let mut constraints = Vec::new();
    for row in documented() {
        let [_, function, settled_by, ..] = row.as_slice() else { panic!("{row:?}") };
        functions.extend(in_quotes(function));
        constraints.extend(in_quotes(settled_by).into_iter().filter(|text| !text.contains(' ')));
    }
    functions.sort_unstable();
    let expected: Vec<String> = guard_functions().into_keys().collect();
    assert_eq!(functions, expected);
    let constraints: BTreeSet<String> = constraints.into_iter().collect();
    let expected: BTreeSet<String> = guards().iter().map(|guard| guard.name.to_owned()).collect();
    assert_eq!(constraints, expected);
}

/// The modules of the tests, by their names: `jobs::kills`.
fn modules_of_tests() -> BTreeMap<String, String> {
    let name = |path: &str| {
        let inside = path.strip_prefix("tests/it/")?.strip_suffix(".rs")?;
        Some(inside.strip_suffix("/mod").unwrap_or(inside).replace('/', "::"))
    };
    let files = files("tests/it", ".rs").into_iter();
    files.filter_map(|source| Some((name(&source.path)?, source.text))).collect()
}

/// Each fault in the table names its test, and each kind of job is in it.
#[test]
fn the_documented_faults_have_their_tests() {
    let text = std::fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let modules = modules_of_tests();
    let mut named = 0;
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        for test in in_quotes(row).into_iter().filter(|text| text.contains("::")) {
            let (module, function) = test.rsplit_once("::").unwrap();
            let source = modules.get(module).unwrap_or_else(|| panic!("{module} is no module"));
            assert!(source.contains(&format!("fn {function}(")), "{test} is no test");
            named += 1;
        }
    }
    assert!(named >= 25, "only {named} tests are named");
    for kind in traverse::worker::registry().names() {
        assert!(text.contains(&format!("| `{kind}` | `")), "{kind} is not there");
    }
}

/// The score of the mutants, and the last soak's, are those of their table.
#[test]
fn the_score_is_that_of_the_table() {
    let text = std::fs::read_to_string(root().join("docs/race-classes.md")).unwrap();
    let (_, mutants) = text.split_once("\n## Mutants\n").unwrap();
    let (mutants, rest) = mutants.split_once("\n## ").unwrap();
    let rows: Vec<&str> = mutants.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() >= 50, "only {} mutants", rows.len());
    assert!(rows.iter().all(|row| row.ends_with(" of its tests |")), "one survived");
    let all = rows.len();
    assert!(mutants.contains(&format!("**Score: {all} of {all}**")), "there are {all}");
    // On SQLite the transaction is the lock.
    let on_sqlite = all - rows.iter().filter(|row| row.contains("| the lock |")).count();
    let soaked = format!("| mutants | {on_sqlite} of {on_sqlite} caught | {all} of {all} caught |");
    assert!(rest.contains(&soaked), "{soaked}");
}

#[test]
fn no_file_is_too_long() {
    let mut checked = 0;
    let mut long = Vec::new();
    for (folder, ending) in [
        ("src", ".rs"),
        ("tests", ".rs"),
        ("benches", ".rs"),
        ("scripts", ""),
        ("migrations", ".sql"),
    ] {
        if !root().join(folder).exists() {
            continue;
        }
        for source in files(folder, ending) {
            checked += 1;
            let lines = source.text.lines().count();
            if lines > LONGEST {
                long.push(format!("{}: {lines} lines", source.path));
            }
        }
    }
    assert!(checked > 150, "only {checked} files");
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// A module says what it is.
#[test]
fn every_module_opens_with_what_it_is() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path)
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// One form for all decisions, so that a reader finds in each what they look for.
#[test]
fn decisions_have_one_form() {
    let decisions = files("docs/adr", ".md");
    assert!(decisions.len() >= 5, "only {}", decisions.len());
    for (number, decision) in (1..).zip(&decisions) {
        assert!(decision.path.starts_with(&format!("docs/adr/{number:04}-")), "{}", decision.path);
        assert!(decision.text.starts_with(&format!("# {number}. ")), "{}", decision.path);
        let parts: Vec<&str> =
            decision.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let expected = ["Status", "Context", "Decision", "Consequences"];
        assert_eq!(parts, expected, "{}", decision.path);
    }
}
