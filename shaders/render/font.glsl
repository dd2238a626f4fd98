// Made by scripts/picture-tables. Glyphs of 5 x 7 dots, bit x + 5 y from the top left: 0 to 9, and the codes below.

const int POINT = 10;
const int MINUS = 11;
const int LETTER_E = 12;
const int LETTER_M = 13;
const int SPACE = 14;

const uvec2 GLYPHS[15] = uvec2[15](
    uvec2(0xa33ae62eu, 0x3u), uvec2(0x884210c4u, 0x3u), uvec2(0xc444422eu, 0x7u), uvec2(0xa304111fu, 0x3u),
    uvec2(0x11f4a988u, 0x2u), uvec2(0xa3083c3fu, 0x3u), uvec2(0xa317844cu, 0x3u), uvec2(0x8422221fu, 0x0u),
    uvec2(0xa317462eu, 0x3u), uvec2(0x910f462eu, 0x1u), uvec2(0x8c000000u, 0x1u), uvec2(0x000f8000u, 0x0u),
    uvec2(0x83f8b800u, 0x3u), uvec2(0x6b5aac00u, 0x5u), uvec2(0x00000000u, 0x0u));

bool glyph_dot(int code, ivec2 dot) {
    int k = dot.x + 5 * dot.y;
    return (k < 32 ? GLYPHS[code].x >> k : GLYPHS[code].y >> (k - 32)) % 2u == 1u;
}
