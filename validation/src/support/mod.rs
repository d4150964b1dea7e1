//! Tables of support, asked of the code itself: pairs of shapes, laws under solvers, elements of model files.
//!
//! [`document`] is the text of `SUPPORT.md`; a test fails when that file is stale.

mod affine;
mod laws;
mod mjcf;
mod points;
mod probe;
mod shapes;
mod urdf;

use signorini_report::PageError;
use signorini_run::names::INTEGRATORS;

/// The tables as Markdown.
///
/// # Errors
/// A law of the registry that has no example here, a query that fails.
pub fn document() -> Result<String, PageError> {
    let integrators = INTEGRATORS.map(|(n, _)| format!("`{n}`")).join(", ");
    Ok(format!(
        "# What is supported

Written by `cargo run -p signorini-validation --example support > SUPPORT.md`, which asks the code: every answer below is that of a query, a solve or a
reader. A test fails when this file is stale. A refusal names file, line, element and a remedy.

## Laws and solvers

Each law acts on five constraints among three bodies in twelve random step problems under each solver. Measured is the deviation of the solution from that of the reference solver,
‖v − v̂‖ over ‖v* − v̂‖ in the norm of the inertia, v* the velocity without contact, in the worst problem. A solver that converges is bounded by its tolerance, and the cell gives the bound that every problem met (*below*).
ComFree evaluates a law once, explicitly: the cell gives the deviation and its bound (*of at most*), the largest eigenvalue of A⁻¹∇²L, below one for gains that are shared among contacts, far above for stiff springs.
A deviation beyond its bound would stand in **bold**. Every solver runs under every integrator ({integrators}), since integrators see a solver through one trait. ICF takes convex laws without barrier, with a map that stays as it is during a
solve; `projected_newton`, the solver of affine bodies (`--solver ipc`, below), takes any problem; the reference solver takes any problem up to a number of unknowns.

{}
## Pairs of shapes

Ways in which signed distance and contact patch of a pair are found (*exact*: in closed form; *iterative*: to round-off; *contacts only*: triangle by triangle, without
a signed distance), and the most points of a patch over 600 placements, lying, standing and leaning. A patch has at most eight points per pair of convex parts.

{}
## MJCF

Every element and attribute of the schema that MuJoCo 4.0.0 prints, and `frame` and `replicate`. *Read*: some value changes the scene. *Accepted, no effect*:
no value that was tried changes the mechanics; attributes that are only for the eye or for MuJoCo's solver stand in the notes that `inspect` prints, † marks those left out
with a warning. \\* : some values are refused (in the last column: all but those that change nothing). `autolimits` decides what is an error and nothing else;
`custom` numbers with the names of contact parameters are read. Attributes of default classes are those of their elements; `include` is resolved first. Elements
and attributes that are absent here are errors.

{}
## URDF

{}
## Affine bodies

`--solver ipc`, `signorini_ipc::AffineScene`: bodies that are fixed to each other become one affine body with the union of their closed surfaces; joints are
eliminated or, where they are not linear, stiff terms. Which geoms collide, and with which coefficient of friction, follows masks, `pair`, `exclude`,
`priority`, `condim` 1 and the rule of combination, geom by geom, as in generalised coordinates; margins and the softness of surfaces have no part in it. A contact law may be put over the barrier (`--law lagged --skin 0.002`,
`AffineScene::with_law`): it presses from the skin on, with materials of the scene, and the curvatures of its spheres. It needs three rows, a convex cost that is finite everywhere, and a skin beyond the range of
the barrier; anything else is refused by name. Parts left out are listed and warned of.

{}
## Material points

`signorini_mpm`: each material in both paths, and in one step with bodies (`signorini_coupling::Monolithic`); each law of contact with three rows under each solver; each
shape as an obstacle. Every answer is that of a step of a small block or sheet that lies on it. A mesh is taken if it is closed. The fast path solves contact with
`MpmSolver`, or with the solver that it is given.

{}
## Names of MuJoCo

`signorini_batch::mujoco` keeps MuJoCo's names and meanings. Settings of `<option>` that cannot keep theirs are errors when a model is read under these names;
`Model::differences` lists those that mean something else. A name that does not stand here does not exist.

{}",
        laws::table()?,
        shapes::table()?,
        mjcf::table(),
        urdf::table(),
        affine::table()?,
        points::tables()?,
        signorini_batch::mujoco::table()
    ))
}
