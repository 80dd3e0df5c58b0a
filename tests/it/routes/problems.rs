use crate::harness::{Server, on_both};
use serde_json::json;

on_both! {
    fn a_search_knows_what_it_is_given_and_any_case_of_ascii(server: Server) {
        let ada = server.register("ada");
        for (slug, title) in [("two-sum", "Two Sum"), ("ete", "Été 100%"), ("etf", "Étf_100")] {
            let body = json!({"platform": "leetcode", "slug": slug, "title": title});
            ada.post("/api/v1/problems", &body).expect(201);
        }
        let found = |q: &str| {
            let list = ada.get(&format!("/api/v1/problems?q={q}")).expect(200).body;
            let slugs = list["items"].as_array().unwrap().iter();
            slugs.map(|item| item["slug"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("TWO-s"), ["two-sum"]);
        assert_eq!(found("wo%20sU"), ["two-sum"]);
        assert_eq!(found("%C3%89t%C3%A9"), ["ete"]);
        assert_eq!(found("0%25"), ["ete"]);
        assert_eq!(found("f_1"), ["etf"]);
        assert_eq!(found("x_1"), [""; 0]);
        ada.get("/api/v1/problems?q=%00").expect(422);
    }
}
