use pulp::{Scalar, WithSimd};

/// Output of `op`, compiled for AVX-512 where this processor has it, else for the instruction set of the build, which has AVX2 as a rule (`.cargo/config.toml`).
///
/// Operations are loops over lanes that compilers turn into vectors. No fused multiply-add is among them, so that results are the same on every machine.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(crate) fn vectorized<Op: WithSimd>(op: Op) -> Op::Output {
    use pulp::Simd;
    match pulp::x86::V4::try_new() {
        Some(wide) => Simd::vectorize(wide, op),
        None => op.with_simd(Scalar),
    }
}

/// Output of `op`, compiled for the widest instruction set that this processor has.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(crate) fn vectorized<Op: WithSimd>(op: Op) -> Op::Output {
    pulp::Arch::new().dispatch(op)
}
