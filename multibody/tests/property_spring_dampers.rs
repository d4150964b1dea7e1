//! `springdamper` gives a joint the stiffness and damping that its time constant and damping ratio mean for the inertia that it moves.

use proptest::prelude::*;
use signorini_multibody::{Dynamics, Kinematics, Model, TreeFactor};
use signorini_scene::{JointKind, LoadOptions, Scene};

/// A joint: hinge, slide or ball.
fn joint(kind: usize, axis: [f64; 3], armature: f64, more: &str) -> String {
    let kind = ["hinge", "slide", "ball"][kind];
    let [x, y, z] = axis;
    format!("<joint type='{kind}' axis='{x} {y} {z}' pos='{y} {z} {x}' armature='{armature}' {more}/>")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn property_springs_and_dampers_follow_from_the_inertia(
        links in prop::collection::vec((0..3usize, prop::array::uniform3(-1.0..1.0f64), 0.0..0.5f64, 0.05..2.0f64, any::<bool>()), 1..6),
        time in 0.01..3.0f64,
        ratio in 0.1..4.0f64,
        chosen in 0..6usize,
        floats in any::<bool>(),
    ) {
        let chosen = chosen % links.len();
        let mut text = String::new();
        let mut open = 0;
        for (k, (kind, axis, armature, mass, branch)) in links.iter().enumerate() {
            if *branch && open > 0 {
                text += "</body>";
                open -= 1;
            }
            // An axis that is not zero.
            let axis = [axis[0], axis[1], axis[2] + 1.5 * axis[2].signum()];
            let more = if k == chosen { format!("springdamper='{time} {ratio}' stiffness='9'") } else { String::new() };
            let own = if k == 0 && floats { "<freejoint/>".to_owned() } else { joint(*kind, axis, *armature, &more) };
            let size = 0.1 + 0.2 * axis[0].abs();
            text += &format!("<body pos='.3 {} .1' euler='{} 20 40'>{own}<geom type='box' size='{size} .1 .2' pos='.1 0 .2' mass='{mass}'/>", axis[1], 90.0 * axis[0]);
            open += 1;
        }
        text += &"</body>".repeat(open);
        let scene = Scene::from_mjcf(&format!("<mujoco><worldbody>{text}</worldbody></mujoco>"), "a.xml", &LoadOptions::default())
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        let model = Model::new(&scene).unwrap();
        let mut kin = Kinematics::new(&model);
        kin.set_positions(&model, &model.reference_q, &model.mocap_poses);
        let mut factor = TreeFactor::new(&model);
        Dynamics::new(&model).mass_matrix(&model, &kin, |i, j, m| factor.set(i, j, m));
        factor.factor().unwrap();
        for (k, j) in model.joints.iter().enumerate() {
            if k != chosen || j.kind == JointKind::Free {
                prop_assert!(!j.spring.acts() && !j.damper.acts());
                continue;
            }
            let n = j.kind.nv();
            let inverse: f64 = (j.v..j.v + n)
                .map(|i| {
                    let mut x = vec![0.0; model.nv()];
                    x[i] = 1.0;
                    factor.solve_in_place(&mut x);
                    x[i]
                })
                .sum();
            let inertia = n as f64 / inverse;
            // Two factorisations of one matrix: round-off times its condition, which is below 1e5 here.
            prop_assert!((j.spring.0[0] * time * time * ratio * ratio / inertia - 1.0).abs() < 1e-9);
            prop_assert!((j.damper.0[0] * time / inertia - 2.0).abs() < 1e-9);
        }
    }
}

/// `jnt_stiffness` and `dof_damping` of MuJoCo 4.0 where the armature of tendons couples joints of two trees.
#[test]
fn conformance_springdampers_beside_tendons_with_armature() {
    let text = "<mujoco><worldbody><site name='o' pos='.2 0 1'/>
        <body pos='0 0 .5'><joint name='a' axis='0 1 .3' springdamper='.3 .8'/><geom size='.1' pos='.2 .1 0'/><site name='p' pos='.3 .1 0'/></body>
        <body pos='1 0 .5'><joint name='b' type='ball' springdamper='.2 1.5'/><geom type='box' size='.1 .2 .05' pos='.1 0 .1'/><site name='q' pos='-.3 .1 .2'/>
        <body pos='.2 0 .3'><joint name='c' type='slide' axis='1 0 1' springdamper='.5 .5' armature='.2'/><geom size='.08'/></body></body></worldbody>
        <tendon><spatial name='s' armature='3'><site site='o'/><site site='p'/><site site='q'/><pulley divisor='2'/><site site='o'/><site site='q'/></spatial>
        <fixed name='f' armature='1.5'><joint joint='a' coef='.7'/><joint joint='c' coef='-2'/></fixed></tendon></mujoco>";
    let scene = Scene::from_mjcf(text, "a.xml", &LoadOptions::default()).unwrap();
    let expected = [
        [26.184749018378476, 10.054943623057333],
        [3.5487781691682545, 3.1939003522514295],
        [132.99111747731934, 33.247779369329834],
    ];
    for (j, [stiffness, damping]) in scene.joints.iter().zip(expected) {
        // Two factorisations of one matrix: round-off times its condition.
        assert!((j.stiffness / stiffness - 1.0).abs() < 1e-12, "{}: {}", j.name, j.stiffness);
        assert!((j.damping / damping - 1.0).abs() < 1e-12, "{}: {}", j.name, j.damping);
    }
}
