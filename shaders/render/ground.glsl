// Material of the ground, by position, height and slope. Albedos are linear; within the ranges of Oke 1987, table 1.1:
// conifer forest 0.05-0.15, rock 0.1-0.3, dead grass 0.15-0.25, fresh snow 0.8-0.95.

struct Ground {
    vec3 albedo;
    vec3 bump;    // gradient (m per m) of details smaller than the height field: tilts the normal
    float shade;  // share of light that reaches it between crowns and stones
};

// `place` and `footprint` (width of a pixel) in m, `normal` of the smooth surface, `cover` in covering depths of snow
// (1 hides the ground), `density` of the forest, `over` the height over the ground in m.
Ground ground_at(vec3 place, vec3 normal, float cover, float density, float over, float footprint) {
    float steep = length(normal.xy) / normal.z;
    // Wavelengths for vertices 2.5 m apart. A coarser height field has less detail; there the noise begins at its spacing.
    float scale = max(0.4 * min(ground_spacing.x, ground_spacing.y), 1.0);
    vec3 at = place / scale;
    vec4 broad = fractal_noise(at, 80.0, footprint / scale, 3, 0.5, 41u);
    vec4 fine = fractal_noise(at, 12.0, footprint / scale, 6, 0.66, 51u);

    // Bare ground: strata in the rock follow the height; grass where it is gentle. Like the noise, layers of less than two
    // pixels fade to their mean.
    float layered = 1.0 - smoothstep(0.25, 0.5, 0.4 * footprint / scale);
    float strata = mix(0.5, value_noise(vec3(2.0 * broad.x, 3.0, at.z * 0.4 + 2.0 * fine.x), 61u).x, layered);
    vec3 rock = mix(vec3(0.050, 0.050, 0.053), vec3(0.20, 0.19, 0.175),
                    clamp(2.2 * (fine.x - 0.5) + 0.3 + 0.5 * (strata - 0.4), 0.0, 1.0));
    vec3 grass = mix(vec3(0.045, 0.041, 0.030), vec3(0.13, 0.112, 0.075), clamp(2.0 * fine.x - 0.5, 0.0, 1.0));
    float stony = smoothstep(0.65, 1.05, steep + 1.5 * (fine.x - 0.5) + 0.6 * (broad.x - 0.5));
    vec3 bare = mix(grass, rock, stony);

    // Trees: darker inside, no two of one green; smaller than a pixel they are their mean.
    Tree tree = tree_at(place.xy, density, over);
    float seen = 1.0 - smoothstep(0.4, 1.2, footprint / tree_spacing());
    float crown = mix(smoothstep(0.0, 0.4, density), tree.share > 0.0 ? 1.0 : 0.0, seen);
    float tip = mix(0.4, tree.share, seen);
    vec3 needles = mix(vec3(0.012, 0.020, 0.014), vec3(0.040, 0.048, 0.026), mix(0.5, tree.tone, seen));

    // Snow: first in the hollows of the small relief, so in patches; crowns hold it on their tops and shed the rest.
    float patchy = cover + 1.6 * (0.5 - fine.x) * smoothstep(0.0, 0.2, cover);
    float snow = smoothstep(0.3, 0.5, patchy);
    float crown_snow = 0.6 * smoothstep(0.1, 1.0, patchy) * smoothstep(0.35, 0.65, 0.4 * tip + fine.x * 0.6 + 0.1);
    vec3 white = vec3(0.86, 0.88, 0.91);

    // Wind ripples across the snow: the small sastrugi.
    vec3 wind = vec3(arg.wind_axis, 0.0);
    vec3 across = vec3(-wind.y, wind.x, 0.0);
    vec4 ripple = fractal_noise(vec3(dot(place, wind), 0.25 * dot(place, across), 0.0), 2.2, footprint, 3, 0.5, 71u);
    vec3 rippled = ripple.y * wind + 0.25 * ripple.z * across;

    Ground g;
    vec3 open_bump = mix(fine.yzw * mix(0.8, 1.6, stony), 0.9 * rippled + 0.2 * fine.yzw, snow);
    g.albedo = mix(mix(bare, white, snow), mix(needles, white, crown_snow), crown);
    // A crown's side is as steep as it is tall for its width; branches break it up, and shade those under them.
    g.bump = mix(open_bump, -2.5 * vec3(tree.away, 0.0) * seen + 1.2 * fine.yzw, crown);
    g.shade = mix(1.0 - 0.5 * smoothstep(0.0, 0.5, density), mix(0.35, 1.0, smoothstep(0.0, 0.6, tip)) * (1.0 - 0.5 * seen * tree.skirt), crown);
    return g;
}
