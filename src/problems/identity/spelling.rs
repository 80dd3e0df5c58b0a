//! Spellings that several platforms share. Only ASCII letters change their case: Unicode has other
//! characters whose lower case is an ASCII letter (the Kelvin sign), and those are no slugs.

/// Letters in lower case, digits and the punctuation given; at least one letter or digit.
pub(super) fn lower(slug: &str, punctuation: &[char]) -> Option<String> {
    made_of(slug, punctuation).then(|| slug.to_ascii_lowercase())
}

/// The same in upper case.
pub(super) fn upper(slug: &str, punctuation: &[char]) -> Option<String> {
    made_of(slug, punctuation).then(|| slug.to_ascii_uppercase())
}

/// Letters, digits and the punctuation given; at least one letter or digit.
pub(super) fn made_of(slug: &str, punctuation: &[char]) -> bool {
    slug.chars().any(|c| c.is_ascii_alphanumeric())
        && slug.chars().all(|c| c.is_ascii_alphanumeric() || punctuation.contains(&c))
}

/// Digits only, at least one.
pub(super) fn digits(slug: &str) -> bool {
    !slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number from 1 on, whose leading zeros do not count.
pub(super) fn number(slug: &str) -> Option<u32> {
    // `parse` alone would take `+1`.
    if !digits(slug) {
        return None;
    }
    slug.parse().ok().filter(|number| *number > 0)
}
