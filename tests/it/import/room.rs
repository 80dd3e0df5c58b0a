//! Files take room on disk for as long as they wait, and not more than there is.

use super::upload::{all, counts, import, send, solved};
use crate::harness::{Answer, Client, Server, on_both};
use reqwest::Method;
use serde_json::json;
use traverse::import::room::{Held, SHARE};

fn file() -> Vec<u8> {
    json!([solved("two-sum", "2024-01-01T10:00:00Z")]).to_string().into_bytes()
}

/// All room but so many shares.
fn all_but(server: &Server, shares: usize) -> Held {
    let room = &server.app.imports.room;
    room.take(room.free() - shares * SHARE).unwrap()
}

fn in_a_form(client: &Client, file: &[u8]) -> Answer {
    let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n";
    let body = [head.as_bytes(), file, b"\r\n--b--\r\n"].concat();
    let request = client
        .request(Method::POST, "/api/v1/imports")
        .header("content-type", "multipart/form-data; boundary=b");
    Answer::of(request.body(body))
}

on_both! {
    fn there_is_only_so_much(server: Server) {
        let ada = server.register("ada");
        let room = &server.app.imports.room;
        let free = room.free();
        assert_eq!(free, 2 << 30);
        let held = all_but(&server, 0);
        for answer in [send(&ada, "", "application/json", &file()), in_a_form(&ada, &file())] {
            let refused = answer.expect(503);
            assert_eq!(refused.code(), "unavailable");
            assert_eq!(refused.header("retry-after"), Some("10"));
        }
        assert!(all(&ada, "/api/v1/imports").is_empty());
        drop(held);
        assert_eq!(counts(&import(&ada, &file()))[1], 1);
        in_a_form(&ada, &file()).expect(201);
        assert_eq!(room.free(), free, "it is given back");
    }

    fn a_file_has_as_much_as_it_is_long(server: Server) {
        let ada = server.register("ada");
        let held = all_but(&server, 2);
        let mut long = file();
        long.resize(2 * SHARE, b' ');
        assert_eq!(counts(&import(&ada, &long))[2], 0);
        long.push(b' ');
        send(&ada, "", "application/json", &long).expect(503);
        // What is no file to be kept takes none.
        send(&ada, "", "image/png", &long).expect(415);
        drop(held);
        send(&ada, "", "application/json", &long).expect(201);
        assert_eq!(server.app.imports.room.free(), 2 << 30);
    }
}
