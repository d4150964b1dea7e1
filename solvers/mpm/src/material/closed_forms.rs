//! Materials that the engine has closed forms of.

use signorini_core::na::{Matrix3, RealField};

use super::dough::VonMises;
use super::hencky::{HenckyFlow, energy, stress};
use super::liquid::Liquid;
use super::maxwell::Maxwell;
use super::polar::Stretches;
use super::sand::DruckerPrager;
use super::snow::Snow;
use super::stiffness::{PAIRS, Stiffness};
use super::{HenckyLaw, Lame, LaneLaw, Material};
use crate::error::MpmError;

/// A material with Hencky's energy and a flow of its own.
macro_rules! hencky {
    ($($name:ident),*) => {
        $(
        impl Material for $name {
            fn energy(&self, f: &Matrix3<f64>) -> f64 {
                energy(self.lame(), f)
            }
            fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
                stress(self.lame(), f)
            }
            fn flow(&self, f: &mut Matrix3<f64>, memory: &mut f64, elapsed: f64) {
                self.flow_gradient(f, memory, elapsed);
            }
            fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
                Some(self.tangent(&Stretches::of(f)))
            }
            fn wave_modulus(&self) -> f64 {
                self.lame().wave_modulus()
            }
            fn check(&self) -> Result<(), MpmError> {
                self.lame().check()
            }
            fn lanes(&self) -> LaneLaw {
                LaneLaw::Hencky(HenckyLaw::$name(*self))
            }
            fn name(&self) -> &'static str {
                Self::NAME
            }
        }
    )*

        impl HenckyLaw {
            /// Constants of the elastic part.
            pub(crate) fn lame(&self) -> &Lame {
                match self {
                    $(Self::$name(m) => m.lame(),)*
                }
            }

            /// [`HenckyFlow::return_map`] of the law.
            #[inline(always)]
            pub(crate) fn return_map<T: RealField + Copy>(
                &self,
                trial: ([T; 3], T),
                memory: &mut T,
                elapsed: T,
            ) -> Option<[T; 3]> {
                match self {
                    $(Self::$name(m) => m.return_map(trial, memory, elapsed),)*
                }
            }
        }
    };
}

hencky!(VonMises, DruckerPrager, Snow, Maxwell);

impl Material for Liquid {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        0.5 * self.bulk() * (f.determinant() - 1.0).powi(2)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        Matrix3::identity() * self.pressing(f.determinant())
    }
    fn flow(&self, f: &mut Matrix3<f64>, memory: &mut f64, _: f64) {
        let (stretch, _) = self.press(f.determinant(), memory);
        *f = Matrix3::identity() * stretch;
    }
    /// The second derivative of its energy, as far as it is positive.
    fn stiffness(&self, f: &Matrix3<f64>) -> Option<Stiffness> {
        let Stretches { u, sigma, .. } = Stretches::of(f);
        let j = sigma.product();
        let stretching = Matrix3::from_fn(|a, b| match a == b {
            true => self.bulk() * j * j,
            false => self.bulk() * j * (2.0 * j - 1.0),
        });
        let tau = sigma.map(|_| self.pressing(j));
        Some(Stiffness::principal(&u, &sigma, &tau, &stretching, &PAIRS.map(|_| 0.0).into()))
    }
    fn wave_modulus(&self) -> f64 {
        self.bulk()
    }
    fn lanes(&self) -> LaneLaw {
        LaneLaw::Liquid(*self)
    }
    fn name(&self) -> &'static str {
        "liquid"
    }
}
