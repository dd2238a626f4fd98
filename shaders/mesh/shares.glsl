// Shares of a particle: sums of integers do not depend on the order of particles. A cell has room for 65,536 of them.
const float SHARES = 65536.0;
