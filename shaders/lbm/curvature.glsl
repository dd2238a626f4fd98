// The curvature of a free surface: second differences of heights, the sums of fill over columns (Cummins, Francois & Kothe 2005,
// "Estimating curvature from volume fractions"), or, where columns do not reach from fluid to gas, a fitted paraboloid (Lehmann &
// Gekle 2022, "Analytic solution to the piecewise linear interface construction problem and its application in curvature
// calculation for volume-of-fluid simulation codes", Computation 10(2):21) through the planes that cut the cell and its
// neighbours in proportion to their fill. Include after cells.glsl in a stage that reads `fill` and `cell_type`.

// The middle one of three real roots of x^3 + p x^2 + q x + r.
float middle_root(float p, float q, float r) {
    float m = max(p * p / 9.0 - q / 3.0, 1e-20), s = sqrt(m);
    float angle = acos(clamp(((p * q - 3.0 * r) / 6.0 - p * p * p / 27.0) / (m * s), -1.0, 1.0)) / 3.0;
    return s * (1.7320508 * sin(angle) - cos(angle)) - p / 3.0;
}

// The distance from the centre of a unit cube to the plane of unit normal n that cuts off the part `volume` (0 to 1) of the cube
// (Scardovelli & Zaleski 2000, "Analytical relations connecting linear interfaces and volume fractions in rectangular grids").
float plane_distance(float volume, vec3 n) {
    vec3 size = abs(n);
    float whole = size.x + size.y + size.z;
    size /= whole;
    float a = min(min(size.x, size.y), size.z), c = max(max(size.x, size.y), size.z), b = clamp(1.0 - a - c, a, c);
    // The smaller part: where its plane cuts the diagonal from its corner, as a part of the diagonal.
    float part = min(volume, 1.0 - volume), ab = a + b;
    float triangle = a * a / max(6.0 * b * c, 1e-20), strip = triangle + (b - a) / (2.0 * c);
    float cubes = a * a * a + b * b * b, at;
    if (part < triangle) {
        at = pow(6.0 * a * b * c * part, 1.0 / 3.0);
    } else if (part < strip) {
        at = 0.5 * (a + sqrt(a * a + 8.0 * b * c * (part - triangle)));
    } else if (c >= ab && part >= ab / (2.0 * c)) {
        at = c * part + 0.5 * ab;
    } else if (c >= ab || 6.0 * a * b * c * part < c * c * (3.0 * ab - c) + a * a * (a - 3.0 * c) + b * b * (b - 3.0 * c)) {
        at = middle_root(-3.0 * ab, 3.0 * (a * a + b * b), 6.0 * a * b * c * part - cubes);
    } else {
        at = middle_root(-1.5, 1.5 * (a * a + b * b + c * c), 3.0 * a * b * c * part - 0.5 * (cubes + c * c * c));
    }
    return (volume > 0.5 ? 0.5 - at : at - 0.5) * whole;
}

// The cell beyond the ends of the domain is at the opposite side.
ivec3 wrapped(ivec3 cell) {
    ivec3 size = space_size(grid_cells);
    return (cell + 4 * size) % size;
}

const int REACH = 3;
const float NO_HEIGHT = -1.0;

// The fluid in the column of 7 cells round a cell, along `up`, out of the fluid; NO_HEIGHT if it does not reach from fluid to gas. Walls
// count as the phase on their side.
float height(ivec3 cell, ivec3 up) {
    float sum = 0.0;
    for (int k = -REACH; k <= REACH; k++) {
        ivec3 at = wrapped(cell + k * up);
        float fill = is_wall(type_at(at)) ? (k < 0 ? 1.0 : 0.0) : grid_fill(AT(at));
        if ((k == -REACH && fill < 1.0) || (k == REACH && fill > 0.0)) {
            return NO_HEIGHT;
        }
        sum += fill;
    }
    return sum;
}

// The curvature from nine heights; false if one of them is missing.
bool curvature_of_heights(ivec3 cell, vec3 n, out float found) {
    vec3 size = abs(n);
    ivec3 up = size.z >= max(size.x, size.y) ? ivec3(0, 0, 1) : size.y >= size.x ? ivec3(0, 1, 0) : ivec3(1, 0, 0);
    ivec3 x = up.yzx, y = up.zxy;
    up *= dot(n, vec3(up)) < 0.0 ? -1 : 1;
    float h[9];
    for (int k = 0; k < 9; k++) {
        // Mirrored at walls.
        int a = k % 3 - 1, b = k / 3 - 1;
        a = is_wall(type_at(wrapped(cell + a * x))) ? 0 : a;
        b = is_wall(type_at(wrapped(cell + b * y))) ? 0 : b;
        h[k] = height(cell + a * x + b * y, up);
        if (h[k] == NO_HEIGHT) {
            return false;
        }
    }
    float hx = 0.5 * (h[5] - h[3]), hy = 0.5 * (h[7] - h[1]), hxy = 0.25 * (h[8] - h[6] - h[2] + h[0]);
    float hxx = h[5] - 2.0 * h[4] + h[3], hyy = h[7] - 2.0 * h[4] + h[1], slope = 1.0 + hx * hx + hy * hy;
    found = -(hxx * (1.0 + hy * hy) + hyy * (1.0 + hx * hx) - 2.0 * hx * hy * hxy) / (slope * sqrt(slope));
    return true;
}

// The fill of a cell and its neighbours, x first. It is mirrored at walls, so that the angle of contact is 90 degrees.
float[27] fills_round(Around at) {
    float fills[27];
    for (int k = 0; k < 27; k++) {
        ivec3 way = ivec3(k % 3, k / 3 % 3, k / 9) - 1, cell = beside(at, way.x, way.y, way.z);
        if (is_wall(type_at(cell))) {
            bvec3 walled = bvec3(is_wall(type_at(beside(at, way.x, 0, 0))), is_wall(type_at(beside(at, 0, way.y, 0))),
                                 is_wall(type_at(beside(at, 0, 0, way.z))));
            ivec3 mirrored = mix(way, ivec3(0), walled);
            cell = beside(at, mirrored.x, mirrored.y, mirrored.z);
            cell = is_wall(type_at(cell)) ? at.cell : cell;
        }
        fills[k] = grid_fill(AT(cell));
    }
    return fills;
}

// The normal out of the fluid, with weights of Parker & Youngs 1992: 4, 2 and 1 for faces, edges and corners. 0 if there is none.
vec3 outward_normal(float fills[27]) {
    vec3 n = vec3(0.0);
    for (int k = 0; k < 27; k++) {
        ivec3 way = ivec3(k % 3, k / 3 % 3, k / 9) - 1;
        n -= fills[k] * float(8 >> (abs(way.x) + abs(way.y) + abs(way.z))) * vec3(way);
    }
    float size = length(n);
    return size > 1e-6 ? n / size : vec3(0.0);
}

// The sum of the principal curvatures in an interface cell, 1 / cell side: 2 / radius for drops, negative for bubbles.
// 0 if there are too few cells, and at most the curvature of a sphere as large as a cell. n is the normal, and `own`
// the distance of the surface from the centre of the cell.
float curvature(ivec3 cell, float fills[27], vec3 n, float own) {
    float found;
    if (curvature_of_heights(cell, n, found)) {
        return clamp(found, -2.0, 2.0);
    }
    vec3 s = normalize(cross(n, abs(n.z) < 0.7 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0))), t = cross(n, s);
    // Least squares: height = k0 x^2 + k1 y^2 + k2 xy + k3 x + k4 y over the tangent plane, relative to the plane of the cell itself.
    float sums[5][6];
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 6; j++) {
            sums[i][j] = 0.0;
        }
    }
    int points = 0;
    for (int k = 0; k < 27; k++) {
        if (k == 13 || fills[k] <= 0.0 || fills[k] >= 1.0) {
            continue;
        }
        vec3 way = vec3(ivec3(k % 3, k / 3 % 3, k / 9) - 1);
        float x = dot(way, s), y = dot(way, t), height = dot(way, n) + plane_distance(fills[k], n) - own;
        float row[6] = float[](x * x, y * y, x * y, x, y, height);
        for (int i = 0; i < 5; i++) {
            for (int j = i; j < 6; j++) {
                sums[i][j] += row[i] * row[j];
            }
        }
        points++;
    }
    if (points < 5) {
        return 0.0;
    }
    // Elimination; the sums are symmetric, and only the part from the diagonal on is kept.
    for (int i = 0; i < 5; i++) {
        if (sums[i][i] < 1e-4) {
            return 0.0;
        }
        for (int r = i + 1; r < 5; r++) {
            float part = sums[i][r] / sums[i][i];
            for (int j = r; j < 6; j++) {
                sums[r][j] -= part * sums[i][j];
            }
        }
    }
    float k[5];
    for (int i = 4; i >= 0; i--) {
        float rest = sums[i][5];
        for (int j = i + 1; j < 5; j++) {
            rest -= sums[i][j] * k[j];
        }
        k[i] = rest / sums[i][i];
    }
    float slope = 1.0 + k[3] * k[3] + k[4] * k[4];
    float bend = k[0] * (1.0 + k[4] * k[4]) + k[1] * (1.0 + k[3] * k[3]) - k[2] * k[3] * k[4];
    return clamp(-2.0 * bend / (slope * sqrt(slope)), -2.0, 2.0);
}
