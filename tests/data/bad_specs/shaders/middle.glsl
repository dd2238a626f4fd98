// Between the shader and the mistake.
#include "mistake.glsl"

float middle() {
    return inner();
}
