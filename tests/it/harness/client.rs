//! A client of the API.

use reqwest::Method;
use reqwest::blocking::RequestBuilder;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// Talks to one server, with or without a token.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::blocking::Client,
    pub url: String,
    pub token: Option<String>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// The body, where it is JSON; else null.
    pub body: Value,
    pub bytes: Vec<u8>,
}

impl Client {
    pub fn new(url: &str) -> Self {
        // The library of the program's own requests, which it shares, wants a provider of TLS.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::blocking::Client::builder()
            .timeout(Duration::from_mins(1))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { http, url: url.to_owned(), token: None }
    }

    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// The same client, of another server.
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// A request to be completed by the caller.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path))
    }

    pub fn delete(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::DELETE, path))
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(body))
    }

    pub fn put(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::PUT, path).json(body))
    }

    pub fn patch(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::PATCH, path).json(body))
    }

    /// A POST with an `Idempotency-Key`.
    pub fn post_with_key(&self, path: &str, key: &str, body: &Value) -> Answer {
        let request = self.request(Method::POST, path).header("Idempotency-Key", key);
        Answer::of(request.json(body))
    }
}

impl Answer {
    /// Sends a request.
    pub fn of(request: RequestBuilder) -> Self {
        let response = request.send().unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = response.bytes().unwrap().to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Self { status, headers, body, bytes }
    }

    /// The answer, if it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(
            self.status,
            status,
            "expected {status}: {} {}",
            self.status,
            String::from_utf8_lossy(&self.bytes)
        );
        self
    }

    /// A header, as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The code of a problem body.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}
