// The height that nothing is above, as an integer so that its maximum can be taken atomically: steps of 1/8 m above
// -20 km, rounded up.

const float SUMMIT_STEP = 0.125;
const float SUMMIT_BASE = -20000.0;

uint summit_code(float height) {
    return uint(clamp(ceil((height - SUMMIT_BASE) / SUMMIT_STEP), 0.0, 4.0e6));
}

float summit_height(uint code) {
    return SUMMIT_BASE + SUMMIT_STEP * float(code);
}
