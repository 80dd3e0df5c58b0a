//! How large a figure is taken. `cargo bench` measures; `cargo test` rehearses: everything runs once,
//! small, so that what no longer fits the tables is seen, and nothing is written down.

/// Whether nothing is measured. Cargo adds `--bench` where it is.
pub fn is_rehearsal() -> bool {
    std::env::args().all(|word| word != "--bench")
}

/// A number of rounds, rows, requests or seconds.
pub fn size<Number>(measured: Number, rehearsed: Number) -> Number {
    if is_rehearsal() { rehearsed } else { measured }
}
