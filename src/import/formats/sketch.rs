//! The structure of JSON from its first bytes, for telling formats apart.
//!
//! It is made of text that breaks off anywhere or is no JSON at all, so it judges nothing: it
//! notes which members were seen where.

use std::collections::BTreeSet;

use super::quote::quoted;

/// Members below this depth tell no format apart.
const DEPTH: usize = 6;
/// An object keyed by its rows' ids would have as many paths as rows.
const PATHS: usize = 2_000;

/// Which members the beginning of a JSON text has.
pub(super) struct Sketch {
    paths: BTreeSet<String>,
    /// Whether the first value ends on the line on which it begins.
    pub(super) on_one_line: bool,
}

struct Level {
    object: bool,
    /// Where the path of this container ends.
    path: usize,
    /// Whether the next string is the name of a member.
    name_next: bool,
}

impl Sketch {
    /// Looks at the first value of a text that begins with `[` or `{`.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut sketch = Self { paths: BTreeSet::new(), on_one_line: true };
        let mut path = String::new();
        let mut levels: Vec<Level> = Vec::new();
        let mut bytes = text.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => {
                    let mut string = Vec::new();
                    while let Some(byte) = bytes.next() {
                        match byte {
                            b'"' => break,
                            b'\\' => string.extend(bytes.next()),
                            other => string.push(other),
                        }
                    }
                    if let Some(level) = levels.last_mut().filter(|level| level.name_next) {
                        level.name_next = false;
                        path.truncate(level.path);
                        if !path.is_empty() {
                            path.push('.');
                        }
                        path.push_str(&String::from_utf8_lossy(&string));
                        sketch.note(&path, levels.len());
                    }
                }
                b'{' => levels.push(Level { object: true, path: path.len(), name_next: true }),
                b'[' => {
                    path.push_str("[]");
                    sketch.note(&path, levels.len());
                    levels.push(Level { object: false, path: path.len(), name_next: false });
                }
                b'}' | b']' => {
                    levels.pop();
                    path.truncate(levels.last().map_or(0, |level| level.path));
                    if levels.is_empty() {
                        return sketch;
                    }
                }
                b',' => {
                    if let Some(level) = levels.last_mut() {
                        level.name_next = level.object;
                    }
                }
                b'\n' => sketch.on_one_line = false,
                _ => {}
            }
        }
        sketch
    }

    fn note(&mut self, path: &str, depth: usize) {
        if depth <= DEPTH && self.paths.len() < PATHS && !self.paths.contains(path) {
            self.paths.insert(path.to_owned());
        }
    }

    /// Whether there is such a member: names joined by `.`, with `[]` for the elements of an
    /// array, as in `result[].problem.index`.
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether rows below one of these paths have all these members.
    pub(super) fn rows_have(&self, rows: &[&str], members: &[&str]) -> bool {
        rows.iter().any(|row| {
            members.iter().all(|member| match *row {
                "" => self.has(member),
                row => self.has(&format!("{row}.{member}")),
            })
        })
    }

    /// What a person sees in it.
    pub(super) fn describe(&self) -> String {
        let (kind, prefix) =
            if self.has("[]") { ("array of objects", "[].") } else { ("object", "") };
        let members: Vec<String> = self
            .paths
            .iter()
            .filter_map(|path| path.strip_prefix(prefix))
            .filter(|member| !member.is_empty() && !member.contains(['.', '[']))
            .take(8)
            .map(quoted)
            .collect();
        if members.is_empty() {
            return "JSON in which no member has a name".to_owned();
        }
        format!("a JSON {kind} with the members {}", members.join(", "))
    }
}
