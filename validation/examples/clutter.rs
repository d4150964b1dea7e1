//! Hard clutter under CENIC: counts of work, as in Table II.
use signorini_core::{Integrator, NoObserver, System};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::cenic;
use signorini_laws::contact_pool;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_validation::scenes::Clutter;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let accuracy: f64 = args.next().unwrap_or("1e-3".into()).parse()?;
    let paper = args.next().is_none_or(|a| a == "paper");
    let time: f64 = args.next().unwrap_or("10".into()).parse()?;
    for seed in 0..args.next().unwrap_or("1".into()).parse()? {
        let scene = Clutter::hard(seed).scene();
        let mut sys = RigidSystem::new(
            &scene,
            contact_pool("lagged")?.as_ref(),
            RigidOptions { speculative: !paper, ..RigidOptions::default() },
        )?;
        let options = if paper { IcfOptions::paper() } else { IcfOptions::default() };
        let mut integrator = cenic(IcfSolver::new(options), accuracy);
        let mut x = sys.model().state_at(None, 0)?;
        let start = std::time::Instant::now();
        let r = integrator.advance(&mut sys, &mut x, time, &mut NoObserver)?;
        println!("seed {seed}: {:.3} s, {r:?}\n{:?}", start.elapsed().as_secs_f64(), sys.energy(&x));
    }
    Ok(())
}
