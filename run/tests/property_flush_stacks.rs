//! Equal blocks that stand flush on each other with contact over areas rest, and those that fall together stay in their order and gain no energy.

use proptest::prelude::*;
use signorini_run::{Method, Recording, run};
use signorini_scene::{Hydroelastic, Scene, SceneBuilder};
use signorini_testkit::rng::Rng;

const G: f64 = 9.81;

/// Equal blocks above each other over a rigid floor.
#[derive(Clone, Debug)]
struct Stack {
    half: [f64; 3],
    blocks: usize,
    modulus: f64,
    /// Below each block \[m\].
    gap: f64,
}

impl Stack {
    fn draw(rng: &mut Rng, gap: f64) -> Self {
        let half = [rng.uniform(0.03, 0.15), rng.uniform(0.03, 0.15), rng.log_uniform(0.004, 0.06)];
        let blocks = 2 + rng.below(5);
        Self { half, blocks, modulus: rng.log_uniform(1e6, 1e8), gap }
    }

    fn scene(&self) -> Scene {
        let b = SceneBuilder::new("stack").half_space().hydroelastic(Hydroelastic::rigid());
        let blocks = (0..self.blocks).fold(b, |b, k| {
            b.body(format!("block {k}"))
                .at([0.0, 0.0, self.height(k)])
                .free_joint()
                .cuboid(self.half)
                .hydroelastic(Hydroelastic::compliant(self.modulus))
                .density(2000.0)
        });
        blocks.build().unwrap()
    }

    /// Of the middle of block `k` at the start \[m\].
    fn height(&self, k: usize) -> f64 {
        let [_, _, z] = self.half;
        z + self.gap + k as f64 * (2.0 * z + self.gap)
    }

    /// Runs it from a common velocity down \[m/s\].
    fn run(&self, method: &Method, speed: f64, t_end: f64) -> Result<Recording, String> {
        let scene = self.scene();
        let mut sys = method.system(&scene).map_err(|e| e.to_string())?;
        let mut x = sys.initial_state(None).map_err(|e| e.to_string())?;
        x.v.chunks_exact_mut(6).for_each(|v| v[2] = -speed);
        run(&scene, method, &mut x, t_end).map(|(r, _)| r).map_err(|e| e.to_string())
    }

    /// Places of block `k` in all rows \[m\].
    fn places<'r>(&self, r: &'r Recording, k: usize) -> impl Iterator<Item = [f64; 3]> + 'r {
        r.q.chunks_exact(7 * self.blocks).map(move |q| [0, 1, 2].map(|i| q[7 * k + i]))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Nothing moves but down into its own pressure.
    #[test]
    fn property_flush_stacks_rest(seed in any::<u64>()) {
        let stack = Stack::draw(&mut Rng::new(seed), 0.0);
        // Of the lowest in the floor; blocks in each other yield on both sides.
        let depth = 2000.0 * G * 2.0 * stack.half[2].powi(2) * stack.blocks as f64 / stack.modulus;
        for method in [Method::cenic(1e-1), Method::cenic(1e-3), Method::icf().with_step(5e-3)] {
            let r = stack.run(&method, 0.0, 3.0).map_err(TestCaseError::fail)?;
            let last = &r.v[r.v.len() - 6 * stack.blocks..];
            let name = method.describe();
            // Solver tolerance: a five-thousandth of the speed of gravity over the shortest of these steps, 49 mm/s.
            prop_assert!(last.iter().all(|v| v.abs() < 1e-5), "{stack:?} under {name}: {last:?}");
            for k in 0..stack.blocks {
                // They start without pressure, and are at rest after half of the time.
                for (p, _) in stack.places(&r, k).zip(&r.t).filter(|(_, t)| **t > 1.5) {
                    let down = stack.height(k) - p[2];
                    let most = 1.1 * depth * (2 * k + 1) as f64;
                    prop_assert!(down > 0.0 && down < most, "{stack:?} under {name}: {k} is {down:e} of {most:e} down");
                    prop_assert!(p[0].abs().max(p[1].abs()) < 1e-5, "{stack:?} under {name}: {k} at {p:?}");
                }
            }
        }
    }

    /// The lowest is stopped within a step in which those above have no speed relative to it.
    #[test]
    fn property_stacks_that_fall_keep_their_order(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let gap = rng.log_uniform(1e-5, 5e-3);
        let speed = rng.log_uniform(0.2, 3.0);
        let mut stack = Stack::draw(&mut rng, gap);
        // Stiff enough to stop what is above.
        stack.modulus = stack.modulus.max(1e3 * 2000.0 * stack.blocks as f64 * (speed * speed + 1.0));
        let size = 2.0 * stack.half[2];
        for method in [
            Method::cenic(1e-1),
            Method::cenic(1e-2),
            Method::cenic(1e-3),
            Method::icf().with_step(1e-3),
            Method::icf().with_step(5e-3),
        ] {
            let r = stack.run(&method, speed, 0.5).map_err(TestCaseError::fail)?;
            let name = method.describe();
            let energies = r.energy.chunks_exact(3).map(|e| e.iter().sum::<f64>());
            let (first, most) = (r.energy[..3].iter().sum::<f64>(), energies.fold(0.0, f64::max));
            // Discretisation: the surface of an impact is a line in the depth.
            prop_assert!(most < 1.05 * first, "{stack:?} at {speed} under {name}: {first} J, then {most} J");
            let mut below = vec![-0.5 * size; r.t.len()];
            for k in 0..stack.blocks {
                for (p, below) in stack.places(&r, k).zip(&mut below) {
                    let overlap = size - (p[2] - *below);
                    prop_assert!(
                        overlap < 0.25 * size,
                        "{stack:?} at {speed} under {name}: {k} is {overlap} deep"
                    );
                    *below = p[2];
                }
            }
        }
    }
}
