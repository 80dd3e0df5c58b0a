//! The OpenAPI document: valid, complete, and what it was before.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use traverse::http::openapi;

fn document() -> Value {
    serde_json::from_str(openapi::json()).unwrap()
}

/// Each operation with its path and its method.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push((path.clone(), method.clone(), operation));
        }
    }
    assert!(operations.len() > 10);
    operations
}

/// The routes that the source text declares: `#[get("/me")]`.
fn declared(folder: &Path, found: &mut BTreeSet<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            declared(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().map(str::trim_start) {
            for method in ["get", "post", "put", "patch", "delete", "head"] {
                if let Some(rest) = line.strip_prefix(&format!("#[{method}(\"")) {
                    let route = rest.split('"').next().unwrap().to_owned();
                    found.insert((route, method.to_owned()));
                }
            }
        }
    }
}

#[test]
fn the_document_is_what_it_was() {
    insta::assert_snapshot!("openapi", openapi::json());
}

/// The names of all schemas below a folder, each as often as it is given.
fn named(folder: &Path, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named(&path, names);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for part in text.split("ToSchema").skip(1) {
            // From one derive to its type; what is imported has none before the next blank line.
            let Some(of_type) = part.split("\n\n").next() else { continue };
            let word = |mark: &str| {
                let rest = of_type.split_once(mark)?.1;
                rest.split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned)
            };
            let is_derived = of_type.split_once(")]").is_some_and(|(head, _)| !head.contains(';'));
            let name = word("schema(as = ").or_else(|| word("struct ")).or_else(|| word("enum "));
            if let (true, Some(name)) = (is_derived, name) {
                names.push(name);
            }
        }
    }
}

/// Of two types with one name the document has one, and the answers of the other are not as it says.
#[test]
fn no_two_schemas_share_a_name() {
    let mut names = Vec::new();
    named(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut names);
    assert!(names.len() > 80, "only {}", names.len());
    let all: BTreeSet<_> = names.iter().collect();
    let twice: Vec<_> =
        all.iter().filter(|name| names.iter().filter(|other| other == *name).count() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn every_route_is_in_the_document() {
    let mut found = BTreeSet::new();
    declared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 10);
    // The pages that show the document, and the way there.
    found.retain(|(route, _)| !route.starts_with("/docs") && route != "/");
    let document = document();
    let documented: BTreeSet<_> = operations(&document)
        .into_iter()
        .map(|(path, method, _)| (path.trim_start_matches("/api/v1").to_owned(), method))
        .collect();
    let missing: Vec<_> = found.difference(&documented).collect();
    assert!(missing.is_empty(), "in no document, and so in no router: {missing:?}");
    let extra: Vec<_> = documented.difference(&found).collect();
    assert!(extra.is_empty(), "declared in another way: {extra:?}");
}

#[test]
fn every_operation_is_described() {
    let document = document();
    let tags: BTreeSet<_> =
        document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str()).collect();
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let at = format!("{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{at}: a second one");
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{at}");
        assert!(operation["security"].is_array(), "{at}");
        let tag = operation["tags"].as_array().unwrap();
        assert!(tag.len() == 1 && tags.contains(&tag[0].as_str()), "{at}: {tag:?}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{at}: {parameter}");
        }
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{at}");
        assert!(!responses.contains_key("default"), "{at}: would hide what is not documented");
    }
    for tag in document["tags"].as_array().unwrap() {
        assert!(tag["description"].as_str().is_some_and(|text| !text.is_empty()), "{tag}");
    }
}

#[test]
fn every_refusal_is_a_problem_detail() {
    let document = document();
    for (path, method, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = match response["$ref"].as_str() {
                Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
                None => response,
            };
            assert!(response["description"].is_string());
            if !status.starts_with(['4', '5']) {
                continue;
            }
            let content = response["content"].as_object().unwrap();
            let kinds: Vec<_> = content.keys().collect();
            assert_eq!(kinds, ["application/problem+json"], "{method} {path} {status}");
        }
    }
}

#[test]
fn every_field_is_described() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        let parts = std::iter::once(schema).chain(schema["allOf"].as_array().into_iter().flatten());
        for (field, value) in parts.filter_map(|part| part["properties"].as_object()).flatten() {
            let described = value["description"].is_string()
                || value["oneOf"]
                    .as_array()
                    .is_some_and(|kinds| kinds.iter().any(|kind| kind["description"].is_string()));
            assert!(described, "{name}.{field}: {value}");
        }
    }
}

/// The judge is `openapi-spec-validator`, which checks against the schema of OpenAPI 3.1.
#[test]
fn the_document_is_valid() {
    let python = std::env::var("TRAVERSE_JUDGES_PYTHON")
        .expect("TRAVERSE_JUDGES_PYTHON names the judges' Python; run `scripts/test`");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openapi.json");
    std::fs::write(&file, openapi::json()).unwrap();
    let judged = Command::new(python)
        .args(["-m", "openapi_spec_validator", "--schema", "3.1"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(judged.status.success(), "{judged:?}");
    assert_eq!(document()["openapi"], "3.1.0");
}
