//! `drake:ball_constraint`.

use signorini_core::na::Point3;

use super::Reader;
use crate::xml::{Element, Read};
use crate::{BodyId, Equality, EqualityKind, SolParams};

impl<T> Reader<'_, T> {
    /// A point of one body is held at a point of another; `body`: the body that an element names.
    pub(crate) fn read_ball_constraint(
        &mut self,
        e: &Element,
        body: impl Fn(&mut Self, &Element) -> Read<BodyId>,
    ) -> Read<()> {
        let [a, b] = ["ball_constraint_body_A", "ball_constraint_body_B"].map(|n| e.need(n));
        let (a, b) = (a?, b?);
        let (body_a, body_b) = (body(self, a)?, body(self, b)?);
        let mut point = |name: &str| -> Read<Point3<f64>> {
            let Some(p) = e.only(name)? else { return Ok(Point3::origin()) };
            p.required("value")?;
            let x = p.vector::<3>("value")?.unwrap_or_default();
            self.finish(p)?;
            Ok(Point3::from(x))
        };
        let (anchor_a, anchor_b) = (point("ball_constraint_p_AP")?, point("ball_constraint_p_BQ")?);
        self.finish(a)?;
        self.finish(b)?;
        if body_a == body_b {
            return Err(e.invalid("both links of the constraint are one", "name two links"));
        }
        e.nonempty("name");
        self.finish(e)?;
        let name = format!("ball_constraint_{}", self.scene.equalities.len());
        self.scene.equalities.push(Equality {
            name,
            kind: EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b },
            active: true,
            stiffness: None,
            damping: 0.0,
            sol: SolParams::default(),
            place: e.place(),
        });
        Ok(())
    }
}
