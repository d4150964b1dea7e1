//! Geoms that may collide: MuJoCo's rules, case by case.

use signorini_scene::{CollisionFilter, LoadOptions, Scene};

fn scene(text: &str) -> Scene {
    Scene::from_mjcf(text, "rules.xml", &LoadOptions::default()).unwrap()
}

/// Pairs of geom names that may collide, each in alphabetical order, sorted.
fn pairs(s: &Scene) -> Vec<String> {
    let filter = CollisionFilter::new(s);
    let mut found = Vec::new();
    for a in 0..s.geoms.len() {
        for b in 0..s.geoms.len() {
            assert_eq!(filter.collides(s, a, b), filter.collides(s, b, a));
            assert_eq!(filter.collides(s, a, b), s.collides(a, b));
            if a != b && filter.collides(s, a, b) && s.geoms[a].name < s.geoms[b].name {
                found.push(format!("{}-{}", s.geoms[a].name, s.geoms[b].name));
            }
        }
    }
    found.sort();
    found
}

/// A chain on the world: base (fixed), link 1 (hinge), bracket (fixed to link 1), link 2 (hinge on the bracket), and a free ball.
const CHAIN: &str = "<geom name='floor' type='plane' size='1 1 1'/>
  <body name='base'><geom name='base' size='.1'/>
    <body name='link1'><joint/><geom name='l1' size='.1'/><geom name='l1b' size='.1'/>
      <body name='bracket'><geom name='br' size='.1'/>
        <body name='link2'><joint/><geom name='l2' size='.1'/>
          <body name='link3'><joint/><geom name='l3' size='.1'/></body></body></body></body></body>
  <body name='ball'><freejoint/><geom name='ball' size='.1'/></body>";

#[test]
fn analytic_rigid_groups_and_parents_do_not_collide() {
    let s = scene(&format!("<mujoco><worldbody>{CHAIN}</worldbody></mujoco>"));
    assert_eq!(s.weld_groups(), [0, 0, 2, 2, 4, 5, 6]);
    assert!((0..s.bodies.len()).all(|b| s.weld_group(b) == s.weld_groups()[b]));
    // The base belongs to the world, so its child link 1 meets it; link 2 is a child of the group of link 1 and bracket.
    let want = [
        "ball-base",
        "ball-br",
        "ball-floor",
        "ball-l1",
        "ball-l1b",
        "ball-l2",
        "ball-l3",
        "base-l1",
        "base-l1b",
        "base-l2",
        "base-l3",
        "br-l3",
        "floor-l1",
        "floor-l1b",
        "floor-l2",
        "floor-l3",
        "l1-l3",
        "l1b-l3",
    ];
    let mut want: Vec<String> = want.iter().map(|w| w.to_string()).collect();
    // The bracket is part of link 1's group.
    want.extend(["base-br", "br-floor"].map(str::to_owned));
    want.sort();
    assert_eq!(pairs(&s), want);
}

#[test]
fn analytic_parent_filter_can_be_switched_off() {
    let s = scene(&format!(
        "<mujoco><option><flag filterparent='disable'/></option><worldbody>{CHAIN}</worldbody></mujoco>"
    ));
    let p = pairs(&s);
    assert!(
        p.contains(&"l2-l3".to_owned())
            && p.contains(&"br-l2".to_owned())
            && !p.contains(&"br-l1".to_owned())
    );
}

#[test]
fn analytic_excludes_pairs_and_masks() {
    let body = |name: &str, attributes: &str| {
        format!("<body name='{name}'><freejoint/><geom name='{name}' size='.1' {attributes}/></body>")
    };
    let text = |rest: &str| {
        format!(
            "<mujoco><worldbody>{}{}{}{}</worldbody><contact>{rest}</contact></mujoco>",
            body("a", ""),
            body("b", "contype='2' conaffinity='0'"),
            body("c", "contype='0' conaffinity='2'"),
            body("d", "contype='0' conaffinity='0'"),
        )
    };
    // 1 & 1 for a with itself only; b's 2 meets c's 2; d meets nothing.
    assert_eq!(pairs(&scene(&text(""))), ["b-c"]);
    assert_eq!(pairs(&scene(&text("<exclude body1='c' body2='b'/>"))), Vec::<String>::new());
    // A pair passes masks and excludes.
    let s = scene(&text(
        "<exclude body1='a' body2='d'/><exclude body1='c' body2='b'/><pair geom1='d' geom2='a' condim='1'/>",
    ));
    assert_eq!(pairs(&s), ["a-d"]);
    assert_eq!(
        s.explicit_pair(0, 3).map(|p| (p.material.condim, p.material.friction_static)),
        Some((1, 0.0))
    );
    assert!(s.explicit_pair(0, 1).is_none());
}

#[test]
fn analytic_what_cannot_move_does_not_collide() {
    let s = scene(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>
           <body name='hand' mocap='true'><geom name='hand' size='.1'/>
             <body name='finger'><joint/><geom name='finger' size='.1'/>
               <body name='tip'><joint axis='1 0 0'/><geom name='tip' size='.1'/></body></body></body>
           <body name='cup' mocap='true'><geom name='cup' size='.1'/></body></worldbody></mujoco>",
    );
    // A mocap body is the root of its own group: its child is filtered as a child.
    assert_eq!(s.weld_groups(), [0, 1, 2, 3, 4]);
    assert_eq!(pairs(&s), ["cup-finger", "cup-tip", "finger-floor", "floor-tip", "hand-tip"]);
}

#[test]
fn analytic_margins_add_up() {
    let s = scene(
        "<mujoco><worldbody><body><freejoint/><geom size='.1' margin='.01' gap='.02'/></body>
           <body><freejoint/><geom size='.1' margin='.03'/></body></worldbody></mujoco>",
    );
    let (found, acts) = s.options.combination.margins(&s.geoms[0].surface, &s.geoms[1].surface);
    // Found below margin + gap, acting below margin, both summed over the geoms.
    assert!((found - 0.06).abs() < 1e-15 && (acts - 0.04).abs() < 1e-15);
}

#[test]
fn analytic_missing_meshes_do_not_collide() {
    let text = "<mujoco><asset><mesh name='m' file='absent.obj'/></asset><worldbody><geom type='plane' size='1 1 1'/>
        <body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    let s = Scene::from_mjcf(text, "rules.xml", &options).unwrap();
    assert!(pairs(&s).is_empty());
}

#[test]
fn analytic_si_parameters_from_custom_texts() {
    let s = scene(
        "<mujoco><custom><text name='signorini:default' data='stiffness=1e6 dissipation=3'/>
           <text name='signorini:geom:a' data='stiffness=2e5 friction=.9 friction_dynamic=.5'/>
           <text name='signorini:geom:b' data='stiffness=inf'/>
           <text name='signorini:equality:pin' data='stiffness=7 damping=2'/><text name='other' data='x'/></custom>
         <worldbody><body name='a'><freejoint/><geom name='a' size='.1'/></body><body><freejoint/><geom name='b' size='.1'/></body></worldbody>
         <equality><connect name='pin' body1='a' anchor='0 0 0'/></equality></mujoco>",
    );
    assert_eq!((s.options.contact.stiffness, s.options.contact.dissipation), (1e6, 3.0));
    let (a, b) = (&s.geoms[0].surface, &s.geoms[1].surface);
    assert_eq!(
        (a.stiffness, a.friction, a.friction_dynamic, a.dissipation),
        (Some(2e5), 0.9, Some(0.5), None)
    );
    assert_eq!(b.stiffness, Some(f64::INFINITY));
    assert_eq!((s.equalities[0].stiffness, s.equalities[0].damping), (Some(7.0), 2.0));
    let (m, weight) = s.options.combination.combine(a, b, &s.options.contact);
    // The rigid surface leaves the stiffness of the other, and its own witness point.
    assert_eq!((m.stiffness, weight), (2e5, 0.0));
}
