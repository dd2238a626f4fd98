// Blocks of cells with smoke, for skipping clear air: there is none in a block, nor in the cells next to it, whose mark is 0.

const int BLOCK = 8;  // cells along a side; must match the module
// Smoke that can be seen: 1 m of 28/m at this density absorbs 0.3 %.
const float LEAST_DENSITY = 1e-4;
