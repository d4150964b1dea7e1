/// One block of Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): 128 random bits that are a function of a counter and a key.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let a = u64::from(counter[0]) * 0xD251_1F53;
        let b = u64::from(counter[2]) * 0xCD9E_8D57;
        let [(a1, a0), (b1, b0)] = [a, b].map(|x| ((x >> 32) as u32, x as u32));
        counter = [b1 ^ counter[1] ^ key[0], b0, a1 ^ counter[3] ^ key[1], a0];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// 53 bits as a number in (0, 1): the middle of its interval, so never 0 nor 1.
pub(crate) fn open_unit(high: u32, low: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 12;
    (bits as f64 + 0.5) * 0.5f64.powi(52)
}
