// Constants of wind and snow.
#ifndef DRIFT_CONSTANTS
#define DRIFT_CONSTANTS

// Von Karman's constant.
const float KARMAN = 0.4;
// m/s^2
const float GRAVITY = 9.81;

#endif
