//! Random numbers of kernels.

use serde_json::json;

use super::reference::random::{pcg4d, random4};
use super::*;

#[test]
fn random_numbers_match_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    let count = 1000;
    let keys = random(4 * count, 9);
    let kernel = "
        #include \"stage.glsl\"
        #include \"lib/random.glsl\"
        void stage(uint i) {
            uvec4 key = uvec4(keys(4u * i), keys(4u * i + 1u), keys(4u * i + 2u), keys(4u * i + 3u));
            uvec4 bits = pcg4d(key);
            vec4 shares = random4(key.x, key.y, key.z, key.w);
            for (uint k = 0u; k < 4u; k++) {
                set_bits(4u * i + k, bits[k]);
                set_shares(4u * i + k, shares[k]);
            }
        }";
    let file = json!({
        "run": {"dt": 1},
        "buffers": {
            "keys": {"type": "uint", "values": keys},
            "bits": {"type": "uint", "length": 4 * count},
            "shares": {"type": "float", "length": 4 * count}
        },
        "step": [{"stage": "draw", "over": count, "reads": ["keys"], "writes": ["bits", "shares"]}]
    });
    let mut simulation = common::simulation::simulation(&gpu, pipeline(&file, &[("draw", kernel)]), CHECKED);
    advance(&mut simulation, 1);
    let key = |i: usize| [0, 1, 2, 3].map(|k| keys[4 * i + k]);
    let bits: Vec<u32> = (0..count as usize).flat_map(|i| pcg4d(key(i))).collect();
    assert_same(&read_words(&mut simulation, "bits"), &bits, "bits");
    let shares = (0..count as usize).flat_map(|i| {
        let [element, when, purpose, seed] = key(i);
        random4(element, when, purpose, seed)
    });
    assert_eq!(
        read_floats(&mut simulation, "shares"),
        shares.collect::<Vec<f32>>()
    );
}
