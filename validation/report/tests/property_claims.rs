//! Claims: verdicts follow the numbers, and JSON keeps them.

use proptest::prelude::*;

use signorini_report::claim::number;
use signorini_report::{Claim, Expected, Verdict};

fn any_number() -> impl Strategy<Value = f64> {
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MIN_POSITIVE, 5e-324];
    prop_oneof![3 => any::<f64>(), 1 => -1e3..1e3, 1 => proptest::sample::select(special.to_vec())]
}

fn any_expected() -> impl Strategy<Value = Expected> {
    let [a, b, c, d, e, f, g, h] = [0; 8].map(|_| any_number());
    prop_oneof![
        a.prop_map(Expected::AtMost),
        b.prop_map(Expected::AtLeast),
        (c, d).prop_map(|(low, high)| Expected::Between([low, high])),
        (e, f).prop_map(|(value, relative)| Expected::Value { value, relative }),
        (g, h).prop_map(|(value, absolute)| Expected::Near { value, absolute }),
    ]
}

fn bits(e: Expected) -> Vec<u64> {
    match e {
        Expected::AtMost(x) | Expected::AtLeast(x) => vec![x.to_bits()],
        Expected::Between(ends) => ends.map(f64::to_bits).into(),
        Expected::Value { value, relative } => vec![value.to_bits(), relative.to_bits()],
        Expected::Near { value, absolute } => vec![value.to_bits(), absolute.to_bits()],
    }
}

proptest! {
    /// A claim in JSON is the claim, to the last bit of each number; numbers that are not finite are null, with their text.
    #[test]
    fn property_claims_survive_json(
        expected in any_expected(),
        measured in any_number(),
        words in any::<[String; 3]>(),
        skipped in any::<bool>(),
    ) {
        let mut claim = Claim::compared(&words[0], &words[1], expected, measured, &words[2]);
        if skipped {
            claim = Claim::skipped(&words[0], &words[1], &words[2]).with_substitute(&words[0]);
        }
        let json = serde_json::to_string(&claim).unwrap();
        let back: Claim = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&back, &claim);
        prop_assert_eq!(back.measured.map(f64::to_bits), claim.measured.map(f64::to_bits));
        prop_assert_eq!(back.expected.map(bits), claim.expected.map(bits));
        if !skipped {
            let value: serde_json::Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(value["measured"].as_f64().map(f64::to_bits), measured.is_finite().then(|| measured.to_bits()));
            prop_assert_eq!(value["measured"].is_null(), !measured.is_finite());
            prop_assert_eq!(&value["measured_text"], &number(measured));
        }
    }

    /// The verdict is that of the numbers before any of them was rounded or left out.
    #[test]
    fn property_verdicts_follow_the_numbers(a in any_number(), b in any_number(), x in any_number()) {
        let holds = |c: Claim| c.verdict == Verdict::Holds;
        prop_assert_eq!(holds(Claim::at_most("", "", a, x, "")), x <= a);
        prop_assert_eq!(holds(Claim::at_least("", "", a, x, "")), x >= a);
        prop_assert_eq!(holds(Claim::between("", "", [a, b], x, "")), x >= a && x <= b);
        prop_assert_eq!(holds(Claim::relative("", "", a, x, b, "")), (x - a).abs() <= b * a.abs());
        prop_assert_eq!(holds(Claim::near("", "", a, x, b, "")), (x - a).abs() <= b);
    }
}

#[test]
fn conformance_expected_in_json() {
    let json = |e: Expected| serde_json::to_string(&e).unwrap();
    assert_eq!(json(Expected::AtMost(0.1)), r#"{"at_most":0.1}"#);
    assert_eq!(json(Expected::AtLeast(-2.0)), r#"{"at_least":-2.0}"#);
    assert_eq!(json(Expected::Between([0.0, 0.7])), r#"{"between":[0.0,0.7]}"#);
    assert_eq!(json(Expected::Value { value: 3.0, relative: 0.01 }), r#"{"value":3.0,"relative":0.01}"#);
    assert_eq!(json(Expected::Near { value: 3.0, absolute: 0.5 }), r#"{"value":3.0,"absolute":0.5}"#);
    let nan = serde_json::to_value(Claim::at_most("id", "", f64::INFINITY, f64::NAN, "m")).unwrap();
    assert!(nan["expected"].is_null() && nan["measured"].is_null());
    assert_eq!((&nan["expected_text"], &nan["measured_text"]), (&"≤ inf".into(), &"NaN".into()));
}
