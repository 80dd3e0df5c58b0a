//! Settings: what is refused, and the text that they are kept under.

use proptest::prelude::*;
use traverse::revisions::settings::{Fault, Settings};

fn pointers(settings: &Settings) -> Vec<String> {
    settings.validate().into_iter().map(|Fault { pointer, .. }| pointer).collect()
}

#[test]
fn the_defaults_are_valid_and_their_text_is_fixed() {
    let settings = Settings::default();
    assert_eq!(settings.validate(), []);
    assert_eq!(
        settings.to_canonical_json().unwrap(),
        r#"{"ladder_days":[1,3,7,14,30,60,120],"desired_retention":0.9,"maximum_interval":180,"fuzz":true,"load_balance":false,"weekday_weights":[1.0,1.0,1.0,1.0,1.0,1.0,1.0],"parameters":null,"algorithm":"fsrs-6"}"#
    );
    assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), settings);
    assert!(serde_json::from_str::<Settings>(r#"{"fuz":true}"#).is_err());
}

#[test]
fn each_bound_is_refused_just_outside_and_taken_just_inside() {
    let retention = |desired_retention| Settings { desired_retention, ..Settings::default() };
    for inside in [0.70, 0.99] {
        assert_eq!(retention(inside).validate(), []);
    }
    for outside in [0.699, 0.991, 0.0, 1.0, -0.9, f64::NAN, f64::INFINITY] {
        assert_eq!(pointers(&retention(outside)), ["/desired_retention"]);
    }

    let maximum = |maximum_interval| Settings { maximum_interval, ..Settings::default() };
    for inside in [1, 36_500] {
        assert_eq!(maximum(inside).validate(), []);
    }
    for outside in [0, 36_501] {
        assert_eq!(pointers(&maximum(outside)), ["/maximum_interval"]);
    }

    let ladder = |days: &[u32]| Settings { ladder_days: days.to_vec(), ..Settings::default() };
    for inside in [&[1][..], &[36_500], &[1; 30], &[1, 1, 2]] {
        assert_eq!(ladder(inside).validate(), []);
    }
    for outside in [&[][..], &[1; 31]] {
        assert_eq!(pointers(&ladder(outside)), ["/ladder_days"]);
    }
    assert_eq!(pointers(&ladder(&[0, 2])), ["/ladder_days/0"]);
    assert_eq!(pointers(&ladder(&[3, 2, 1])), ["/ladder_days/1", "/ladder_days/2"]);
    assert_eq!(pointers(&ladder(&[1, 36_501])), ["/ladder_days/1"]);

    let weights = |weekday_weights| Settings { weekday_weights, ..Settings::default() };
    assert_eq!(weights([0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0]).validate(), []);
    assert_eq!(pointers(&weights([0.0; 7])), ["/weekday_weights"]);
    assert_eq!(
        pointers(&weights([1.0, -0.1, 1.1, f64::NAN, f64::INFINITY, 1.0, 0.0])),
        ["/weekday_weights/1", "/weekday_weights/2", "/weekday_weights/3", "/weekday_weights/4"]
    );

    let own = |parameters| Settings { parameters: Some(parameters), ..Settings::default() };
    assert_eq!(own(vec![0.5; 21]).validate(), []);
    for count in [0, 17, 19, 20, 22] {
        assert_eq!(pointers(&own(vec![0.5; count])), ["/parameters"]);
    }
    let mut broken = vec![0.5; 21];
    broken[20] = f32::NAN;
    assert_eq!(pointers(&own(broken)), ["/parameters/20"]);

    let algorithm = Settings { algorithm: "fsrs-5".to_owned(), ..Settings::default() };
    assert_eq!(algorithm.validate()[0].to_string(), "/algorithm: \"fsrs-5\", expected \"fsrs-6\"");
}

#[test]
fn a_negative_zero_is_no_second_text() {
    let weights = |zero| Settings {
        weekday_weights: [1.0, zero, 1.0, 1.0, 1.0, 1.0, 1.0],
        parameters: Some(
            [0.5; 20]
                .into_iter()
                .chain([if zero.is_sign_negative() { -0.0 } else { 0.0 }])
                .collect(),
        ),
        ..Settings::default()
    };
    assert_eq!(
        weights(-0.0).to_canonical_json().unwrap(),
        weights(0.0).to_canonical_json().unwrap()
    );
}

proptest! {
    #[test]
    fn the_text_leads_back_to_the_settings_and_to_itself(
        desired_retention in 0.70..=0.99_f64,
        weekday_weights in prop::array::uniform7(0.0..=1.0_f64),
        parameters in prop::option::of(prop::collection::vec(-10.0..10.0_f32, 21)),
    ) {
        let settings =
            Settings { desired_retention, weekday_weights, parameters, ..Settings::default() };
        let text = settings.to_canonical_json().unwrap();
        let read: Settings = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &settings);
        prop_assert_eq!(read.to_canonical_json().unwrap(), text);
    }
}
