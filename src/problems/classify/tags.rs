//! What tags say that a problem is about. The sites have many names for one thing, and many tags for
//! one problem: the most particular of them counts.

use super::words::words;
use crate::problems::topic::Topic;

/// Topics with the tags that mean them, the most particular topic first: of a problem with the tags
/// "array" and "union find" nobody would say that it is about arrays.
const MEANINGS: &[(&str, &[&str])] = &[
    ("database", &["database", "sql"]),
    ("shell", &["shell", "bash"]),
    ("concurrency", &["concurrency", "multithreading"]),
    ("interactive", &["interactive"]),
    ("tries", &["trie"]),
    ("topological-sort", &["topological sort", "topological sorting", "toposort"]),
    ("segment-trees", &["segment tree", "binary indexed tree", "fenwick tree", "lazy propagation"]),
    ("shortest-paths", &["shortest path", "dijkstra", "bellman ford", "floyd warshall"]),
    ("linked-list", &["linked list", "doubly linked list"]),
    ("sliding-window", &["sliding window", "monotonic queue"]),
    (
        "string-matching",
        &[
            "string matching",
            "string suffix structure",
            "suffix array",
            "kmp",
            "rolling hash",
            "pattern searching",
        ],
    ),
    ("game-theory", &["game theory", "game", "nim"]),
    (
        "probability",
        &["probability", "probability and statistic", "randomized", "reservoir sampling"],
    ),
    ("geometry", &["geometry", "computational geometry", "convex hull"]),
    (
        "number-theory",
        &[
            "number theory",
            "prime number",
            "gcd",
            "modular arithmetic",
            "chinese remainder theorem",
        ],
    ),
    (
        "combinatorics",
        &["combinatoric", "combinatorial", "counting principle", "permutation and combination"],
    ),
    ("prefix-sums", &["prefix sum", "difference array"]),
    ("intervals", &["interval", "merge interval", "line sweep", "sweep line"]),
    ("backtracking", &["backtracking"]),
    ("heap", &["heap", "priority queue", "heap priority queue"]),
    ("stack", &["stack", "monotonic stack"]),
    ("trees", &["tree", "binary tree", "binary search tree", "bst"]),
    (
        "graphs",
        &[
            "graph",
            "graph theory",
            "depth first search",
            "breadth first search",
            "dfs",
            "bfs",
            "dfs and similar",
            "graph matching",
            "flow",
            "2 sat",
            "strongly connected component",
            "minimum spanning tree",
            "eulerian circuit",
            "bipartite graph",
        ],
    ),
    ("union-find", &["union find", "disjoint set", "disjoint set union", "dsu"]),
    ("binary-search", &["binary search", "ternary search"]),
    ("dp", &["dynamic programming", "dp", "memoization", "knapsack"]),
    ("two-pointers", &["two pointer", "two pointer algorithm"]),
    ("bit-manipulation", &["bit manipulation", "bit magic", "bit", "bitmask", "bitwise"]),
    ("queue", &["queue", "deque"]),
    ("design", &["design", "data stream", "iterator", "ood"]),
    ("greedy", &["greedy", "greedy algorithm"]),
    ("matrix", &["matrix", "matrice", "grid"]),
    ("hashing", &["hash table", "hashing", "hash", "hash map", "map", "hash function"]),
    ("recursion", &["recursion", "divide and conquer"]),
    ("sorting", &["sorting", "sort", "sorting algorithm", "merge sort", "bucket sort"]),
    ("math", &["math", "mathematic", "mathematical", "fft"]),
    ("simulation", &["simulation"]),
    ("strings", &["string", "expression parsing"]),
    ("arrays", &["array"]),
    ("implementation", &["implementation", "brute force", "ad hoc"]),
];

/// What a problem with these tags is about; `None` where none of them says so.
#[must_use]
pub fn topic_of<'a>(tags: impl IntoIterator<Item = &'a str>) -> Option<Topic> {
    let rank = |tag: &str| {
        let tag = words(tag).join(" ");
        MEANINGS.iter().position(|(topic, tags)| tag == own_words(topic) || tags.contains(&&*tag))
    };
    let first = tags.into_iter().filter_map(rank).min()?;
    MEANINGS.get(first).and_then(|(topic, _)| Topic::named(topic).ok())
}

/// The topics, as they are written here.
pub fn topics() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().map(|(topic, _)| *topic)
}

/// The name of a topic as a tag.
fn own_words(topic: &str) -> String {
    words(topic).join(" ")
}
