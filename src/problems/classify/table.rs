//! Problems that many people solve, each with what it is about: by hand, from knowing them.

use crate::problems::identity::Platform;
use crate::problems::topic::Topic;
use std::collections::HashMap;
use std::sync::LazyLock;

/// LeetCode's, by topic.
const LEETCODE: &[(&str, &str)] = &[
    (
        "arrays",
        "best-time-to-buy-and-sell-stock rotate-array majority-element plus-one \
         find-the-duplicate-number first-missing-positive maximum-subarray next-permutation \
         merge-sorted-array maximum-product-subarray pascals-triangle",
    ),
    (
        "hashing",
        "two-sum contains-duplicate contains-duplicate-ii valid-anagram group-anagrams \
         longest-consecutive-sequence isomorphic-strings word-pattern ransom-note happy-number \
         intersection-of-two-arrays intersection-of-two-arrays-ii 4sum-ii",
    ),
    (
        "two-pointers",
        "3sum 3sum-closest 4sum container-with-most-water trapping-rain-water valid-palindrome \
         valid-palindrome-ii two-sum-ii-input-array-is-sorted move-zeroes sort-colors \
         remove-duplicates-from-sorted-array remove-duplicates-from-sorted-array-ii \
         remove-element reverse-string squares-of-a-sorted-array is-subsequence",
    ),
    (
        "sliding-window",
        "longest-substring-without-repeating-characters minimum-window-substring \
         longest-repeating-character-replacement permutation-in-string sliding-window-maximum \
         minimum-size-subarray-sum find-all-anagrams-in-a-string max-consecutive-ones-iii \
         fruit-into-baskets maximum-average-subarray-i \
         substring-with-concatenation-of-all-words",
    ),
    (
        "prefix-sums",
        "subarray-sum-equals-k product-of-array-except-self range-sum-query-immutable \
         range-sum-query-2d-immutable find-pivot-index continuous-subarray-sum \
         contiguous-array running-sum-of-1d-array subarray-sums-divisible-by-k",
    ),
    (
        "stack",
        "valid-parentheses min-stack evaluate-reverse-polish-notation daily-temperatures \
         largest-rectangle-in-histogram basic-calculator basic-calculator-ii decode-string \
         asteroid-collision simplify-path next-greater-element-i next-greater-element-ii \
         remove-k-digits car-fleet longest-valid-parentheses",
    ),
    ("queue", "implement-stack-using-queues number-of-recent-calls design-circular-queue"),
    (
        "binary-search",
        "binary-search search-a-2d-matrix koko-eating-bananas search-insert-position \
         find-minimum-in-rotated-sorted-array search-in-rotated-sorted-array \
         search-in-rotated-sorted-array-ii time-based-key-value-store \
         median-of-two-sorted-arrays find-peak-element sqrtx first-bad-version \
         find-first-and-last-position-of-element-in-sorted-array \
         capacity-to-ship-packages-within-d-days split-array-largest-sum valid-perfect-square \
         guess-number-higher-or-lower",
    ),
    (
        "linked-list",
        "reverse-linked-list merge-two-sorted-lists reorder-list remove-nth-node-from-end-of-list \
         copy-list-with-random-pointer add-two-numbers linked-list-cycle linked-list-cycle-ii \
         reverse-nodes-in-k-group swap-nodes-in-pairs rotate-list partition-list \
         palindrome-linked-list intersection-of-two-linked-lists middle-of-the-linked-list \
         odd-even-linked-list remove-linked-list-elements reverse-linked-list-ii sort-list \
         remove-duplicates-from-sorted-list remove-duplicates-from-sorted-list-ii",
    ),
    (
        "trees",
        "invert-binary-tree maximum-depth-of-binary-tree diameter-of-binary-tree \
         balanced-binary-tree same-tree subtree-of-another-tree symmetric-tree path-sum \
         lowest-common-ancestor-of-a-binary-search-tree lowest-common-ancestor-of-a-binary-tree \
         binary-tree-level-order-traversal binary-tree-right-side-view path-sum-ii path-sum-iii \
         count-good-nodes-in-binary-tree validate-binary-search-tree \
         kth-smallest-element-in-a-bst binary-tree-maximum-path-sum \
         construct-binary-tree-from-preorder-and-inorder-traversal \
         serialize-and-deserialize-binary-tree binary-tree-inorder-traversal \
         sum-root-to-leaf-numbers convert-sorted-array-to-binary-search-tree \
         delete-node-in-a-bst binary-tree-zigzag-level-order-traversal \
         populating-next-right-pointers-in-each-node flatten-binary-tree-to-linked-list",
    ),
    (
        "tries",
        "implement-trie-prefix-tree design-add-and-search-words-data-structure word-search-ii \
         replace-words search-suggestions-system longest-common-prefix \
         maximum-xor-of-two-numbers-in-an-array",
    ),
    (
        "heap",
        "kth-largest-element-in-a-stream last-stone-weight k-closest-points-to-origin \
         kth-largest-element-in-an-array task-scheduler find-median-from-data-stream \
         top-k-frequent-elements top-k-frequent-words merge-k-sorted-lists ugly-number-ii \
         find-k-pairs-with-smallest-sums ipo reorganize-string",
    ),
    (
        "backtracking",
        "subsets subsets-ii combination-sum combination-sum-ii combination-sum-iii permutations \
         permutations-ii word-search palindrome-partitioning n-queens n-queens-ii combinations \
         letter-combinations-of-a-phone-number generate-parentheses sudoku-solver \
         restore-ip-addresses",
    ),
    (
        "graphs",
        "number-of-islands max-area-of-island clone-graph walls-and-gates rotting-oranges \
         pacific-atlantic-water-flow surrounded-regions word-ladder graph-valid-tree \
         is-graph-bipartite keys-and-rooms flood-fill open-the-lock 01-matrix \
         evaluate-division snakes-and-ladders minimum-genetic-mutation \
         reconstruct-itinerary min-cost-to-connect-all-points",
    ),
    ("topological-sort", "course-schedule course-schedule-ii alien-dictionary parallel-courses"),
    (
        "shortest-paths",
        "network-delay-time cheapest-flights-within-k-stops path-with-minimum-effort \
         swim-in-rising-water path-with-maximum-probability shortest-path-in-binary-matrix",
    ),
    (
        "union-find",
        "redundant-connection accounts-merge number-of-provinces \
         number-of-connected-components-in-an-undirected-graph \
         satisfiability-of-equality-equations most-stones-removed-with-same-row-or-column",
    ),
    (
        "dp",
        "climbing-stairs min-cost-climbing-stairs house-robber house-robber-ii coin-change \
         longest-palindromic-substring palindromic-substrings decode-ways word-break \
         longest-increasing-subsequence partition-equal-subset-sum unique-paths unique-paths-ii \
         longest-common-subsequence best-time-to-buy-and-sell-stock-with-cooldown coin-change-ii \
         target-sum interleaving-string longest-increasing-path-in-a-matrix distinct-subsequences \
         edit-distance burst-balloons regular-expression-matching wildcard-matching \
         minimum-path-sum triangle maximal-square perfect-squares \
         best-time-to-buy-and-sell-stock-iii best-time-to-buy-and-sell-stock-iv \
         longest-palindromic-subsequence maximal-rectangle house-robber-iii",
    ),
    (
        "greedy",
        "jump-game jump-game-ii gas-station hand-of-straights merge-triplets-to-form-target-triplet \
         partition-labels valid-parenthesis-string candy assign-cookies lemonade-change \
         best-time-to-buy-and-sell-stock-ii boats-to-save-people queue-reconstruction-by-height",
    ),
    (
        "intervals",
        "insert-interval merge-intervals non-overlapping-intervals meeting-rooms meeting-rooms-ii \
         minimum-interval-to-include-each-query minimum-number-of-arrows-to-burst-balloons \
         summary-ranges my-calendar-i interval-list-intersections",
    ),
    (
        "bit-manipulation",
        "single-number single-number-ii single-number-iii number-of-1-bits counting-bits \
         reverse-bits missing-number sum-of-two-integers power-of-two hamming-distance \
         bitwise-and-of-numbers-range gray-code",
    ),
    (
        "matrix",
        "rotate-image spiral-matrix spiral-matrix-ii set-matrix-zeroes valid-sudoku game-of-life \
         diagonal-traverse search-a-2d-matrix-ii",
    ),
    (
        "math",
        "powx-n multiply-strings palindrome-number reverse-integer fizz-buzz \
         factorial-trailing-zeroes excel-sheet-column-number excel-sheet-column-title \
         add-digits power-of-three fraction-to-recurring-decimal",
    ),
    ("number-theory", "count-primes greatest-common-divisor-of-strings ugly-number"),
    ("geometry", "max-points-on-a-line detect-squares rectangle-area valid-square erect-the-fence"),
    ("game-theory", "nim-game stone-game predict-the-winner can-i-win"),
    (
        "design",
        "lru-cache lfu-cache design-twitter insert-delete-getrandom-o1 \
         implement-queue-using-stacks design-hashmap design-hashset design-linked-list \
         design-underground-system flatten-nested-list-iterator",
    ),
    (
        "strings",
        "encode-and-decode-strings roman-to-integer integer-to-roman length-of-last-word \
         reverse-words-in-a-string zigzag-conversion string-to-integer-atoi text-justification \
         count-and-say compare-version-numbers add-binary integer-to-english-words \
         add-strings string-compression",
    ),
    (
        "string-matching",
        "find-the-index-of-the-first-occurrence-in-a-string repeated-substring-pattern \
         shortest-palindrome rotate-string",
    ),
    ("segment-trees", "range-sum-query-mutable count-of-smaller-numbers-after-self reverse-pairs"),
    ("sorting", "largest-number h-index sort-an-array wiggle-sort-ii maximum-gap"),
    (
        "probability",
        "random-pick-with-weight shuffle-an-array linked-list-random-node \
                     implement-rand10-using-rand7",
    ),
    (
        "database",
        "combine-two-tables second-highest-salary nth-highest-salary rank-scores \
         consecutive-numbers employees-earning-more-than-their-managers duplicate-emails \
         customers-who-never-order department-highest-salary department-top-three-salaries \
         delete-duplicate-emails rising-temperature trips-and-users",
    ),
    ("shell", "word-frequency valid-phone-numbers transpose-file tenth-line"),
    (
        "concurrency",
        "print-in-order print-foobar-alternately print-zero-even-odd building-h2o \
         fizz-buzz-multithreaded the-dining-philosophers",
    ),
];

/// Those of the CSES problem set, by number.
const CSES: &[(&str, &str)] = &[
    ("implementation", "1068 1083 1069 1094 1070 1071 1072 1092"),
    ("bit-manipulation", "1617 2205"),
    ("backtracking", "2165 1622 1624 1625"),
    ("sorting", "1621 1084 1090 1091 1163 1164 1619 1629"),
    ("two-pointers", "1640 1641 1642"),
    ("dp", "1633 1634 1635 1636 1637 1638 1158 1746 2413 1639 1744 1745 1097 1093 1145 1140"),
    ("graphs", "1192 1193 1666 1667 1668 1669 1194"),
    ("shortest-paths", "1671 1672 1673 1195 1197 1196"),
    ("topological-sort", "1679 1680 1681"),
    ("union-find", "1675 1676"),
    ("prefix-sums", "1646 1650 1652"),
    ("segment-trees", "1647 1648 1649 1651 1143 1749 1144"),
    ("trees", "1674 1130 1131 1132 1133 1687 1688 1135"),
    ("number-theory", "1095 1712 1713 1081 1082 2182"),
    ("game-theory", "1730 1729 1099"),
    ("string-matching", "1753 1732 1733"),
    ("geometry", "2189 2190 2191 2192"),
];

/// Codeforces', by contest and index.
const CODEFORCES: &[(&str, &str)] = &[
    ("math", "4/A 1/A 50/A 617/A 546/A"),
    ("strings", "71/A 118/A 112/A 236/A 339/A 131/A 58/A 41/A"),
    ("implementation", "158/A 231/A 282/A 263/A 266/A 96/A 110/A 677/A"),
    ("greedy", "160/A 230/A 1335/A"),
];

const PLATFORMS: [(Platform, &[(&str, &str)]); 3] =
    [(Platform::Leetcode, LEETCODE), (Platform::Cses, CSES), (Platform::Codeforces, CODEFORCES)];

static TABLE: LazyLock<HashMap<(Platform, &str), Topic>> = LazyLock::new(|| {
    // A test shows that each topic is one of the list.
    entries()
        .filter_map(|(platform, slug, topic)| Some(((platform, slug), Topic::named(topic).ok()?)))
        .collect()
});

/// The table as it is written here: problems and their topics.
pub fn entries() -> impl Iterator<Item = (Platform, &'static str, &'static str)> {
    PLATFORMS.into_iter().flat_map(|(platform, topics)| {
        topics.iter().flat_map(move |(topic, slugs)| {
            slugs.split_ascii_whitespace().map(move |slug| (platform, slug, *topic))
        })
    })
}

/// What a problem of the table is about.
#[must_use]
pub fn topic_of(platform: Platform, slug: &str) -> Option<Topic> {
    TABLE.get(&(platform, slug)).copied()
}

/// How many problems it has.
#[must_use]
pub fn size() -> usize {
    TABLE.len()
}
