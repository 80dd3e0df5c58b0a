//! Problems from anywhere else. The slug is the user's own and no page shows it.

use super::site::{Page, Site};

pub(super) const SITE: Site = Site {
    main_judge: "custom",
    judge: |_host| None,
    page: |_host, _path| Page::Other,
    slug,
    alphabet: "1 to 255 characters, none of them a control character",
    address: |_slug| None,
    example: "",
};

fn slug(written: &str) -> Option<String> {
    (!written.is_empty() && !written.chars().any(char::is_control)).then(|| written.to_owned())
}
