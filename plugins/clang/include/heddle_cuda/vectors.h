// Vectors of two to four numbers, and sizes of grids.
#pragma once

#define HEDDLE_VECTORS(name, type, align2, align4)                                        \
  struct name##1 { type x; };                                                             \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                         \
  struct name##3 { type x, y, z; };                                                       \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                   \
  HEDDLE_INLINE name##1 make_##name##1(type x) { return {x}; }                            \
  HEDDLE_INLINE name##2 make_##name##2(type x, type y) { return {x, y}; }                 \
  HEDDLE_INLINE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }      \
  HEDDLE_INLINE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

HEDDLE_VECTORS(char, signed char, 2, 4)
HEDDLE_VECTORS(uchar, unsigned char, 2, 4)
HEDDLE_VECTORS(short, short, 4, 8)
HEDDLE_VECTORS(ushort, unsigned short, 4, 8)
HEDDLE_VECTORS(int, int, 8, 16)
HEDDLE_VECTORS(uint, unsigned int, 8, 16)
HEDDLE_VECTORS(long, long, 16, 16)
HEDDLE_VECTORS(ulong, unsigned long, 16, 16)
HEDDLE_VECTORS(longlong, long long, 16, 16)
HEDDLE_VECTORS(ulonglong, unsigned long long, 16, 16)
HEDDLE_VECTORS(float, float, 8, 16)
HEDDLE_VECTORS(double, double, 16, 16)
#undef HEDDLE_VECTORS

struct dim3 {
  unsigned int x, y, z;
  HEDDLE_DEVICE constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  HEDDLE_DEVICE constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  HEDDLE_DEVICE constexpr operator uint3() const { return {x, y, z}; }
};
