// Fixed-point coverage by flakes: 16384 units make an optical depth of 1. A pixel cannot overflow: no flake adds more
// to it than (2^32 - 1) / flakes. (With 262,144 flakes that is an optical depth of 1, with two million 0.125.) Half a
// unit of rounding is 3e-5, a hundredth of an 8-bit step even when ten flakes overlap.

const float LIGHT_UNITS = 16384.0;
