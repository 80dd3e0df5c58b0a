//! What the words of a title, or of a slug, say that a problem is about.
//!
//! A phrase is worth 3 where it names the topic ("linked list"), 2 where problems that are called so
//! are mostly about it ("islands"), 1 where it is a hint ("string"). The longest phrase that fits
//! takes its words away from shorter ones, so that a "binary search tree" is no binary search. The
//! topic with the most is the answer, if that is at least [`LEAD`] more than any other has.

use super::words::words;
use crate::problems::topic::Topic;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How much more than any other topic the answer has: fewer answers, and fewer wrong ones, than with
/// less.
const LEAD: u32 = 2;

/// Phrases by topic: those worth 3, 2 and 1, with commas between.
const PHRASES: &[(&str, [&str; 3])] = &[
    (
        "trees",
        [
            "binary tree, binary search tree, bst, n ary tree, tree, subtree, level order, \
             inorder, preorder, postorder, root to leaf, lowest common ancestor, bsts",
            "leaf, leaves, ancestor, descendant, path sum, root, kth ancestor, company \
             queries",
            "node, depth, height, level",
        ],
    ),
    (
        "linked-list",
        [
            "linked list, doubly linked list",
            "reorder list, swap nodes, swapping nodes, list cycle",
            "list",
        ],
    ),
    (
        "stack",
        [
            "stack, monotonic stack, valid parentheses, balanced brackets",
            "parentheses, parenthesis, brackets, calculator, polish notation, next greater, \
             histogram, collision, next smaller, backspace, temperatures, visible people, car \
             fleet, stock span, atoms, nested, lisp",
            "adjacent duplicates, undo, visible",
        ],
    ),
    ("queue", ["queue, deque, circular queue", "recent calls, tickets", ""]),
    (
        "heap",
        [
            "heap, priority queue",
            "kth largest, kth smallest, k closest, top k, k th largest, k th smallest, k \
             largest, k smallest, median, k most frequent, k weakest, stones, hire, \
             scheduler, ipo, sorted lists",
            "kth, closest, largest k",
        ],
    ),
    (
        "dp",
        [
            "knapsack, dynamic programming, longest increasing subsequence, longest common \
             subsequence, edit distance, coin change, dp, maximum subarray, dice roll",
            "subsequence, stairs, robber, stock, stocks, decode ways, number of ways, ways \
             to, unique paths, palindromic partitioning, dice, paint house, paint fence, frog \
             jump, coin combinations, triangulation, burst, tiling, sum of averages, \
             profitable, falling path, profit in job, cherry, tallest billboard, arithmetic \
             slices, student attendance, knight probability, subset sum, partition array for, \
             russian doll, longest string chain, turbulent, matrix chain, scramble, dungeon, \
             delete and earn, egg drop, super egg, dominoes, tribonacci, rod, vacation, \
             removing digits",
            "longest, cost, maximum score, minimum cost, partition, combination, sum, cut, \
             palindromic, ways, permutation",
        ],
    ),
    (
        "graphs",
        [
            "graph, islands, island, bipartite, strongly connected, spanning tree, connected \
             components, bfs, dfs, eulerian, hamiltonian",
            "maze, labyrinth, rooms, network, oranges, provinces, town judge, bridges, \
             ladder, flood, water flow, critical connections, enclaves, closed islands, \
             regions, neighbors, roads, detonate, itinerary, bus routes, friend circle, city, \
             cities, highest peak, gates, infection, shortest bridge, nearest exit, monsters, \
             knight moves, connection, connections, flow, matching, celebrity, star, genetic \
             mutation, jumping",
            "path, connected, edges, nodes, route, reachable, visit, country",
        ],
    ),
    (
        "shortest-paths",
        [
            "shortest path, shortest paths, dijkstra, bellman ford, floyd warshall, shortest \
             route, shortest routes",
            "flights, flight, cheapest, minimum effort, delay time, obstacles elimination, \
             travel, arrive at, minimum time to reach, minimum weighted, threshold distance",
            "minimum time, fuel",
        ],
    ),
    (
        "topological-sort",
        [
            "topological, topological sort, course schedule, alien dictionary, build order",
            "courses, eventual safe, recipes, dependency, dependencies, sequence \
             reconstruction, ancestors in a directed acyclic, sort items by groups",
            "",
        ],
    ),
    (
        "union-find",
        [
            "union find, disjoint set",
            "redundant connection, equality equations, accounts, similar string groups, \
             stones removed, regions cut by, friend requests, smallest equivalent, gcd \
             traversal, component size",
            "groups, swaps, components",
        ],
    ),
    (
        "tries",
        [
            "trie, prefix tree",
            "search suggestions, replace words, stream of characters, magic dictionary, \
             concatenated words, add and search, map sum, camelcase",
            "dictionary, prefix",
        ],
    ),
    (
        "string-matching",
        [
            "string matching, strstr, kmp, rolling hash, pattern searching, z function, \
             prefix function, string search",
            "first occurrence, repeated substring, repeated string match, happy prefix, \
             rotate string, substring search, beautiful indices, pattern positions, finding \
             borders, finding periods, longest duplicate substring, match pattern",
            "occurrence, occurrences",
        ],
    ),
    (
        "strings",
        [
            "anagram string",
            "roman, english words, sentence, text, email, version, zigzag, lowercase, \
             uppercase, capital, license key, goat latin, subdomain, password, substrings, \
             string, palindrome, vowel, letter, character, word",
            "substring, alphabet, encode, keyboard, address, typed, reverse, phone",
        ],
    ),
    (
        "arrays",
        [
            "",
            "plus one, pascal, duplicate zeros, concatenation of array, monotonic array, \
             array",
            "elements, consecutive, rotate, merge, adjacent, index, indices, altitude, \
             subarray",
        ],
    ),
    (
        "matrix",
        [
            "matrix, toeplitz",
            "spiral, sudoku, grid, image, diagonal, diagonals, board, tic tac toe, game of \
             life, chessboard, submatrix, battleships, lucky numbers in a, magic squares",
            "row, columns, cells, cell, rectangle",
        ],
    ),
    (
        "binary-search",
        [
            "binary search, search in rotated, search insert, rotated sorted array",
            "koko, peak element, first bad version, guess number, capacity to ship, sqrt, \
             sorted array, h index ii, bouquets, divisor given a threshold, peak index, \
             arrive on time, magnetic force, multiplication table, factory machines, smallest \
             letter, repair cars, missing element, successful pairs, maximum candies, \
             minimized maximum, kth missing",
            "sorted, minimize maximum, speed, capacity, minimize, search",
        ],
    ),
    (
        "bit-manipulation",
        [
            "bit, bits, xor, bitwise, hamming, 1 bits, gray code, bitmask, binary \
             representation, ones complement",
            "single number, power of two, power of four, complement, binary number, utf 8, \
             sum of two integers, binary gap, binary watch, triplets to make two arrays \
             equal, subset or",
            "binary, flips, and or",
        ],
    ),
    (
        "number-theory",
        [
            "prime, primes, gcd, lcm, coprime, greatest common divisor, number theory, \
             totient, modular, prime numbers, divisors, prime factors",
            "divisor, factors, ugly number, common factors, exponentiation, perfect number, \
             divisible, bulb switcher, multiples, factor",
            "modulo, multiple, remainder",
        ],
    ),
    (
        "combinatorics",
        [
            "combinatorics, binomial, catalan, binomial coefficients",
            "permutation sequence, permutation rank, derangements, christmas party, \
             distributing apples, creating strings ii, count anagrams, orderings, count all \
             valid, good numbers, number of good ways, count sorted vowel, bracket sequences",
            "permutations, count ways, arrangements",
        ],
    ),
    (
        "math",
        [
            "factorial, math, arithmetic progression, fibonacci number",
            "digit, pow, fraction, excel, power of three, square root, happy number, sum of \
             squares, rational, equation, integer break, trailing zeroes, self dividing, \
             straight line, armstrong, roots, divide two integers, complex, water and jug, \
             bulbs, average, nth digit, day of the, temperature, percentage, add two, \
             multiply",
            "integer, sum of, multiplication, power, perfect, even, odd, difference, product, \
             number",
        ],
    ),
    (
        "probability",
        [
            "probability, random, probabilities, expected value",
            "shuffle, dice probability, toss, airplane seat, soup servings, rand10, candy \
             lottery, moving robots, new 21",
            "pick",
        ],
    ),
    (
        "game-theory",
        [
            "game theory, nim, grundy, optimal strategy, stick game",
            "stone game, predict the winner, can i win, cat and mouse, divisor game, flip \
             game, chalkboard, stick, stones game",
            "game, win, winner",
        ],
    ),
    (
        "geometry",
        [
            "geometry, convex hull, polygon, points on a line, triangle area, circle, \
             circles, line segment, rectangle area",
            "points, point, rectangles, rectangle overlap, boomerang, squares, quadrilateral, \
             boomerangs, fence, perimeter, visible points, coordinate, manhattan, triangle, \
             largest triangle, minimum area, polygon area",
            "line, lines, square, distance, area, angle, overlap",
        ],
    ),
    (
        "greedy",
        [
            "greedy",
            "candy, gas station, jump game, cookies, boats, lemonade, partition labels, two \
             city, broken calculator, units on a truck, advantage, straights, bag of tokens, \
             monotone increasing, dota2, patching, domino rotations, maximum swap, deadlines, \
             events that can be attended, apple and, taps, platforms, ice cream, minimum \
             deletions, largest odd, gym badge, stick lengths, missing coin sum",
            "minimum, maximize, maximum number, at most, operations, moves, deletions, \
             minimum number of, make, changes, equal, minimum moves, minimum operations, \
             minimum number of operations",
        ],
    ),
    (
        "hashing",
        [
            "hash, hash table, two sum, anagram, anagrams, number of occurrences",
            "duplicate, duplicates, isomorphic, frequency, frequencies, jewels, distinct, \
             unique, intersection of, majority, pairs, lucky, common characters, ransom, \
             uncommon, good pairs, destination city, sum of unique, buddy, cipher, bulls and \
             cows, logger, tinyurl, mismatch, dominoes equivalent, rabbits, brick wall",
            "count, equal pairs, common, appears, occurs, different",
        ],
    ),
    (
        "intervals",
        [
            "interval, intervals, merge intervals, meeting rooms",
            "calendar, meetings, meeting, overlapping, car pooling, ranges, bookings, movie \
             festival, days without, employee free time, flowers in full bloom, arrows, \
             restaurant customers, points that intersect, covered",
            "schedule, range, events, free",
        ],
    ),
    (
        "sliding-window",
        [
            "sliding window",
            "longest substring, minimum window, consecutive ones, fruit into baskets, at most \
             k distinct, subarrays of size, maximum average subarray, shortest subarray, k \
             distinct, longest subarray, nice subarrays, grumpy, maximum points you can \
             obtain from cards, black blocks, frequent element, subarrays with, subarray \
             product less, playlist, turbulent subarray, substrings of size, vowels in a \
             substring, binary subarrays, substrings containing, dna sequences, smallest \
             range, continuous subarrays, subarray of length",
            "window, contiguous, size k, of length k, substring with, of size",
        ],
    ),
    (
        "two-pointers",
        [
            "two pointers, 3sum, 4sum",
            "container with, rain water, move zeroes, remove element, sorted squares, \
             backspace string compare, sum closest, sum smaller, sum ii, sum of three values, \
             sum of four values, sum of square numbers, reverse words, reverse vowels, merge \
             strings, ferris wheel, long pressed, boats to save, partition list, sort array \
             by parity, pivot array, flipping an image, dutch, sort colors",
            "pair, triplet, triplets, target",
        ],
    ),
    (
        "sorting",
        [
            "sort, sorting, merge sort, bubble sort, quicksort, counting sort",
            "largest number, inversions, pancake, wiggle, rank, ranks, relative, array \
             partition, h index, reorder, order, heights",
            "sorted, arrange, rearrange, ascending, descending",
        ],
    ),
    (
        "prefix-sums",
        [
            "prefix sum, prefix sums, range sum, subarray sum, subarray sums, running sum, \
             range addition",
            "pivot index, except self, pivot integer, highest altitude, flight bookings, \
             corporate, plates between, middle index, shifting letters, static range, forest \
             queries, subarrays sum, sum of all odd length, sum equals k, matrix block sum, \
             vowel strings in ranges, divisible subarrays, contiguous array, penalty for a \
             shop",
            "prefix, subarrays, queries",
        ],
    ),
    (
        "segment-trees",
        [
            "segment tree, fenwick, binary indexed tree, range minimum, range update, range \
             queries, range query, dynamic range",
            "count of smaller, mutable, skyline, falling squares, range module, smaller \
             numbers after, booking concert, salary queries, count of range sum, polynomial \
             queries, range xor, hotel queries",
            "update, updates, queries",
        ],
    ),
    (
        "design",
        [
            "design, lru, lfu, cache, data structure, implement",
            "iterator, twitter, system, hashmap, hashset, getrandom, snapshot, time map, \
             parking, browser history, all o one, stream of, tracker, allocator, food \
             ratings, leaderboard, number containers, bank, logger rate, counter, class, \
             spreadsheet, movie rental, finder, my calendar, codec, data stream",
            "encode and decode, serialize, operations, stream",
        ],
    ),
    (
        "backtracking",
        [
            "backtracking, n queens, combination sum, letter combinations, all permutations",
            "permutations, combinations, subsets, sudoku solver, word search, generate \
             parentheses, restore ip, palindrome partitioning, beautiful arrangement, \
             matchsticks, splitting a string, letter case, all paths, non decreasing \
             subsequences, letter tile, happy string, chessboard and queens, gold, fair \
             distribution, equal sum subsets, expression add operators, additive number, \
             unique paths iii, generate, creating strings, apple division, verbal arithmetic",
            "all possible, combination, possible, split",
        ],
    ),
    (
        "recursion",
        [
            "recursion, recursive, hanoi, ackermann",
            "k th symbol, kth symbol, josephus, different ways to add, beautiful array, k th \
             bit, winner of the circular game",
            "divide",
        ],
    ),
    (
        "simulation",
        [
            "game of life, simulate",
            "robot, baseball, clock, water bottles, walking, snake, elevator, crawler, judge, \
             candy crush, spiral, tic tac, teemo, pouring, push dominoes, passing, pillow, \
             furthest point, escape the, operations on, rotating, buy tickets, card, cards, \
             time needed, battery, collatz, weird algorithm, simulation",
            "process, steps, after, game, time, move",
        ],
    ),
    (
        "database",
        [
            "sql, salary, employees, employee, customers, customer, managers, department, \
             departments, sales, sales person, product sales, immediate food, monthly \
             transactions, queries quality",
            "products, product price, products price, students and examinations, invalid \
             tweets, article views, bank account, activities, project employees, big \
             countries, warehouse, not boring movies, ads performance, monthly, percentage of \
             users, game play analysis, investments, movie rating, tree node, friend requests \
             ii, exchange seats, swap sex, actors and directors, classes with at least, \
             recyclable, trips, primary department, human traffic, triangle judgement, \
             reformat department, capital gain, daily leads, account balance, user activity, \
             market analysis, price at a given date",
            "report, analysis, number of unique subjects, user, transactions, visits, team, \
             tournament",
        ],
    ),
    (
        "shell",
        ["bash, shell, tenth line, transpose file", "word frequency, phone numbers from", ""],
    ),
    (
        "concurrency",
        [
            "concurrency, concurrent, multithreaded, multithreading, thread, threads, \
             semaphore, mutex, dining philosophers, blocking queue",
            "print in order, foobar, zero even odd, h2o, traffic light, web crawler \
             multithreaded",
            "alternately",
        ],
    ),
    (
        "interactive",
        ["interactive", "guess the word, find in mountain, guess the, hidden sequence", ""],
    ),
    ("implementation", ["implementation", "watermelon, way too long", ""]),
];

struct Phrase {
    words: Vec<String>,
    topic: Topic,
    worth: u32,
}

/// The longest first.
static RULES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for (topic, lists) in PHRASES {
        // A test shows that each is one of the list.
        let Ok(topic) = Topic::named(topic) else { continue };
        for (list, worth) in lists.iter().zip([3, 2, 1]) {
            for phrase in list.split(',').map(words).filter(|words| !words.is_empty()) {
                rules.push(Phrase { words: phrase, topic, worth });
            }
        }
    }
    // The singular and the plural of a phrase are one.
    rules.sort_by(|one: &Phrase, other| {
        let key = |rule: &Phrase| (rule.words.clone(), rule.topic.as_str(), rule.worth);
        key(other).cmp(&key(one))
    });
    rules.dedup_by(|one, other| one.words == other.words && one.topic == other.topic);
    rules.sort_by_key(|rule| (std::cmp::Reverse(rule.words.len()), std::cmp::Reverse(rule.worth)));
    rules
});

/// What a problem with this title is about; `None` where its words do not say so.
#[must_use]
pub fn topic_of(title: &str) -> Option<Topic> {
    let mut left: Vec<Option<String>> = words(title).into_iter().map(Some).collect();
    let mut scores: BTreeMap<&'static str, (u32, Topic)> = BTreeMap::new();
    let mut length = usize::MAX;
    let mut taken = Vec::new();
    for rule in RULES.iter() {
        // Phrases of one length may share words; longer ones have taken theirs.
        if rule.words.len() < length {
            take(&mut left, &mut taken);
            length = rule.words.len();
        }
        if let Some(at) = find(&left, &rule.words) {
            taken.extend(at..at + length);
            scores.entry(rule.topic.as_str()).or_insert((0, rule.topic)).0 += rule.worth;
        }
    }
    let mut scores: Vec<(u32, Topic)> = scores.into_values().collect();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let (best, topic) = scores.first().copied()?;
    let second = scores.get(1).map_or(0, |(score, _)| *score);
    (best >= second + LEAD).then_some(topic)
}

fn take(left: &mut [Option<String>], taken: &mut Vec<usize>) {
    for at in taken.drain(..) {
        if let Some(word) = left.get_mut(at) {
            *word = None;
        }
    }
}

fn find(left: &[Option<String>], phrase: &[String]) -> Option<usize> {
    left.windows(phrase.len()).position(|window| {
        window.iter().zip(phrase).all(|(word, wanted)| word.as_ref() == Some(wanted))
    })
}

/// How many phrases there are.
#[must_use]
pub fn size() -> usize {
    RULES.len()
}

/// Whether a title is nothing but a phrase: then an answer shows only that the phrase is there.
#[must_use]
pub fn has_phrase(title: &str) -> bool {
    let title = words(title);
    RULES.iter().any(|rule| rule.words == title)
}

/// The topics, as they are written here.
pub fn topics() -> impl Iterator<Item = &'static str> {
    PHRASES.iter().map(|(topic, _)| *topic)
}
