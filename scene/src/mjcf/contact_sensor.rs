//! `<sensor><contact>`.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{ContactChoice, ContactReport, ContactValue, SensorKind, SensorObject};

/// Words of `data`, in their order.
const VALUES: [(&str, ContactValue); 9] = [
    ("found", ContactValue::Found),
    ("force", ContactValue::Force),
    ("torque", ContactValue::Torque),
    ("dist", ContactValue::Gap),
    ("pos", ContactValue::Point),
    ("normal", ContactValue::Normal),
    ("tangent", ContactValue::Tangent),
    ("linvel", ContactValue::Velocity),
    ("angvel", ContactValue::AngularVelocity),
];

/// Most contacts that a sensor has room for.
const MOST: i64 = 1 << 16;

impl Reader<'_> {
    /// Kind and sides of a contact sensor.
    pub(super) fn contact_sensor(
        &self,
        e: &Element,
    ) -> Read<(SensorKind, SensorObject, Option<SensorObject>)> {
        let first = self.contact_side(e, ["geom1", "body1", "subtree1"], Some("site"))?;
        let second = self.contact_side(e, ["geom2", "body2", "subtree2"], None)?;
        let choices = [
            ("none", ContactChoice::First),
            ("mindist", ContactChoice::Nearest),
            ("maxforce", ContactChoice::Strongest),
            ("netforce", ContactChoice::Sum),
        ];
        let choice = e.word("reduce", &choices)?.unwrap_or_default();
        let mut values = 0;
        for word in e.string("data").unwrap_or_default().split_ascii_whitespace() {
            let Some(value) = VALUES.iter().find(|v| v.0 == word).map(|v| v.1 as u16) else {
                let known: Vec<&str> = VALUES.iter().map(|v| v.0).collect();
                return Err(e.invalid_at(
                    "data",
                    format!("'data' has '{word}'"),
                    format!("write some of: {}", known.join(", ")),
                ));
            };
            if values >= value {
                let order: Vec<&str> = VALUES.iter().map(|v| v.0).collect();
                return Err(e.invalid_at(
                    "data",
                    format!("'{word}' of 'data' is out of order or twice"),
                    format!("keep each once, in the order {}", order.join(", ")),
                ));
            }
            values += value;
        }
        let motion = ContactValue::Velocity as u16 | ContactValue::AngularVelocity as u16;
        if choice == ContactChoice::Sum && values & motion != 0 {
            return Err(e.invalid_at(
                "data",
                "'data' has velocities of contacts that are taken as one",
                "leave out linvel and angvel, or reduce=\"netforce\"",
            ));
        }
        if values == 0 {
            values = ContactValue::Found as u16;
        }
        let count = e.integer("num")?.unwrap_or(1);
        if !(1..=MOST).contains(&count) {
            return Err(e.invalid_at(
                "num",
                format!("'num' is {count}"),
                format!("write the number of contacts to tell of, 1 to {MOST}"),
            ));
        }
        let report = ContactReport { values, count: count as usize, choice };
        Ok((SensorKind::Contact(report), first, Some(second)))
    }

    /// One side of the contacts; the whole scene where none is named.
    fn contact_side(
        &self,
        e: &Element,
        [geom, body, subtree]: [&'static str; 3],
        site: Option<&'static str>,
    ) -> Read<SensorObject> {
        let n = &self.names;
        let site = site.map_or(Ok(None), |site| n.sites.get(e, site))?;
        let found = [
            n.geoms.get(e, geom)?.map(SensorObject::Geom),
            n.bodies.get(e, body)?.map(SensorObject::BodyFrame),
            n.bodies.get(e, subtree)?.map(SensorObject::Subtree),
            site.map(SensorObject::Site),
        ];
        let mut named = found.into_iter().flatten();
        let side = named.next().unwrap_or(SensorObject::World);
        match named.next() {
            None => Ok(side),
            Some(_) => Err(e.invalid(
                format!("a side of the contacts is named twice, by two of '{geom}', '{body}', '{subtree}' and 'site'"),
                "name it once",
            )),
        }
    }
}
