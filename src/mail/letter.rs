//! A letter: its headers, its text and the same as HTML.
//!
//! What is always true: a line of a header has no control characters, and what stands in HTML is
//! escaped, whatever a user has called a problem.

use crate::db::instant::At;
use lettre::Address;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};
use std::fmt::Write;
use std::time::SystemTime;

/// Characters of a subject.
const LONGEST_SUBJECT: usize = 200;

/// What somebody gets.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    /// The address of whoever gets it.
    pub to: &'a str,
    /// One line.
    pub subject: &'a str,
    /// Paragraphs, each a line.
    pub body: &'a str,
    /// Where it leads: what the link says, and an address.
    pub link: Option<(&'a str, &'a str)>,
    /// What names this letter among all that the instance sends: `a-z`, `0-9`, `-` and `.`. A letter
    /// that is sent twice has it twice.
    pub name: &'a str,
    /// The address by which the instance is known.
    pub origin: &'a str,
    /// An address at which the receiver says that they want no more of these (RFC 8058).
    pub unsubscribe: Option<&'a str>,
}

impl Letter<'_> {
    /// As it is sent.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(super) fn message(&self, from: &Mailbox, to: Address, now: At) -> Result<Message, String> {
        let mut message = Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to))
            .subject(line(self.subject))
            .message_id(Some(format!("<{}@{}>", self.name, host(self.origin))))
            .date(SystemTime::from(*now))
            // No answering machine answers it (RFC 3834).
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(address) = self.unsubscribe {
            message = message
                .raw_header(header("List-Unsubscribe", &format!("<{address}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        message
            .multipart(MultiPart::alternative_plain_html(self.text(), self.html()))
            .map_err(|error| error.to_string())
    }

    /// As text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.body.trim_end().lines() {
            text.extend(line.chars().filter(|c| !c.is_control()).chain(['\n']));
        }
        // What is written to a `String` arrives.
        if let Some((words, address)) = self.link {
            let _ = write!(text, "\n{words}: {address}\n");
        }
        if let Some(address) = self.unsubscribe {
            let _ = write!(text, "\n-- \nNo more of these: {address}\n");
        }
        text
    }

    /// As a page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut html = String::from("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">");
        let _ = write!(html, "<title>{}</title>\n<body>\n", escaped(&line(self.subject)));
        for paragraph in self.body.lines().filter(|text| !text.trim().is_empty()) {
            let _ = writeln!(html, "<p>{}</p>", escaped(paragraph));
        }
        if let Some((words, address)) = self.link {
            let (words, address) = (escaped(words), escaped(address));
            let _ = writeln!(html, "<p><a href=\"{address}\">{words}</a></p>");
        }
        if let Some(address) = self.unsubscribe {
            let address = escaped(address);
            let _ =
                writeln!(html, "<p><small><a href=\"{address}\">No more of these</a></small></p>");
        }
        html.push_str("</body></html>\n");
        html
    }
}

/// One line of a header: no control characters, so that nothing ends it, and not too long.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_SUBJECT).collect()
}

/// A header that is ASCII and goes as it is: an address that is broken is none.
fn header(name: &'static str, value: &str) -> HeaderValue {
    let value: String = value.chars().filter(char::is_ascii_graphic).collect();
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.clone(),
        value,
    )
}

/// The name in an address such as `https://traverse.example.org:8443`.
fn host(origin: &str) -> String {
    let url = url::Url::parse(origin).ok();
    let host = url.as_ref().and_then(url::Url::host_str).unwrap_or("localhost");
    host.trim_matches(['[', ']']).replace(':', ".")
}

/// A line of text as it stands in HTML, also within quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::Letter;
    use crate::db::instant::At;
    use chrono::DateTime;

    const NASTY: Letter<'static> = Letter {
        to: "ada@example.org",
        subject: "Two\r\nBcc: eve@example.org\r\n\r\nsum",
        body: "<script>alert(1)</script>\n\nB & \"C\"",
        link: Some(("To the list", "https://t.example.org/?a=1&b='")),
        name: "delivery-7",
        origin: "https://t.example.org:8443",
        unsubscribe: Some("https://t.example.org/api/v1/unsubscribe/1.all.ab"),
    };

    fn sent(letter: &Letter<'_>) -> String {
        let from = "Traverse <noreply@example.org>".parse().unwrap();
        let to = letter.to.parse().unwrap();
        let message = letter.message(&from, to, At::from(DateTime::UNIX_EPOCH)).unwrap();
        String::from_utf8(message.formatted()).unwrap()
    }

    #[test]
    fn no_text_makes_a_header() {
        let sent = sent(&NASTY);
        let (headers, _) = sent.split_once("\r\n\r\n").unwrap();
        assert!(
            !headers.lines().any(|line| line.to_ascii_lowercase().starts_with("bcc")),
            "{headers}"
        );
        for header in [
            "Message-ID: <delivery-7@t.example.org>",
            "Auto-Submitted: auto-generated",
            "List-Unsubscribe: <https://t.example.org/api/v1/unsubscribe/1.all.ab>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
            "Date: Thu, 01 Jan 1970 00:00:00 +0000",
        ] {
            assert!(headers.contains(header), "{header} in {headers}");
        }
        assert!("a@b.org\r\nRCPT TO:<eve@example.org>".parse::<lettre::Address>().is_err());
    }

    #[test]
    fn no_text_makes_html() {
        let html = NASTY.html();
        assert!(html.contains("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"), "{html}");
        assert!(html.contains("<p>B &amp; &quot;C&quot;</p>"), "{html}");
        assert!(html.contains("href=\"https://t.example.org/?a=1&amp;b=&#39;\""), "{html}");
    }
}
