use signorini_report::{Context, Page, PageError, PageOutput};
use signorini_run::Method;

use super::failed;
use crate::path::Path;

mod closed_forms;
mod grips;
mod paper_scenes;
mod plates;
mod record;
mod shapes;

/// Contact over areas: closed forms, the scenes of kurtz2025cenic, fig. 6, grips, plates and Drake.
pub(super) struct HydroelasticContact;

/// Accuracies of error control.
const ACCURACIES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
const GRAVITY: f64 = 9.81;

impl Page for HydroelasticContact {
    fn id(&self) -> &'static str {
        "cross/hydroelastic"
    }
    fn title(&self) -> &'static str {
        "Contact over areas (hydroelastic)"
    }
    fn lead(&self) -> &'static str {
        "Bodies with pressure fields meet on surfaces. Their forces are compared with closed forms, and a cylinder, a gripper with a wedged peg, and plates are run."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 12.0, 12.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Each compliant body has a pressure field: the pressure is the hydroelastic modulus times the extent of depth, which is 0 on the \
             surface and 1 where the body is deepest. Two compliant bodies meet where their pressures are equal. A compliant and a rigid body meet \
             on the surface of the rigid one. The contact force is the integral of the pressure over this area.",
            "The area consists of polygons. Each polygon is a contact of the law `lagged` with the force p A and the stiffness g A, where g is the \
             gradient of the pressure along the normal. papers/kurtz2025cenic/README.md has the derivations.",
        ]);
        closed_forms::run(ctx, &mut out)?;
        shapes::run(ctx, &mut out)?;
        let record = record::Record::read(&ctx.root)?;
        paper_scenes::run(ctx, &record, &mut out)?;
        grips::run(ctx, &mut out)?;
        plates::run(ctx, &mut out)?;
        record.show(&mut out);
        Ok(out)
    }
}

/// Default and paper mode of error control.
fn modes(accuracy: f64) -> Result<[(&'static str, Method); 2], PageError> {
    let method = Method::cenic(accuracy);
    let paper = Method::cenic(accuracy).in_paper_mode().map_err(failed)?;
    Ok([("default", method), ("paper mode", paper)])
}
