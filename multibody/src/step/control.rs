use signorini_core::{
    AcceptedStep, AdvanceReport, HeldInputs, Integrator, State, StepError, StepObserver, check_finite,
};
use signorini_scene::Pose;

use crate::{Model, RigidSystem, Sensors};

/// A multiple of the period within this fraction of it counts as reached.
const ROUNDING: f64 = 1e-9;

/// View of a controller at a sampling time. The inputs that it sets are held until the next one (zero-order hold).
pub struct Sample<'a> {
    /// The model.
    pub model: &'a Model,
    /// State; its time is the sampling time.
    pub x: &'a State,
    /// Sensor values, in the order of the model. Accelerations and contact forces are those of the last step; at the very first sample there
    /// was none and they are read as at rest.
    pub sensors: &'a [f64],
    /// Controls, one per actuator.
    pub control: &'a mut [f64],
    /// Applied generalised forces \[N or N·m\], nv.
    pub applied_force: &'a mut [f64],
    /// Poses of the mocap bodies.
    pub mocap: &'a mut [Pose],
}

/// A feedback or a schedule that acts at sampling times.
pub trait Controller {
    /// The first sampling time after `t` \[s\]; infinity when there is none.
    fn next_sample(&self, t: f64) -> f64;
    /// Acts at a sampling time.
    fn sample(&mut self, s: Sample<'_>);
}

/// A closure that is called at every multiple of a period.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<F> {
    period: f64,
    act: F,
}

impl<F: FnMut(Sample<'_>)> Periodic<F> {
    /// With a period \[s\].
    ///
    /// # Errors
    /// [`StepError::Argument`] when the period is not positive and finite.
    pub fn new(period: f64, act: F) -> Result<Self, StepError> {
        if period > 0.0 && period.is_finite() {
            Ok(Self { period, act })
        } else {
            Err(StepError::Argument(format!(
                "the sampling period must be positive and finite, not {period} s"
            )))
        }
    }
}

impl<F: FnMut(Sample<'_>)> Controller for Periodic<F> {
    fn next_sample(&self, t: f64) -> f64 {
        ((t / self.period + ROUNDING).floor() + 1.0) * self.period
    }
    fn sample(&mut self, s: Sample<'_>) {
        (self.act)(s);
    }
}

/// Passes steps on and reads the sensors at sampling times alone.
struct Sensing<'a, 'b> {
    inner: &'a mut dyn StepObserver,
    sensors: &'a mut Sensors,
    model: &'b Model,
    held: (&'a [f64], &'a [Pose]),
    contact_dim: usize,
    until: f64,
}

impl StepObserver for Sensing<'_, '_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        if step.x1.t == self.until {
            let held = HeldInputs { control: self.held.0, mocap: self.held.1 };
            self.sensors.read(self.model, held, self.contact_dim, step.x1, step);
        }
        self.inner.accepted(step);
    }
    fn stop(&self) -> bool {
        self.inner.stop()
    }
}

/// Advances to `t_end` under a controller: steps end at every sampling time, the controller acts there and at the start, and its settings are
/// held in between. No step is cut into slivers: integrators fit their steps to the sampling times.
///
/// # Errors
/// As [`Integrator::advance`]; controls, forces or poses that are not finite, with the time.
pub fn advance_controlled(
    integrator: &mut dyn Integrator,
    sys: &mut RigidSystem,
    x: &mut State,
    t_end: f64,
    controller: &mut dyn Controller,
    observer: &mut dyn StepObserver,
) -> Result<AdvanceReport, StepError> {
    let mut total = AdvanceReport::default();
    let mut sensors = Sensors::new(sys.model());
    sensors.read_at_rest(sys.model(), sys.held(), x);
    let model = sys.model().clone();
    loop {
        let (control, applied_force, mocap) = sys.inputs_mut();
        let values = sensors.values();
        controller.sample(Sample { model: &model, x, sensors: values, control, applied_force, mocap });
        let held = sys.held();
        let bad = |e| StepError::problem(x.t, 0.0, e);
        check_finite("control", held.control).map_err(bad)?;
        for p in held.mocap {
            check_finite("mocap position", p.translation.vector.as_slice()).map_err(bad)?;
            check_finite("mocap rotation", p.rotation.coords.as_slice()).map_err(bad)?;
        }
        observer.held(held);
        let (control, mocap) = (held.control.to_vec(), held.mocap.to_vec());
        let until = controller.next_sample(x.t).min(t_end);
        if until.is_nan() || until <= x.t {
            let why = format!("the controller asks for a sample at {until} s, not after {} s", x.t);
            return Err(StepError::Argument(why));
        }
        let mut sensing = Sensing {
            inner: observer,
            sensors: &mut sensors,
            model: &model,
            held: (&control, &mocap),
            contact_dim: sys.contact_dim(),
            until,
        };
        total.add(&integrator.advance(sys, x, until, &mut sensing)?);
        if x.t >= t_end || x.t < until {
            return Ok(total);
        }
    }
}

/// Controls from a table, each row held until the time of the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    times: Vec<f64>,
    actuators: Vec<usize>,
    /// Row by row.
    values: Vec<f64>,
}

impl Schedule {
    /// Rows at ascending `times` \[s\], n, of the controls of `actuators`, m; `values` is n × m, row by row. Other actuators keep their
    /// controls.
    ///
    /// # Errors
    /// [`StepError::Argument`] when lengths do not fit, times do not ascend, or a value is not finite.
    pub fn new(times: Vec<f64>, actuators: Vec<usize>, values: Vec<f64>) -> Result<Self, StepError> {
        let fail = |why: String| Err(StepError::Argument(why));
        if values.len() != times.len() * actuators.len() {
            let expected = times.len() * actuators.len();
            return fail(format!("the schedule needs {expected} values, it has {}", values.len()));
        }
        if times.iter().chain(&values).any(|x| !x.is_finite()) {
            return fail("the schedule has a time or value that is not finite".into());
        }
        if let Some(k) = times.windows(2).position(|w| w[0] >= w[1]) {
            return fail(format!(
                "the times of the schedule must ascend: {} s, then {} s",
                times[k],
                times[k + 1]
            ));
        }
        Ok(Self { times, actuators, values })
    }

    /// Time of the first row after `t` \[s\]; infinite after the last.
    pub fn next(&self, t: f64) -> f64 {
        self.times.get(self.times.partition_point(|x| *x <= t)).copied().unwrap_or(f64::INFINITY)
    }

    /// Writes the row that is held at time `t` \[s\] into the controls; before the first row they stay.
    pub fn hold(&self, t: f64, control: &mut [f64]) {
        let m = self.actuators.len();
        let Some(row) = self.times.partition_point(|x| *x <= t).checked_sub(1) else { return };
        for (a, u) in self.actuators.iter().zip(&self.values[row * m..]) {
            if let Some(control) = control.get_mut(*a) {
                *control = *u;
            }
        }
    }
}

impl Controller for Schedule {
    fn next_sample(&self, t: f64) -> f64 {
        self.next(t)
    }
    fn sample(&mut self, s: Sample<'_>) {
        self.hold(s.x.t, s.control);
    }
}
