use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, Shape};
use signorini_scene::Pose;

use super::G;
use super::family::{Family, rule};
use crate::scenes::{Stage, rigid, soft};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot};
use signorini_run::Method;
use signorini_run::trace::Run;

/// A cylinder in a groove, a peg between fingers, a wedge: loads that friction holds.
pub(super) struct Grip;

const DISSIPATION: f64 = 20.0;
const STICTION: f64 = 1e-6;

impl Page for Grip {
    fn id(&self) -> &'static str {
        "analytic/grip"
    }
    fn title(&self) -> &'static str {
        "Bodies held by friction: groove, pinched peg and wedge"
    }
    fn lead(&self) -> &'static str {
        "A cylinder in a groove, a pinched peg and a wedge stick or slip at the friction coefficient that statics gives."
    }
    fn cost(&self) -> [f64; 3] {
        [0.6, 0.6, 0.6]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([format!(
            "The walls are rigid half-spaces. The stiffness per contact point is stated with each table. The dissipation is {DISSIPATION} s/m, and \
             the regularisation speed of friction is v_s = {STICTION:e} m/s. The time steps are fixed with 1e-4 s. All bodies start at their static \
             depth."
        )]);
        groove(ctx, &mut out)?;
        peg(ctx, &mut out)?;
        wedge(ctx, &mut out)?;
        Ok(out)
    }
}

fn groove(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Cylinder in a groove");
    let mut f = Family::new(
        ctx,
        "cylinder_in_inclined_v_groove",
        "Forces and motion of a cylinder (1 kg, radius 0.05 m, length 0.2 m, 1e6 N/m per contact point) in an inclined groove over T = 0.5 s",
    );
    let (r, half_length, k, t_end) = (0.05, 0.1, 1e6, 0.5);
    for (half_deg, slope_deg, mu) in
        [(45.0f64, 20.0f64, 0.3), (45.0, 30.0, 0.3), (30.0, 30.0, 0.3), (60.0, 25.0, 0.5), (45.0, 22.9, 0.3)]
    {
        let case = format!("half-angle {half_deg}°, slope {slope_deg}°, μ = {mu}");
        ctx.say(case.clone());
        let (a, theta) = (half_deg.to_radians(), slope_deg.to_radians());
        let normal = G * theta.cos() / (2.0 * a.sin());
        let effective = mu / a.sin();
        let holds = effective >= theta.tan();
        let acceleration = if holds { 0.0 } else { G * (theta.sin() - effective * theta.cos()) };
        let friction = if holds { 0.5 * G * theta.sin() } else { mu * normal };
        let moved = 0.5 * acceleration * t_end * t_end;
        f.theory(
            &[("groove_half_angle_deg", half_deg), ("axial_slope_deg", slope_deg), ("mu", mu)],
            &[
                ("normal_force_per_wall", normal),
                ("effective_friction", effective),
                ("acceleration", acceleration),
                ("displacement_at_T", moved),
                ("friction_force_per_wall", friction),
            ],
        );
        // The groove lies along x; gravity is tilted instead of the groove.
        let mut s =
            Stage::new("groove", STICTION).with_gravity(G * Vector3::new(theta.sin(), 0.0, -theta.cos()));
        let walls = [1.0, -1.0]
            .map(|side| s.wall(Vector3::zeros(), Vector3::new(0.0, -side * a.cos(), a.sin()), &rigid(mu)));
        let height = (r - normal / (2.0 * k)) / a.sin();
        let inertia = Vector3::new(0.5 * r * r, 0.0, 0.0)
            + Vector3::new(0.0, 1.0, 1.0) * (0.25 * r * r + half_length * half_length / 3.0);
        let b = s.free("cylinder", Vector3::new(0.0, 0.0, height).into(), 1.0, inertia);
        let along = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5 * std::f64::consts::PI);
        let shape = Shape::Cylinder { radius: r, half_length };
        let pose = Pose::from_parts(Vector3::zeros().into(), along);
        s.shape(b, pose, shape, &soft(k, DISSIPATION, mu));
        let scene = s.scene();
        let trace = Run::new(&scene, &Method::icf().with_step(1e-4), t_end).trace(|_, _| {})?;
        let last = trace.len() - 1;
        for wall in walls {
            let on = |c: &signorini_run::trace::ContactForce| c.geoms[0] == wall as u32;
            let force = trace.force(last, on);
            let n: f64 = trace.contacts[last].iter().filter(|c| on(c)).map(|c| c.local.x).sum();
            f.relative(&case, "normal force per wall", normal, n);
            f.compare(&case, "friction per wall", [friction, -force.x], normal);
        }
        let free = 0.5 * G * theta.sin() * t_end * t_end;
        f.compare(&case, "displacement", [moved, trace.q[last][0]], free);
    }
    f.finish(
        out,
        &[
            rule(
                "normal force per wall",
                "normal force of each wall, relative error",
                1e-2,
                "while the cylinder sticks, friction across the groove may carry a part of the load (up to μ N), so that the normal force is not \
                 unique",
            ),
            rule(
                "friction per wall",
                "friction force of each wall, error relative to the normal force",
                3e-5,
                "at the edge of sticking the cylinder still accelerates to its creep speed, 11 v_s in 0.5 s, which is 2e-6 of gravity",
            ),
            rule(
                "displacement",
                "displacement after 0.5 s, error relative to the displacement without friction",
                1e-3,
                "the error comes from creep and from time steps of first order",
            ),
        ],
    );
    Ok(())
}

fn peg(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Pinched peg");
    let mut f = Family::new(
        ctx,
        "pinched_peg",
        "Forces and fall of a cube of 0.04 m between a wall and a finger (a box), 1e5 N/m per corner. A force pushes the finger against the cube \
         for T = 0.3 s.",
    );
    let mut plot = Plot::new(
        "peg",
        "Falling distance of the peg over time. The dashed lines are the closed form. Curves with a squeeze of 9.8 N and more coincide at this scale. \
         Smaller points lie on larger ones there.",
        "time [s]",
        "falling distance [m]",
    );
    let (w, k, t_end) = (0.02, 1e5, 0.3);
    for (squeeze, mu, m) in
        [(10.0, 0.5, 1.0), (9.8, 0.5, 1.0), (9.82, 0.5, 1.0), (20.0, 0.3, 0.8), (5.0, 0.4, 1.0)]
    {
        let case = format!("squeeze {squeeze} N, μ = {mu}, {m} kg");
        ctx.say(case.clone());
        let holds = 2.0 * mu * squeeze >= m * G;
        let acceleration = if holds { 0.0 } else { G - 2.0 * mu * squeeze / m };
        let friction = if holds { 0.5 * m * G } else { mu * squeeze };
        let fall = 0.5 * acceleration * t_end * t_end;
        f.theory(
            &[("squeeze_force", squeeze), ("mu", mu), ("mass", m)],
            &[("acceleration_down", acceleration), ("fall_at_T", fall), ("friction_per_finger", friction)],
        );
        let mut s = Stage::new("pinched peg", STICTION);
        let depth = squeeze / (4.0 * k);
        let fixed = s.wall(Vector3::zeros(), Vector3::x(), &rigid(mu));
        let at = Vector3::new(w - depth, 0.0, 0.0);
        let peg = s.free("peg", at.into(), m, Vector3::repeat(m * 2.0 * w * w / 3.0));
        let cube = s.shape(
            peg,
            Pose::identity(),
            Shape::Box { half_extents: Vector3::repeat(w) },
            &soft(k, DISSIPATION, mu),
        );
        let thick = 0.02;
        let at = Vector3::new(2.0 * (w - depth) + thick, 0.0, 0.0);
        let finger = s.slider("finger", at.into(), Vector3::x(), 0.2);
        let pad = Shape::Box { half_extents: Vector3::new(thick, 0.05, 0.4) };
        let pad = s.shape(finger, Pose::identity(), pad, &rigid(mu));
        s.mask(pad, 2, 0);
        s.mask(cube, 1, 3);
        let scene = s.scene();
        let trace = Run::new(&scene, &Method::icf().with_step(1e-4), t_end)
            .trace(|sys, _| sys.applied_force_mut()[6] = -squeeze)?;
        let last = trace.len() - 1;
        let held = trace.force(last, |c| c.geoms.contains(&(fixed as u32)));
        // How wall and finger share the load while both stick is not determined; its sum is.
        let both: f64 = trace.contacts[last].iter().map(|c| c.world.z.abs()).sum();
        f.compare(&case, "friction per finger", [friction, 0.5 * both], mu * squeeze);
        f.relative(&case, "squeeze", squeeze, held.x.abs());
        f.compare(&case, "fall", [fall, -trace.q[last][2]], 0.5 * G * t_end * t_end);
        let color = plot.series.len() / 2;
        plot.add_colored(&case, Mark::LinePoints, color, trace.curve(25, |r, i| -r.q[i][2]));
        let exact = (0..=40).map(|i| t_end * f64::from(i) / 40.0);
        plot.add_closed_form(exact.map(|t| (t, 0.5 * acceleration * t * t)).collect());
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "friction per finger",
                "mean friction force of wall and finger, error relative to the bound of friction",
                5e-5,
                "at the edge of sticking the peg still accelerates to its creep speed, 22 v_s in 0.3 s, which is 8e-6 of gravity",
            ),
            rule(
                "squeeze",
                "force on the fixed wall, relative error",
                1e-8,
                "the finger and the peg start in equilibrium, so that the error is the tolerance of the solver",
            ),
            rule("fall", "falling distance after 0.3 s, error relative to free fall", 1e-3, "the error comes from creep and from time steps of \
                first order"),
        ],
    );
    Ok(())
}

fn wedge(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Self-locking wedge");
    let mut f = Family::new(
        ctx,
        "wedge_self_locking",
        "Forces and self-locking of a prism of 0.1 kg that is driven between two walls. It has eight vertices with 1e5 N/m per vertex.",
    );
    let mut plot = Plot::new(
        "wedge",
        "Advance of the wedge between the walls. A force drives the wedge for 0.25 s, and is then reversed until the wedge comes out. \
         Curves of 16° and 17° nearly coincide. Smaller points lie on larger ones there.",
        "time [s]",
        "advance of the wedge [mm]",
    );
    let (k, m) = (1e5, 0.1);
    for (half_deg, mu, drive) in
        [(5.0f64, 0.3, 10.0), (16.0, 0.3, 10.0), (17.0, 0.3, 10.0), (30.0, 0.3, 10.0), (10.0, 0.1, 50.0)]
    {
        let case = format!("half-angle {half_deg}°, μ = {mu}, driven by {drive} N");
        ctx.say(case.clone());
        let a = half_deg.to_radians();
        let normal = drive / (2.0 * (a.sin() + mu * a.cos()));
        let pull = 2.0 * normal * (mu * a.cos() - a.sin());
        f.theory(
            &[("half_angle_deg", half_deg), ("mu", mu), ("axial_force", drive)],
            &[
                ("normal_force_while_driving", normal),
                ("critical_mu", a.tan()),
                ("pull_out_force_with_that_normal_force", pull),
            ],
        );
        let (mid, h) = (0.05, 0.04);
        let mut s = Stage::new("wedge", STICTION).with_gravity(Vector3::zeros());
        let walls = [1.0, -1.0].map(|side| {
            s.wall(
                Vector3::new(side * mid, 0.0, 0.0),
                Vector3::new(-side * a.cos(), 0.0, a.sin()),
                &rigid(mu),
            )
        });
        let b = s.slider("wedge", Pose::identity(), Vector3::z(), m);
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let z = sign(2) * h;
            Point3::new(sign(0) * (mid + z * a.tan()), sign(1) * 0.03, z)
        };
        let corners: Vec<Point3<f64>> = (0..8).map(corner).collect();
        let mesh = ConvexMesh::from_points(&corners).map_err(PageError::from_error)?;
        s.shape(b, Pose::identity(), Shape::Convex(mesh.into()), &soft(k, DISSIPATION, mu));
        let scene = s.scene();
        // Driven by a ramp of 0.2 s, held for 0.05 s, then the force turns at a constant rate until 20 % beyond the force that frees the wedge.
        let end = -pull - 0.2 * drive;
        let force = move |t: f64| match t {
            t if t < 0.2 => -drive * t / 0.2,
            t if t < 0.25 => -drive,
            t => -drive + (drive - end) * (t - 0.25),
        };
        let trace = Run::new(&scene, &Method::icf().with_step(1e-4), 1.25)
            .until(|x| x.t > 0.3 && x.v[0] > 1e-4)
            .trace(|sys, _| sys.set_force_field(Some(Box::new(move |_, _, _, t, f| f[0] += force(t)))))?;
        let driven = trace.t.partition_point(|t| *t < 0.2) - 1;
        for wall in walls {
            let n: f64 =
                trace.contacts[driven].iter().filter(|c| c.geoms[0] == wall as u32).map(|c| c.local.x).sum();
            f.relative(&case, "normal force", normal, n);
        }
        let last = trace.len() - 1;
        f.compare(&case, "pull-out force", [pull, force(trace.t[last])], drive);
        // At the moment the force passes zero.
        let unloaded = 0.25 + drive / (drive - end);
        let locked = trace.t[last] > unloaded;
        let name = |x: bool| if x { "locks" } else { "springs out" };
        f.event(&case, "locking", name(mu >= a.tan()), name(locked));
        plot.add(
            &format!("{half_deg}°, μ = {mu}, {drive} N"),
            Mark::LinePoints,
            trace.curve(30, |r, i| -1e3 * r.q[i][0]),
        );
    }
    out.plot(plot);
    f.finish(
        out,
        &[
            rule(
                "normal force",
                "normal force of a wall while the wedge is driven, relative error",
                1e-3,
                "the error comes from the inertia during the ramp of the force and from the creep at v_s",
            ),
            rule(
                "pull-out force",
                "force at which the wedge comes out, error relative to the driving force",
                1e-2,
                "the wedge counts as coming out at 1e-4 m/s, and it creeps before that",
            ),
            rule(
                "locking",
                "a wedge with the half-angle a stays without a force exactly when tan a ≤ μ",
                0.0,
                "the result is yes or no",
            ),
        ],
    );
    Ok(())
}
