// Numbers as text, drawn from dots (render/font.glsl). A tick is a whole number n of steps, a step 1, 2 or 5 times a power of
// ten; so the digits of a label are those of an integer, without rounding.
#include "render/font.glsl"

struct Step { int digit; int power; float size; };
struct Text { int count; int codes[20]; };

// The smallest step of which at most `most` fit into a length.
Step nice_step(float extent, float most) {
    float least = max(extent / most, 1e-35);
    int power = int(floor(log2(least) / log2(10.0) + 1e-4));
    float share = least / pow(10.0, float(power));
    int digit = share <= 1.001 ? 1 : share <= 2.001 ? 2 : share <= 5.001 ? 5 : 10;
    Step s = Step(digit == 10 ? 1 : digit, digit == 10 ? power + 1 : power, 0.0);
    s.size = float(s.digit) * pow(10.0, float(s.power));
    return s;
}

void append(inout Text t, int code) {
    if (t.count < 20) {
        t.codes[t.count++] = code;
    }
}

void append_digits(inout Text t, int n, int at_least) {
    int digits = 1;
    for (int rest = n / 10; rest > 0; rest /= 10) {
        digits++;
    }
    digits = max(digits, at_least);
    for (int k = digits - 1; k >= 0; k--) {
        int unit = 1;
        for (int j = 0; j < k; j++) {
            unit *= 10;
        }
        append(t, n / unit % 10);
    }
}

// n steps: with a point down to 0.0001, with zeros up to 10000, else with a power of ten.
Text tick_text(int n, Step s) {
    Text t;
    t.count = 0;
    if (n < 0) {
        append(t, MINUS);
    }
    int whole = abs(n) * s.digit, unit = 1;
    bool plain = n == 0 || s.power >= -4 && s.power <= 4;
    for (int k = 0; plain && k < min(abs(s.power), 4); k++) {
        unit *= 10;
    }
    if (s.power >= 0 || !plain || n == 0) {
        append_digits(t, plain ? whole * unit : whole, 1);
    } else {
        append_digits(t, whole / unit, 1);
        append(t, POINT);
        append_digits(t, whole % unit, -s.power);
    }
    if (!plain) {
        append(t, LETTER_E);
        if (s.power < 0) {
            append(t, MINUS);
        }
        append_digits(t, abs(s.power), 1);
    }
    return t;
}

// Pixels; each dot is a square of `dot` pixels.
int text_width(Text t, int dot) {
    return (6 * t.count - 1) * dot;
}

// True if a pixel, counted from the top left corner of the text, is ink.
bool text_ink(Text t, ivec2 pixel, int dot) {
    if (any(lessThan(pixel, ivec2(0)))) {
        return false;
    }
    ivec2 at = pixel / dot;
    int k = at.x / 6;
    return at.y < 7 && k < t.count && at.x % 6 < 5 && glyph_dot(t.codes[k], ivec2(at.x % 6, at.y));
}
