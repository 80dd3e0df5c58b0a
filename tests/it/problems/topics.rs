//! What problems are about: the table, the tags, and the words of titles, measured.

use traverse::problems::classify::{Ground, Subject, offline, table, tags, titles};
use traverse::problems::identity::{Platform, canonical};
use traverse::problems::topic::{ALL, Topic};

const LABELS: &str = include_str!("../data/topic-labels.txt");

/// Of the titles that the words say something about, so many in a hundred must be right.
const RIGHT: usize = 72;

/// And so many must be the one topic that the tags say, of which the most particular counts.
const STRICTLY: usize = 52;

/// Of all titles, the words must say something about so many in a hundred.
const ANSWERED: usize = 40;

fn labels() -> Vec<(&'static str, Vec<Topic>)> {
    let lines = LABELS.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let (title, topics) = line.split_once('|').unwrap();
        let topics = topics.split(' ').map(|topic| Topic::named(topic).unwrap()).collect();
        (title, topics)
    };
    lines.map(read).collect()
}

/// LeetCode's name for a title.
fn slug(title: &str) -> String {
    let letters = title.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}

fn leetcode(slug: &str, title: Option<&str>) -> Subject {
    let title = title.map(str::to_owned);
    Subject { platform: Platform::Leetcode, slug: slug.to_owned(), title }
}

fn by_words(title: &str) -> Option<&'static str> {
    titles::topic_of(title).map(Topic::as_str)
}

fn by_tags(tags: &[&str]) -> Option<&'static str> {
    tags::topic_of(tags.iter().copied()).map(Topic::as_str)
}

#[test]
fn titles_are_right_as_often_as_is_said() {
    let labels = labels();
    assert!(labels.len() >= 150, "only {} problems", labels.len());
    let (mut answered, mut right, mut strictly) = (0, 0, 0);
    for (title, topics) in &labels {
        let slug = slug(title);
        assert!(table::topic_of(Platform::Leetcode, &slug).is_none(), "{title} is in the table");
        assert!(!titles::has_phrase(title), "{title} is a phrase of the rules");
        if let Some(topic) = titles::topic_of(title) {
            answered += 1;
            right += usize::from(topics.contains(&topic));
            let names = topics.iter().map(|topic| topic.as_str());
            strictly += usize::from(tags::topic_of(names) == Some(topic));
        }
    }
    let all = labels.len();
    println!(
        "{all} titles: {answered} answered ({} in 100), {right} of them right ({} in 100), \
         {strictly} the topic that the tags say ({} in 100)",
        100 * answered / all,
        100 * right / answered,
        100 * strictly / answered
    );
    assert!(100 * strictly >= STRICTLY * answered, "{strictly} of {answered} are what tags say");
    assert!(100 * right >= RIGHT * answered, "{right} of {answered} are right");
    assert!(100 * answered >= ANSWERED * all, "{answered} of {all} are answered");
}

/// The tags of the same problems always say one of their topics.
#[test]
fn tags_are_right_where_they_are_known() {
    for (title, topics) in labels() {
        let names: Vec<&str> = topics.iter().map(|topic| topic.as_str()).collect();
        let found = tags::topic_of(names.iter().copied()).unwrap();
        assert!(topics.contains(&found), "{title}");
    }
}

#[test]
fn the_table_is_of_problems_that_there_are() {
    assert!(table::size() >= 350, "only {}", table::size());
    for (platform, slug, topic) in table::entries() {
        let identity = canonical(platform, slug).unwrap();
        assert_eq!(identity.slug, slug);
        assert!(ALL.contains(&topic), "{topic}");
    }
    assert_eq!(table::entries().count(), table::size(), "one is there twice, or has no topic");
}

#[test]
fn every_topic_of_the_rules_is_one_of_the_list() {
    for topic in titles::topics().chain(tags::topics()) {
        assert!(ALL.contains(&topic), "{topic}");
    }
    assert!(titles::size() >= 500, "only {}", titles::size());
    assert_eq!(tags::topics().count(), ALL.len() - 1, "all but `other`");
}

#[test]
fn the_table_comes_before_the_words() {
    let (topic, ground) = offline(&leetcode("coin-change", Some("A Binary Tree"))).unwrap();
    assert_eq!((topic.as_str(), ground), ("dp", Ground::Table));
    let (topic, ground) = offline(&leetcode("no-such", Some("A Binary Tree"))).unwrap();
    assert_eq!((topic.as_str(), ground), ("trees", Ground::Words));
    // Without a title the name says it.
    let (topic, _) = offline(&leetcode("trim-a-binary-search-tree", None)).unwrap();
    assert_eq!(topic.as_str(), "trees");
    assert_eq!(offline(&leetcode("shopping-offers", None)), None);
    // The codes of other sites are no words.
    let stack = Subject { platform: Platform::Codechef, slug: "STACK".to_owned(), title: None };
    assert_eq!(offline(&stack), None);
}

#[test]
fn the_longest_phrase_counts() {
    assert_eq!(by_words("Binary Search"), Some("binary-search"));
    assert_eq!(by_words("Trim a Binary Search Tree"), Some("trees"));
    assert_eq!(by_words("Minimum Spanning Tree"), Some("graphs"));
    assert_eq!(by_words("LINKED-LISTS, all of them"), Some("linked-list"));
    // Nothing is better than a guess.
    for unsure in ["", "   ", "A + B", "Melons", "The Stack of the Queue", "日本語"] {
        assert_eq!(by_words(unsure), None, "{unsure}");
    }
}

#[test]
fn the_most_particular_tag_counts() {
    assert_eq!(by_tags(&["Array", "Hash Table"]), Some("hashing"));
    assert_eq!(by_tags(&["Array"]), Some("arrays"));
    assert_eq!(by_tags(&["dp", "greedy", "*1700"]), Some("dp"));
    assert_eq!(by_tags(&["Heap (Priority Queue)", "Sorting"]), Some("heap"));
    assert_eq!(by_tags(&["dfs and similar", "trees"]), Some("trees"));
    assert_eq!(by_tags(&["sliding-window", "Strings"]), Some("sliding-window"));
    assert_eq!(by_tags(&["shortest paths"]), Some("shortest-paths"));
    assert_eq!(by_tags(&["constructive algorithms", "revisit", ""]), None);
    assert_eq!(by_tags(&[]), None);
    // Every topic is a tag of its own.
    for topic in ALL.into_iter().filter(|topic| *topic != "other") {
        assert_eq!(by_tags(&[topic]), Some(topic));
    }
}
