//! The page that the link in a letter leads to. The token stands behind the `#` of the address, which
//! browsers send to nobody; the page sends it, with the password, to the API.

use actix_web::http::header::{CONTENT_SECURITY_POLICY, ContentType};
use actix_web::{HttpResponse, get};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

const PAGE: (&str, &str) = (
    "<!doctype html>
<html lang=\"en\"><meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>A new password for Traverse</title>
<body><h1>A new password</h1>
<form><p><label>At least 10 characters:
<input type=\"password\" autocomplete=\"new-password\" minlength=\"10\" required></label>
<button>Set it</button></p></form>
<p role=\"status\"></p>
<noscript>Without JavaScript, send the token of the link to POST /api/v1/auth/reset/confirm.</noscript>
<script>",
    "</script></body></html>\n",
);

const SCRIPT: &str = "
const form = document.querySelector('form');
const say = text => document.querySelector('[role=status]').textContent = text;
form.addEventListener('submit', async event => {
  event.preventDefault();
  const body = JSON.stringify({
    token: location.hash.replace(/^#token=/, ''),
    new_password: form.querySelector('input').value,
  });
  try {
    const answer = await fetch('/api/v1/auth/reset/confirm', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body,
    });
    if (answer.ok) {
      form.remove();
      history.replaceState(null, '', location.pathname);
      say('The password is set. All sessions have ended: log in with it.');
    } else {
      const error = await answer.json();
      say(error.title + ': ' + error.detail);
    }
  } catch {
    say('The server cannot be reached. Try again.');
  }
});
";

/// Show where a link for a new password leads
///
/// A page that asks for the password and sends it, with the token of its address, to
/// `POST /api/v1/auth/reset/confirm`.
#[utoipa::path(
    operation_id = "show_password_reset",
    tag = "accounts",
    security(()),
    responses((status = 200, description = "A page", content_type = "text/html", body = String)),
)]
#[get("/reset-password")]
pub async fn show() -> HttpResponse {
    // Nothing runs in it but this very script.
    let script = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{script}'; connect-src 'self'; form-action 'none'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    let (head, tail) = PAGE;
    HttpResponse::Ok()
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .body(format!("{head}{SCRIPT}{tail}"))
}
