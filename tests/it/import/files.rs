//! Files as they come: packed, in a form, of other kinds, and unreadable ones.

use super::dump::{assert_unchanged, dump};
use super::upload::{all, counts, send, solved};
use crate::harness::{Answer, Backend, Client, Server, on_both};
use flate2::{Compression, write::GzEncoder};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use traverse::import::file::ImportFile;

fn rows(count: usize) -> Vec<Value> {
    (0..count).map(|row| solved(&format!("p-{row}"), "2024-01-01T10:00:00Z")).collect()
}

fn file(count: usize) -> Vec<u8> {
    json!(rows(count)).to_string().into_bytes()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn send_encoded(client: &Client, encoding: &str, body: Vec<u8>) -> Answer {
    let request = client
        .request(Method::POST, "/api/v1/imports?dry_run=true")
        .header("content-type", "application/json")
        .header("content-encoding", encoding);
    Answer::of(request.body(body))
}

/// A form, as a browser sends it.
fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in parts {
        write!(
            body,
            "--b\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"x\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        )
        .unwrap();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--b--\r\n");
    body
}

#[test]
fn a_bomb_does_not_go_off() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&packed(&vec![b' '; 1 << 20])).unwrap();
    assert!(file.metadata().unwrap().len() < 10_000);
    let file = ImportFile::new(file).unwrap();
    assert!(file.is_packed);
    let mut unpacked = Vec::new();
    file.open_within(1 << 20).unwrap().read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked.len(), 1 << 20);
    let error = file.open_within((1 << 20) - 1).unwrap().read_to_end(&mut unpacked).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
}

on_both! {
    fn packed_or_in_a_form_it_is_the_same(server: Server) {
        let ada = server.register("ada");
        let plain = file(3);
        let expected = [3, 3, 0, 0, 0, 0, 0];
        let dry = "?dry_run=true";
        for media_type in ["application/json", "application/x-ndjson", "text/plain; charset=utf-8"] {
            assert_eq!(counts(&send(&ada, dry, media_type, &plain).expect(200).body), expected);
        }
        for media_type in ["application/gzip", "application/json"] {
            let answer = send(&ada, dry, media_type, &packed(&plain)).expect(200);
            assert_eq!(counts(&answer.body), expected);
        }
        assert_eq!(counts(&send_encoded(&ada, "gzip", packed(&plain)).expect(200).body), expected);
        let twice = [packed(b"["), packed(&plain[1..])].concat();
        assert_eq!(counts(&send_encoded(&ada, "gzip", twice).expect(200).body), expected);
        let multipart = "multipart/form-data; boundary=b";
        for content in [plain.clone(), packed(&plain)] {
            let body = form(&[("comment", b"none"), ("file", &content)]);
            assert_eq!(counts(&send(&ada, dry, multipart, &body).expect(200).body), expected);
        }
    }

    fn other_bodies_are_refused(server: Server) {
        let ada = server.register("ada");
        let plain = file(1);
        send(&ada, "", "application/pdf", &plain).expect(415);
        send(&ada, "", "application/x-www-form-urlencoded", &plain).expect(415);
        send_encoded(&ada, "br", plain.clone()).expect(415);
        send_encoded(&ada, "gzip", plain.clone()).expect(400);
        send(&ada, "", "application/gzip", &plain).expect(400);
        let multipart = "multipart/form-data; boundary=b";
        send(&ada, "", multipart, &form(&[("other", &plain)])).expect(422);
        send(&ada, "", multipart, &form(&[("file", &plain), ("file", &plain)])).expect(422);
        send(&ada, "", multipart, b"--b\r\nnonsense").expect(400);
        send(&ada, "", "multipart/form-data", &plain).expect(400);
    }

    fn what_cannot_be_read_creates_nothing(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let before = dump(&mut db);
        let whole = file(2000);
        let broken_off = &whole[..whole.len() - 100];
        let packed_whole = packed(&whole);
        let refused = r#"{"status": "FAILED", "comment": "handle: not found"}"#;
        for body in [
            b"".as_slice(),
            b"<!DOCTYPE html>",
            b"nothing at all",
            broken_off,
            refused.as_bytes(),
            &packed_whole[..packed_whole.len() - 20],
            b"[]",
        ] {
            let answer = send(&ada, "", "application/json", body).expect(422);
            assert_eq!(answer.code(), "unreadable-file");
            assert!(!answer.body["detail"].as_str().unwrap().is_empty());
        }
        send(&ada, "?format=csv", "application/json", &whole).expect(422);
        assert_unchanged(&before, &dump(&mut db));
        assert!(all(&ada, "/api/v1/imports").is_empty());
    }

    fn parameters_are_checked(server: Server) {
        let ada = server.register("ada");
        let plain = file(1);
        for query in ["?format=leethub", "?time_zone=Mars/Olympus", "?date_order=dym", "?dry_run=perhaps"] {
            let answer = send(&ada, query, "application/json", &plain).expect(422);
            assert!(query.contains(answer.body["errors"][0]["pointer"].as_str().unwrap()), "{answer:?}");
        }
        let both = send(&ada, "?format=x&date_order=y", "application/json", &plain).expect(422);
        assert_eq!(both.body["errors"].as_array().unwrap().len(), 2);
        send(&ada, "?format=auto&other=5", "application/json", &plain).expect(201);
    }

    fn only_who_may_write_imports(server: Server) {
        let ada = server.register("ada");
        let token = |scope: &str| {
            let made = ada.post("/api/v1/tokens", &json!({"name": scope, "scopes": [scope]})).expect(201);
            ada.with_token(made.body["token"].as_str().unwrap())
        };
        send(&token("read"), "", "application/json", &file(1)).expect(403);
        send(&token("submit"), "", "application/json", &file(1)).expect(403);
        send(&server.anonymous(), "", "application/json", &file(1)).expect(401);
        let report = send(&token("write"), "", "application/json", &file(1)).expect(201);
        let location = report.header("location").unwrap().to_owned();
        assert_eq!(ada.get(&location).expect(200).body, report.body);
        let bob = server.register("bob");
        bob.get(&location).expect(404);
        bob.get(&format!("{location}/rows")).expect(404);
        assert!(all(&bob, "/api/v1/imports").is_empty());
    }

    fn rows_and_imports_are_read_page_by_page(server: Server) {
        let ada = server.register("ada");
        let ids: Vec<_> = (1..=3)
            .map(|_| send(&ada, "", "application/json", &file(250)).expect(201).body["id"].clone())
            .collect();
        let listed: Vec<_> =
            all(&ada, "/api/v1/imports").iter().map(|import| import["id"].clone()).collect();
        assert_eq!(listed, [ids[2].clone(), ids[1].clone(), ids[0].clone()]);
        let path = format!("/api/v1/imports/{}/rows", ids[0]);
        let numbers: Vec<_> = all(&ada, &path).iter().map(|row| row["row"].as_i64().unwrap()).collect();
        assert_eq!(numbers, (1..=250).collect::<Vec<_>>());
        assert_eq!(all(&ada, &format!("{path}?verdict=imported")).len(), 250);
        assert_eq!(all(&ada, &format!("{path}?verdict=rejected")).len(), 0);
        ada.get(&format!("{path}?verdict=lost")).expect(422);
        ada.get(&format!("{path}?limit=0")).expect(422);
    }

    fn many_batches_are_one_import(server: Server) {
        let ada = server.register("ada");
        // Every problem twice, the earlier time last, so that each is seen again in a late batch.
        let mut rows = rows(2500);
        rows.extend((0..2500).map(|row| solved(&format!("p-{row}"), "2023-01-01T10:00:00Z")));
        let body = json!(rows).to_string();
        let dry = send(&ada, "?dry_run=true", "application/json", body.as_bytes()).expect(200).body;
        let report = send(&ada, "", "application/json", body.as_bytes()).expect(201).body;
        assert_eq!(counts(&report), [5000, 2500, 0, 2500, 0, 0, 0]);
        assert_eq!(counts(&dry), counts(&report));
        let solves = all(&ada, "/api/v1/solves");
        assert_eq!(solves.len(), 2500);
        assert!(solves.iter().all(|solve| solve["first_solved_at"] == "2023-01-01T10:00:00Z"));
        let mut db = server.database.connect();
        let before = dump(&mut db);
        let again = send(&ada, "", "application/json", body.as_bytes()).expect(201).body;
        assert_eq!(counts(&again), [5000, 0, 5000, 0, 0, 0, 0]);
        assert_unchanged(&before, &dump(&mut db));
    }

    fn the_report_lists_the_first_rows_of_the_file(server: Server) {
        let ada = server.register("ada");
        // A title alone is looked at after all that is no solve.
        let file = format!("title,slug\nNobody knows it,\n{}", ",no such slug\n".repeat(200));
        let report = send(&ada, "", "text/csv", file.as_bytes()).expect(201).body;
        assert_eq!(counts(&report), [201, 0, 0, 0, 0, 1, 200]);
        let listed: Vec<Value> = report["errors"].as_array().unwrap().iter()
            .map(|error| error["row"].clone()).collect();
        assert_eq!(listed, (1..=100).collect::<Vec<i64>>());
        assert_eq!(ada.get(&format!("/api/v1/imports/{}", report["id"])).expect(200).body, report);
        let dry = send(&ada, "?dry_run=true", "text/csv", file.as_bytes()).expect(200).body;
        assert_eq!(dry["errors"], report["errors"]);
    }
}

/// What `docs/import.md` shows of the format can be pasted as it stands.
#[test]
fn the_examples_in_the_document_can_be_imported() {
    let text = include_str!("../../../docs/import.md");
    let (_, format) = text.split_once("\n### `traverse`\n").unwrap();
    let examples: Vec<_> = format.split("```json\n").skip(1).collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let (file, _) = example.split_once("```").unwrap();
        let server = Server::fresh(Backend::Sqlite);
        let ada = server.register("ada");
        let report = send(&ada, "?dry_run=true", "application/json", file.as_bytes()).expect(200);
        assert_eq!(counts(&report.body), [1, 1, 0, 0, 0, 0, 0], "{file}");
    }
}
