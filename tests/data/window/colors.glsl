const vec3 BAR = vec3(1.0, 1.0, 0.0);
