// Singular values of a 3 x 3 matrix by one-sided Jacobi rotations (Hestenes 1958): columns are rotated in pairs until
// they are orthogonal. Small singular values come out relative to their own size (Demmel & Veselic 1992), which the
// eigenvalues of the squared matrix would not give in 32 bits. The convention is that of Irving, Teran & Fedkiw 2004 and
// McAdams et al. 2011: both factors are rotations, values are in descending order of magnitude, and the last one has the
// sign of the determinant, so that an inverted element is known by it. Values below about 1e-6 of the greatest are
// rounding. Entries may be of any size: they are scaled by a power of two first.
// CPU twin: tests/reference/svd3.rs.

struct Svd {
    mat3 u;      // rotation
    vec3 sigma;  // |x| >= |y| >= |z|, x and y not negative
    mat3 v;      // rotation: matrix = u * diagonal(sigma) * transpose(v)
};

const int SVD_SWEEPS = 8;

// Turns columns p and q of `b` until they are orthogonal, and `v` with them; false if they were, to rounding.
bool svd_rotate(inout mat3 b, inout mat3 v, int p, int q) {
    float alpha = dot(b[p], b[p]), beta = dot(b[q], b[q]), gamma = dot(b[p], b[q]);
    if (abs(gamma) <= 1.2e-7 * sqrt(alpha) * sqrt(beta)) {
        return false;
    }
    // The smaller of the two angles (Golub & Van Loan, section 8.5).
    float zeta = (beta - alpha) / (2.0 * gamma);
    // 1 / zeta underflows to no turn where the columns differ so much that none is needed.
    float t = abs(zeta) > 1e9 ? 0.5 / zeta
                              : (zeta >= 0.0 ? 1.0 : -1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta));
    float c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    vec3 bp = b[p], vp = v[p];
    b[p] = c * bp - s * b[q];
    b[q] = s * bp + c * b[q];
    v[p] = c * vp - s * v[q];
    v[q] = s * vp + c * v[q];
    return true;
}

// The longer of the two columns first; a swap that keeps the determinant.
void svd_order(inout mat3 b, inout mat3 v, int p, int q) {
    if (dot(b[p], b[p]) < dot(b[q], b[q])) {
        vec3 bp = b[p], vp = v[p];
        b[p] = b[q];
        b[q] = -bp;
        v[p] = v[q];
        v[q] = -vp;
    }
}

// Some unit vector across a unit vector.
vec3 svd_across(vec3 u) {
    vec3 w = abs(u.x) < 0.6 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    w -= dot(w, u) * u;
    return w / sqrt(dot(w, w));
}

// The decomposition of a matrix.
Svd svd3(mat3 a) {
    Svd d;
    d.u = mat3(1.0);
    d.v = mat3(1.0);
    d.sigma = vec3(0.0);
    vec3 largest = max(max(abs(a[0]), abs(a[1])), abs(a[2]));
    float size = max(max(largest.x, largest.y), largest.z);
    if (!(size > 0.0)) {
        return d;
    }
    int exponent;
    frexp(size, exponent);
    // Twice, because 2^-exponent alone may be out of range.
    float half_scale = ldexp(1.0, -(exponent / 2)), other_scale = ldexp(1.0, -(exponent - exponent / 2));
    mat3 b = a * half_scale * other_scale;
    for (int sweep = 0; sweep < SVD_SWEEPS; sweep++) {
        bool turned = svd_rotate(b, d.v, 0, 1);
        turned = svd_rotate(b, d.v, 0, 2) || turned;
        turned = svd_rotate(b, d.v, 1, 2) || turned;
        if (!turned) {
            break;
        }
    }
    svd_order(b, d.v, 0, 1);
    svd_order(b, d.v, 0, 2);
    svd_order(b, d.v, 1, 2);
    d.u[0] = b[0] / sqrt(dot(b[0], b[0]));
    // A column that is only rounding error compared with the first has no direction.
    vec3 second = b[1] - dot(b[1], d.u[0]) * d.u[0];
    float along = sqrt(dot(second, second));
    d.u[1] = along > 1e-6 * sqrt(dot(b[0], b[0])) ? second / along : svd_across(d.u[0]);
    d.u[2] = cross(d.u[0], d.u[1]);
    d.sigma = vec3(dot(d.u[0], b[0]), abs(dot(d.u[1], b[1])), dot(d.u[2], b[2]));
    d.sigma = d.sigma / half_scale / other_scale;
    return d;
}

// The matrix with these values on its diagonal.
mat3 svd_diagonal(vec3 s) {
    return mat3(s.x, 0.0, 0.0, 0.0, s.y, 0.0, 0.0, 0.0, s.z);
}

// The rotation nearest to the matrix: its polar decomposition is rotation * (v * diagonal(sigma) * transpose(v)).
mat3 svd_rotation(Svd d) {
    return d.u * transpose(d.v);
}
