#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"
#include "lbm/cumulant.glsl"

#pragma reads grid.f grid.cell_type grid.rho grid.u grid.heat grid.mass
#pragma writes grid.f grid.rho grid.u grid.mass grid.fill
#pragma writes grid.cell_type if grid.fill
#pragma arguments pace acceleration heat.buoyancy heat.neutral omega odd_omega magic smagorinsky relaxation output_interval
#pragma argument uint output_interval
#pragma constant COLLISION collision
#pragma alternates grid_f last
#pragma reach grid_cell_type 1 0
#pragma reach grid_u 1 0
#pragma reach grid_mass 1 0
#pragma keeps grid_u grid_cell_type
#pragma unordered grid_cell_type
#pragma workgroup 128 1 1
#pragma vector_width 2

// One step: populations arrive from the neighbours, are bounced back by walls, collide, and are stored where the neighbours
// read them in the next step. Pairs of cells far from walls use one memory access for both.
#extension GL_EXT_control_flow_attributes : require

// One relaxation time (Bhatnagar, Gross & Krook 1954), two (Ginzburg, Verhaeghe & d'Humieres 2008, "Two-relaxation-time lattice
// Boltzmann scheme"), or cumulants, which need 27 populations.
const int BGK = 0, TRT = 1, CUMULANT = 2;
layout(constant_id = 0) const int COLLISION = TRT;
// An acceleration acts; subgrid eddies add viscosity.
layout(constant_id = 1) const int FORCED = 0;
layout(constant_id = 2) const int EDDIES = 0;

// Cells a step squared.
vec3 acceleration(ivec3 cell) {
#if HAS_grid_heat
    // After Boussinesq: arg.buoyancy is minus gravity times the thermal expansion.
    return arg.acceleration + arg.buoyancy * (grid_heat(AT(cell)) - arg.neutral);
#else
    return arg.acceleration;
#endif
}

// Halfway bounce-back (Ladd 1994, "Numerical simulations of particulate suspensions via a discretized Boltzmann
// equation"): populations that enter a wall return from it, through the entry that steps of the other parity read.
void bounce_back(Around at, uint odd, inout float f[POPULATIONS]) {
#define BOUNCE(I, X, Y, Z, W) { \
        ivec3 next = beside(at, X, Y, Z), last = beside(at, -(X), -(Y), -(Z)); \
        uint next_type = type_at(next), last_type = type_at(last); \
        if (is_wall(next_type)) { \
            f[I + 1] = f_at(next, I + 1u - odd); \
            if (next_type == MOVING_CELL) f[I + 1] -= 6.0 * W * along(X, Y, Z, held_velocity(next)); \
        } \
        if (is_wall(last_type)) { \
            f[I] = f_at(at.cell, I + odd); \
            if (last_type == MOVING_CELL) f[I] += 6.0 * W * along(X, Y, Z, held_velocity(last)); \
        } \
    }
    EACH_PAIR(BOUNCE)
}

// Adds to the stress: the second moments of f less its equilibrium.
#define STRESS(I, X, Y, Z, W) { \
        float cu = along(X, Y, Z, u); \
        float part = f[I] + f[I + 1] - 2.0 * W * (rest + 4.5 * (1.0 + excess) * cu * cu); \
        normal += part * vec3(X * X, Y * Y, Z * Z); \
        shear += part * vec3(X * Y, Y * Z, Z * X); \
    }

// The populations that enter through a boundary. The known ones give density times (1 + outward speed)
// (Zou & He 1997, "On pressure and velocity boundary conditions for the lattice Boltzmann BGK model"); a wave of sound that leaves
// without an echo, the density less `rho` as sqrt(3) times the outward speed less that of `u` (Poinsot & Lele 1992, "Boundary
// conditions for direct simulations of compressible viscous flows"). If density or velocity is not given, it relaxes towards the
// flow by arg.relaxation per step. Incoming populations mirror the outgoing ones, except for the odd part of the equilibrium.
void open_side(Around at, uint type, inout float f[POPULATIONS]) {
    vec3 out_of = OUTWARD(at), momentum = vec3(0.0), u = held_velocity(at.cell);
    // Sum outgoing populations twice, incoming ones not at all (Zou-He).
    float sum = f[0];
#define KNOWN(I, X, Y, Z, W) { \
        float way = along(X, Y, Z, out_of); \
        float first = (1.0 + way) * f[I], second = (1.0 - way) * f[I + 1]; \
        sum += first + second; \
        momentum += (first - second) * vec3(X, Y, Z); \
    }
    EACH_PAIR(KNOWN)
    const float c = 1.7320508;
    float rho = grid_rho(AT(at.cell)), speed = dot(u, out_of);
    float a = rho - c * speed, b = 0.5 * (a + c);
    float leaving = (sqrt(b * b - c * (a - 1.0 - sum)) - b) / c;
    float found = rho + c * (leaving - speed);
    vec3 given = u;
    if (type == INFLOW_CELL) {
        set_grid_rho(AT(at.cell), rho + arg.relaxation * (found - rho));
    } else if (type == OUTFLOW_CELL) {
        u = momentum / found;
        given += arg.relaxation * (u + (leaving - dot(u, out_of)) * out_of - given);
        set_grid_u(AT(at.cell), to_plane(given / arg.pace, grid_cells));
    }
    u += (leaving - dot(u, out_of)) * out_of;
#define REFLECT(I, X, Y, Z, W) { \
        float way = along(X, Y, Z, out_of), flow = 6.0 * W * found * along(X, Y, Z, u); \
        if (way > 0.5) f[I + 1] = f[I] - flow; \
        if (way < -0.5) f[I] = f[I + 1] + flow; \
    }
    EACH_PAIR(REFLECT)
    // Keep only the stress of the non-equilibrium part.
    float excess = found - 1.0, rest = excess - 1.5 * found * dot(u, u);
    vec3 normal = vec3(0.0), shear = vec3(0.0);
    EACH_PAIR(STRESS)
    float third = (normal.x + normal.y + normal.z) / 3.0;
    f[0] = REST * (rest - 4.5 * third);
#define REGULAR(I, X, Y, Z, W) { \
        float cu = along(X, Y, Z, u); \
        float stress = dot(normal, vec3(X * X, Y * Y, Z * Z)) + 2.0 * dot(shear, vec3(X * Y, Y * Z, Z * X)) - third; \
        float even_part = rest + 4.5 * (found * cu * cu + stress), odd_part = 3.0 * found * cu; \
        f[I] = W * (even_part + odd_part); \
        f[I + 1] = W * (even_part - odd_part); \
    }
    EACH_PAIR(REGULAR)
}

#if HAS_grid_fill
// Maximum loss of density per step of an interface cell without neighbouring gas.
const float DRAIN = 0.01;
// No flow in an interface cell is faster, cells a step: drops of few cells, which nothing slows down, would become too fast.
const float MAX_SPEED = 0.4;

// An interface cell takes its parts of the masses that neighbours give away; then its mass and density say whether it fills or empties.
// Without gas beside it, it is a bubble, which collapses: its density sinks until it fills, and draws fluid in. Without fluid beside
// it, it cannot fall and empties. Beside an inflow or outflow, which cannot become interface, nothing empties.
void settle(Around at, uint word, inout float f[POPULATIONS]) {
    float mass = grid_mass(AT(at.cell));
    bool fluid = false, gas = false, open = false;
#define VISIT(CELL) { \
        uint other = grid_cell_type(AT(CELL)), other_type = other & TYPE; \
        if (gives(other)) mass += grid_mass(AT(CELL)); \
        fluid = fluid || (!is_idle(other_type) && !is_interface(other)); \
        gas = gas || other_type == GAS_CELL; \
        open = open || other_type > MOVING_CELL; \
    }
    EACH_NEIGHBOUR
#undef VISIT
    float rho = 1.0 + f[0];
    vec3 momentum = vec3(0.0);
#define ADD_TO_CELL(I, X, Y, Z, W) rho += f[I] + f[I + 1]; momentum += (f[I] - f[I + 1]) * vec3(X, Y, Z);
    EACH_PAIR(ADD_TO_CELL)
    float less = gas ? 0.0 : clamp(rho - mass, 0.0, DRAIN);
    vec3 slower = momentum * min(0.0, MAX_SPEED * rho / max(length(momentum), 1e-9) - 1.0);
    rho -= less;
    f[0] -= REST * less;
#define CHANGE(I, X, Y, Z, W) { \
        float change = 3.0 * along(X, Y, Z, slower); \
        f[I] += W * (change - less); \
        f[I + 1] -= W * (change + less); \
    }
    EACH_PAIR(CHANGE)
    word &= ~(FILLS | EMPTIES);
    if (mass > (gas ? 1.0 + SLACK : 1.0) * rho) {
        word |= FILLS;
    } else if (!open && (!fluid || mass < -SLACK * rho)) {
        word |= EMPTIES;
    }
    set_grid_cell_type(AT(at.cell), word);
    set_grid_mass(AT(at.cell), mass);
    set_grid_fill(AT(at.cell), clamp(mass / rho, 0.0, 1.0));
}
#endif

// The collision in a cell, and its density and velocity if they are recorded.
void collide_cell(ivec3 cell, uint type, bool recorded, inout float f[POPULATIONS]) {
    float excess = f[0];
    vec3 momentum = vec3(0.0);
#define ADD(I, X, Y, Z, W) { \
        excess += f[I] + f[I + 1]; \
        float flow = f[I] - f[I + 1]; \
        if (X > 0) momentum.x += flow; \
        if (Y > 0) momentum.y += flow; \
        if (Y < 0) momentum.y -= flow; \
        if (Z > 0) momentum.z += flow; \
        if (Z < 0) momentum.z -= flow; \
    }
    EACH_PAIR(ADD)
    float rho = 1.0 + excess;
    vec3 force = vec3(0.0);
    if (FORCED != 0 && type == FLUID_CELL) {
        force = rho * acceleration(cell);
        momentum += 0.5 * force;
    }
    vec3 u = momentum / rho;
    if (recorded) {
        set_grid_rho(AT(cell), rho);
        set_grid_u(AT(cell), to_plane(u / arg.pace, grid_cells));
    }

    float rest = fma(-1.5, dot(momentum, u), excess);
    float even_rate = arg.omega, odd_rate = arg.odd_omega;
    vec3 normal = vec3(0.0), shear = vec3(0.0);
    if (EDDIES != 0 || COLLISION == CUMULANT) {
        EACH_PAIR(STRESS)
    }
    if (EDDIES != 0) {
        float stress = sqrt(dot(normal, normal) + 2.0 * dot(shear, shear)), tau = 1.0 / arg.omega;
        tau = 0.5 * (tau + sqrt(tau * tau + 25.455844 * arg.smagorinsky * arg.smagorinsky * stress / rho));
        even_rate = 1.0 / tau;
        odd_rate = 1.0 / (arg.magic / (tau - 0.5) + 0.5);
    }
    if (COLLISION == CUMULANT) {
        if (FORCED != 0) {
            // STRESS is about u; half of the force has not moved the populations yet.
            vec3 v = u - 0.25 / rho * force;
            normal += v * force;
            shear += 0.5 * (v * force.yzx + v.yzx * force);
        }
        collide(f, excess, u, u + 0.5 / rho * force, normal, shear, even_rate);
        return;
    }
    if (COLLISION == BGK) {
        odd_rate = even_rate;
    }

    // Guo, Zheng & Shi 2002, "Discrete lattice effects on the forcing term in the lattice Boltzmann method".
    float work = dot(u, force);
    float even_force = 1.0 - 0.5 * even_rate, odd_force = 1.0 - 0.5 * odd_rate;
    f[0] += even_rate * (REST * rest - f[0]);
    if (FORCED != 0) f[0] -= 3.0 * REST * even_force * work;
#define COLLIDE(I, X, Y, Z, W) { \
        float cu = along(X, Y, Z, u), cm = along(X, Y, Z, momentum); \
        float even_part = even_rate * fma(W, fma(4.5 * cu, cm, rest), -0.5 * (f[I] + f[I + 1])); \
        float odd_part = odd_rate * fma(3.0 * W, cm, -0.5 * (f[I] - f[I + 1])); \
        if (FORCED != 0) { \
            float cf = along(X, Y, Z, force); \
            even_part += 3.0 * W * even_force * fma(3.0 * cu, cf, -work); \
            odd_part += 3.0 * W * odd_force * cf; \
        } \
        f[I] += even_part + odd_part; \
        f[I + 1] += even_part - odd_part; \
    }
    EACH_PAIR(COLLIDE)
}

bool is_recorded() {
    return (clock.step + 1u) % arg.output_interval == 0u;
}

void flow(ivec3 cell, uint odd) {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    if (is_idle(type)) {
        return;
    }
    Around at = around(cell);
    float f[POPULATIONS];
    f[0] = f_at(cell, 0u);
#define LOAD(I, X, Y, Z, W) f[I] = f_at(cell, I + 1u - odd); f[I + 1] = f_at(beside(at, X, Y, Z), I + odd);
    EACH_PAIR(LOAD)
    if ((word & BESIDE_WALL) != 0u) {
        bounce_back(at, odd, f);
    }
    if (type != FLUID_CELL) {
        open_side(at, type, f);
    }
    bool recorded = type == FLUID_CELL && is_recorded();
#if HAS_grid_fill
    if ((word & INTERFACE) != 0u) {
        settle(at, word, f);
        recorded = true;
    }
#endif
    collide_cell(cell, type, recorded, f);
    set_grid_f(AT(cell), 0u, SCALE * f[0]);
#define STORE(I, X, Y, Z, W) \
    set_grid_f(AT(beside(at, X, Y, Z)), I + odd, SCALE * f[I]); \
    set_grid_f(AT(cell), I + 1u - odd, SCALE * f[I + 1]);
    EACH_PAIR(STORE)
}

// Two neighbours in x away from walls and the surface: populations that do not move along x take one access for both.
void flow_of_two(ivec3 cell, uint odd) {
    Around at = around(cell), after = around(cell + ivec3(1, 0, 0));
    float f[POPULATIONS], g[POPULATIONS];
#define LOAD_OWN(I, K) { \
        vec2 both = grid_f_x2(AT(cell), K) * (1.0 / SCALE); \
        f[I] = both.x; \
        g[I] = both.y; \
    }
#define LOAD_BOTH(I, X, Y, Z, W) \
    LOAD_OWN(I, I + 1u - odd) \
    if (X != 0) { \
        f[I + 1] = f_at(beside(at, X, Y, Z), I + odd); \
        g[I + 1] = f_at(beside(after, X, Y, Z), I + odd); \
    } else { \
        vec2 both = grid_f_x2(AT(beside(at, X, Y, Z)), I + odd) * (1.0 / SCALE); \
        f[I + 1] = both.x; \
        g[I + 1] = both.y; \
    }
    LOAD_OWN(0, 0u)
    EACH_PAIR(LOAD_BOTH)
    bool recorded = is_recorded();
    collide_cell(cell, FLUID_CELL, recorded, f);
    collide_cell(cell + ivec3(1, 0, 0), FLUID_CELL, recorded, g);
    set_grid_f_x2(AT(cell), 0u, SCALE * vec2(f[0], g[0]));
#define STORE_BOTH(I, X, Y, Z, W) \
    if (X != 0) { \
        set_grid_f(AT(beside(at, X, Y, Z)), I + odd, SCALE * f[I]); \
        set_grid_f(AT(beside(after, X, Y, Z)), I + odd, SCALE * g[I]); \
    } else { \
        set_grid_f_x2(AT(beside(at, X, Y, Z)), I + odd, SCALE * vec2(f[I], g[I])); \
    } \
    set_grid_f_x2(AT(cell), I + 1u - odd, SCALE * vec2(f[I + 1], g[I + 1]));
    EACH_PAIR(STORE_BOTH)
}

// The number of the step stays a variable, and the cells beside walls a loop: for two texts, or an unrolled loop, compilers of GPUs
// would take more registers, or move some to memory.
STAGE_IN_SPACE {
    uint odd = clock.step & 1u;
    uvec2 words = stage_width == 2 ? grid_cell_type_x2(AT(cell)) : uvec2(BESIDE_WALL);
    if (((words.x | words.y) & (TYPE | INTERFACE | BESIDE_WALL)) == 0u) {
        flow_of_two(cell, odd);
        return;
    }
    [[dont_unroll]] for (int i = 0; i < stage_width; i++) {
        flow(cell + ivec3(i, 0, 0), odd);
    }
}
