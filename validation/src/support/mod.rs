//! Tables of support, asked of the code itself: pairs of shapes, laws under solvers, elements of model files.
//!
//! [`document`] is the text of `SUPPORT.md`; a test fails when that file is stale.

mod affine;
mod affine_laws;
mod directives;
mod laws;
mod mjcf;
mod points;
mod probe;
mod sdf;
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
‖v − v̂‖ over ‖v* − v̂‖ in the norm of the inertia A, v* the velocity without contact, in the worst problem. A solver that converges is bounded by its tolerance, and the cell gives the bound that every problem met (*below*).
A deviation beyond its bound would stand in **bold**.

`ComFree, one evaluation` is the step of ComFree, which evaluates a law once: v − v̂ = −H x with x = v* − v̂ and H the mean of A⁻¹∇²L on the way from v̂ to v*, and the cell gives the largest deviation and its bound in that problem (*of at most*), the root of the largest eigenvalue of H times ⟨x, H x⟩/‖x‖², the work of the change of impulses. It is below one for gains
that are shared among contacts, far above for stiff springs. ‡ A deviation above 1 lands farther from the solution than the step began: such a law is evaluated as it is, but is unstable as a step; give it to a solver that converges.

`projected Gauss–Seidel` is what `--solver comfree` runs unless it is told `--sweeps 1`: up to 64 sweeps over the multipliers of ComFree's impedance, all contacts at once (up to 16 that a residual ends, as plans take them, go in turn); laws without them are refused (*unsupported*, with the remedy). Sweeps do not end at the law's own minimum: compliance drops out, and their fixed points, at any gain, momentum and
memory, are v̂ = argmin ½‖v − v*‖² in the norm of A subject to u + max(s, 0) ≥ 0 for every facet, contact of the dual cone without compliance, with penetrations as gaps of zero (they are undone by a velocity of positions, beside the momentum). The deviation is from that
v̂, which the reference finds by the method of multipliers; its bound follows from the residual in which sweeps end, by its square root (derived at `agreement::Uncompliant` of the validation crate). § In some problem the 64 sweeps were not enough for the residual that is asked for; the bound holds for the
residual that was reached. Coulomb's slip (`DualCone::coulomb_slip`) minimises nothing, so that no such solution exists, and is not in the table.

Every solver runs under every integrator ({integrators}), since integrators see a solver through one trait. ICF takes convex laws without barrier, with a map that stays as it is during a
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
## SDFormat

Versions 1.6 to 1.11. A link that no joint leads to floats, unless its model is `static`. Names, poses, frames, nested models and joints against the direction of the tree are those of the format.

{}
## Model directives

{}
## Affine bodies

`--solver ipc`, `signorini_ipc::AffineScene`: bodies that are fixed to each other become one affine body with the union of their closed surfaces; joints are
eliminated or, where they are not linear, stiff terms. Which geoms collide, and with which coefficient of friction, follows masks, `pair`, `exclude`,
`priority`, `condim` 1 and the rule of combination, geom by geom, as in generalised coordinates; margins and the softness of surfaces have no part in it. A contact law may be put over the barrier (`--law lagged --skin 0.002`,
`AffineScene::with_law`): it presses from the skin on, with materials of the scene, and the curvatures of its spheres. It needs three rows, a convex cost that is finite everywhere, and a skin beyond the range of
the barrier; anything else is refused by name. Parts left out are listed and warned of.

{}
Each contact law on the skin of two cubes, one on the other on a slab that is held, in one step that presses them together and slides them, beyond the range of the barrier. The deviation is that of *Laws and solvers*. Its bound is the tolerance over the least eigenvalue of A⁻¹∇²Φ at the solution, since the
energy that keeps bodies rigid is not convex. The map of affine bodies is found anew at each velocity and their energy is no law: solvers of maps that stay as they are refuse, whatever the law.

{}
## Material points

`signorini_mpm`: each material in both paths, and in one step with bodies (`signorini_coupling::Monolithic`); each law of contact with three rows under each solver, as above; each
shape as an obstacle. Every answer is that of a step of a small block or sheet that lies on it. A mesh is taken if it is closed. The fast path solves contact with
`MpmSolver`, or with the solver that it is given.
`dual_cone` shares the mass of a body among its contacts, and that of a node of the grid among the contacts of the particles that reach it, in proportion to the masses of these (`Touches::sharing`).

{}
## Names of MuJoCo

`signorini_batch::mujoco` keeps MuJoCo's names and meanings. Settings of `<option>` that cannot keep theirs are errors when a model is read under these names;
`Model::differences` lists those that mean something else. A name that does not stand here does not exist.

{}",
        laws::table()?,
        shapes::table()?,
        mjcf::table(),
        urdf::table(),
        sdf::table(),
        directives::table(),
        affine::table()?,
        affine_laws::table()?,
        points::tables()?,
        signorini_batch::mujoco::table()
    ))
}
