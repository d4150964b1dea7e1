//! Checks of numbers, by the place of the element that states them.

use crate::{Place, SceneError};

pub(super) type Check = Result<(), SceneError>;

pub(super) fn fail<T>(
    place: &Place,
    message: impl Into<String>,
    remedy: impl Into<String>,
) -> Result<T, SceneError> {
    Err(SceneError::Invalid { place: place.clone(), message: message.into(), remedy: remedy.into() })
}

/// `place`, or the element's name for scenes built in Rust.
pub(super) fn at(place: &Place, kind: &str, name: &str) -> Place {
    match place.element.is_empty() {
        true => Place { element: format!("{kind} '{name}'"), ..place.clone() },
        false => place.clone(),
    }
}

pub(super) fn finite(place: &Place, what: &str, values: impl IntoIterator<Item = f64>) -> Check {
    match values.into_iter().find(|x| !x.is_finite()) {
        Some(x) => fail(place, format!("{what} has {x}"), "give finite numbers"),
        None => Ok(()),
    }
}

pub(super) fn nonnegative(place: &Place, what: &str, x: f64) -> Check {
    match x >= 0.0 && x.is_finite() {
        true => Ok(()),
        false => fail(place, format!("{what} is {x}"), "give a finite number that is zero or positive"),
    }
}

pub(super) fn ordered(place: &Place, what: &str, range: Option<[f64; 2]>) -> Check {
    match range {
        Some([a, b]) if !(a <= b && a.is_finite() && b.is_finite()) => {
            fail(place, format!("{what} is ({a}, {b})"), "give finite numbers low <= high")
        }
        _ => Ok(()),
    }
}

pub(super) fn index(place: &Place, what: &str, i: usize, count: usize) -> Check {
    match i < count {
        true => Ok(()),
        false => fail(place, format!("{what} {i} does not exist, there are {count}"), "name one that exists"),
    }
}
