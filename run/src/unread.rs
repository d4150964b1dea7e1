//! Parameters that a scene states and a method does not read.

use signorini_laws::ContactParameter;
use signorini_scene::{ContactPair, Geom, Hydroelastic, Place, Scene, SolParams};

use crate::Method;
use crate::areas::Partners;

/// Elements of one kind that state something.
struct Stated<'a> {
    first: &'a Place,
    count: usize,
}

impl<'a> Stated<'a> {
    /// None where nothing does.
    fn of(mut places: impl Iterator<Item = &'a Place>) -> Option<Self> {
        let first = places.next()?;
        Some(Self { first, count: 1 + places.count() })
    }

    fn line(&self, what: &str, why: &str) -> String {
        let more = match self.count {
            1 => String::new(),
            n => format!(" ({} elements more)", n - 1),
        };
        format!("not read: {what} of {}{more}: {why}", self.first)
    }
}

/// solimp is stated, and solref is not.
fn is_half(sol: &SolParams) -> bool {
    !sol.stated && sol.solimp != SolParams::default().solimp
}

/// One line for each kind of parameter that the scene states and the method does not read, with the first element, their number and a remedy: solref and solimp of contacts, limits, dry
/// friction and equalities, stiffness and dissipation of surfaces, margins and stiffnesses of pressure fields, contact over areas, a medium. Each begins with `not read:`.
///
/// solimp by itself counts where it differs from MuJoCo's default.
pub fn unread(scene: &Scene, method: &Method) -> Vec<String> {
    let law = method.law();
    let (name, affine) = (method.law_name(), method.is_affine());
    let own = matches!(method, Method::Own(..));
    let reads = |p: ContactParameter| own || law.as_ref().is_some_and(|l| l.reads(p));
    let soft = reads(ContactParameter::Impedance) && !affine;
    let mut out = Vec::new();
    let mut tell = |places: &mut dyn Iterator<Item = &Place>, what: &str, why: &str| {
        out.extend(Stated::of(places).map(|s| s.line(what, why)));
    };
    let named = |i: usize| scene.pairs.iter().any(|p| p.geom_a == i || p.geom_b == i);
    let collides = |(i, g): &(usize, &Geom)| !g.mask.is_empty() || named(*i);
    let geoms = || scene.geoms.iter().enumerate().filter(collides).map(|(_, g)| g);
    let area = |g: &Geom| g.surface.hydroelastic != Hydroelastic::Point;
    let partners = Partners::of(scene);
    let over_areas = |(i, g): &(usize, &Geom)| !affine && area(g) && partners.all_over_areas(*i);
    let (of_areas, in_points): (Vec<_>, Vec<_>) =
        scene.geoms.iter().enumerate().filter(collides).partition(over_areas);
    let (of_areas, in_points) = (|| of_areas.iter().map(|at| at.1), || in_points.iter().map(|at| at.1));
    let pair_area = |p: &&ContactPair| {
        let [a, b] = [p.geom_a, p.geom_b].map(|g| scene.geoms[g].surface.hydroelastic);
        !affine && a.meeting(&b).is_area()
    };
    let pairs = || scene.pairs.iter().filter(|p| !pair_area(p));
    if !soft {
        let mut stated = in_points().filter(|g| g.surface.sol.stated).map(|g| &g.place);
        let mut of_pairs = pairs().filter(|p| p.material.solref_stated).map(|p| &p.place);
        let why = format!(
            "contacts of {name} have no stiffness of a file; take --solver icf with a law of the stiffness, such as lagged"
        );
        tell(&mut stated.by_ref().chain(of_pairs.by_ref()), "solref", &why);
    } else {
        let both = |g: &&Geom| g.surface.sol.stated && g.surface.states_si();
        let why = "its stiffness or dissipation in SI units holds; leave out one of both";
        tell(&mut in_points().filter(both).map(|g| &g.place), "solref", why);
    }
    if !reads(ContactParameter::Solimp) {
        let mut half = in_points().filter(|g| is_half(&g.surface.sol)).map(|g| &g.place);
        let why = if soft {
            "state solref beside it, such as MuJoCo's default \"0.02 1\""
        } else {
            "leave it out, or take --solver icf with solref stated beside it"
        };
        tell(&mut half, "solimp", why);
    }
    if affine {
        let mut areas = geoms().filter(|g| area(g)).map(|g| &g.place);
        let why = "affine bodies meet at their surfaces; take --solver icf for pressure fields";
        tell(&mut areas, "contact over areas", why);
    }
    for (parameter, what, stated) in [
        (ContactParameter::Stiffness, "stiffness", (|g| g.surface.stiffness.is_some()) as fn(&&Geom) -> bool),
        (ContactParameter::Dissipation, "dissipation", |g| g.surface.dissipation.is_some()),
    ] {
        if !reads(parameter) {
            let why = format!(
                "contacts of {name} have none; leave it out, or take a law that has it, such as lagged"
            );
            // Areas have no stiffness of a surface under any law, see below.
            let others = of_areas().filter(|_| parameter != ContactParameter::Stiffness);
            tell(&mut in_points().chain(others).filter(stated).map(|g| &g.place), what, &why);
        }
    }
    let why = "pressure fields have the stiffness of their modulus (hydroelastic_modulus); leave it out";
    let solref = |g: &&Geom| g.surface.sol.stated || is_half(&g.surface.sol);
    let of_pairs = scene.pairs.iter().filter(|p| pair_area(p) && p.material.solref_stated).map(|p| &p.place);
    tell(&mut of_areas().filter(solref).map(|g| &g.place).chain(of_pairs), "solref or solimp", why);
    tell(&mut of_areas().filter(|g| g.surface.stiffness.is_some()).map(|g| &g.place), "stiffness", why);
    let why = "bodies with pressure fields press where they overlap; leave it out";
    let margin = |g: &&Geom| g.surface.margin > 0.0;
    tell(&mut of_areas().filter(margin).map(|g| &g.place), "margin", why);
    let stops = || {
        let joints = scene.joints.iter().filter(|j| j.range.is_some()).map(|j| (&j.limit_sol, &j.place));
        joints.chain(scene.tendons.iter().filter(|t| t.range.is_some()).map(|t| (&t.limit_sol, &t.place)))
    };
    let cone = law.as_ref().is_some_and(|l| l.is_dual_cone());
    let rigid_stops = affine || (cone && !own);
    if rigid_stops {
        let mut stated = stops().filter(|(sol, _)| sol.stated).map(|s| s.1);
        let why = format!(
            "limits beside {name} give way by gains of their own; take --solver icf with the law lagged"
        );
        tell(&mut stated, "solreflimit", &why);
    }
    if !(cone && reads(ContactParameter::Solimp)) {
        let why = if rigid_stops {
            "leave it out"
        } else {
            "state solreflimit beside it, such as MuJoCo's default \"0.02 1\""
        };
        tell(&mut stops().filter(|(sol, _)| is_half(sol)).map(|s| s.1), "solimplimit", why);
    }
    let dry = || {
        let joints =
            scene.joints.iter().filter(|j| j.dry_friction > 0.0).map(|j| (&j.friction_sol, &j.place));
        joints
            .chain(scene.tendons.iter().filter(|t| t.dry_friction > 0.0).map(|t| (&t.friction_sol, &t.place)))
    };
    let mut softened = dry().filter(|(sol, _)| sol.stated || is_half(sol)).map(|s| s.1);
    tell(
        &mut softened,
        "solreffriction or solimpfriction",
        "dry friction holds up to the stiction speed (--stiction-speed); leave it out",
    );
    let medium = &scene.options.medium;
    if affine && medium.acts() {
        let why = "no drag or lift acts on affine bodies; take --solver icf";
        tell(&mut std::iter::once(&medium.place), "the medium", why);
    }
    let active = || scene.equalities.iter().filter(|e| e.active);
    if affine {
        let why = "joints of affine bodies are rigid; take --solver icf";
        tell(&mut active().filter(|e| e.sol.stated).map(|e| &e.place), "solref", why);
    } else {
        let both = active().filter(|e| e.sol.stated && e.stiffness.is_some());
        tell(&mut both.map(|e| &e.place), "solref", "its stiffness in SI units holds; leave out one of both");
    }
    let why =
        if affine { "leave it out" } else { "state solref beside it, such as MuJoCo's default \"0.02 1\"" };
    tell(&mut active().filter(|e| is_half(&e.sol)).map(|e| &e.place), "solimp", why);
    out
}
