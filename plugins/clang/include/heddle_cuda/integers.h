// Integers in parts: dot products of bytes, and functions of the four bytes or two halves of a
// word, which GPUs compute at once.
#pragma once

HEDDLE_INLINE unsigned int __uhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y) >> 1);
}
HEDDLE_INLINE unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}
HEDDLE_INLINE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
HEDDLE_INLINE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
// Where the bit of a number is that is the nth from a place on, or before it.
HEDDLE_INLINE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  int place = (int)base, left = offset < 0 ? -offset : offset;
  if (left == 0) return (mask >> base) & 1 ? base : 0xffffffffu;
  const int step = offset < 0 ? -1 : 1;
  for (; place >= 0 && place < 32; place += step) {
    if ((mask >> place) & 1 && --left == 0) return (unsigned int)place;
  }
  return 0xffffffffu;
}
// On a CPU there is one memory.
HEDDLE_INLINE unsigned int __isGlobal(const void*) { return 1; }

// --- dot products ---
template <typename A, typename B, typename S>
HEDDLE_DEVICE S __heddle_dot4(unsigned int a, unsigned int b, S sum) {
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += (S)(A)(a >> (8 * i)) * (S)(B)(b >> (8 * i));
  return sum;
}
HEDDLE_INLINE int __dp4a(int a, int b, int sum) {
  return __heddle_dot4<signed char, signed char>((unsigned int)a, (unsigned int)b, sum);
}
HEDDLE_INLINE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum) {
  return __heddle_dot4<unsigned char, unsigned char>(a, b, sum);
}
HEDDLE_INLINE int __dp2a_lo(int a, int b, int sum) {
  return sum + (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8);
}
HEDDLE_INLINE int __dp2a_hi(int a, int b, int sum) {
  return sum + (short)a * (signed char)(b >> 16) + (a >> 16) * (signed char)(b >> 24);
}
HEDDLE_INLINE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int sum) {
  return sum + (a & 0xffff) * (b & 0xff) + (a >> 16) * ((b >> 8) & 0xff);
}
HEDDLE_INLINE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int sum) {
  return sum + (a & 0xffff) * ((b >> 16) & 0xff) + (a >> 16) * (b >> 24);
}

// --- parts of a word ---
// `T` is what a part is, `value` what becomes of the parts x and y; more than fits is cut off.
#define HEDDLE_PARTS(name, T, value)                                                          \
  HEDDLE_INLINE unsigned int name(unsigned int a, unsigned int b) {                           \
    constexpr int bits = 8 * sizeof(T);                                                       \
    constexpr unsigned int part = (1u << bits) - 1;                                           \
    unsigned int made = 0;                                                                    \
    _Pragma("unroll") for (int i = 0; i < 32; i += bits) {                                    \
      const int x = (T)(a >> i), y = (T)(b >> i);                                             \
      made |= ((unsigned int)(value) & part) << i;                                            \
    }                                                                                         \
    return made;                                                                              \
  }
// What is said of one number is said of the first.
#define HEDDLE_PARTS_OF_ONE(name, T, value)                                                   \
  HEDDLE_PARTS(__heddle##name, T, value)                                                      \
  HEDDLE_INLINE unsigned int name(unsigned int a) { return __heddle##name(a, a); }
#define HEDDLE_WITHIN(value, least, most) ((value) < (least) ? (least) : (value) > (most) ? (most) : (value))
#define HEDDLE_COMPARED(end, T, letters, sign)                                                \
  HEDDLE_PARTS(__vcmp##letters##end, T, x sign y ? -1 : 0)                                    \
  HEDDLE_PARTS(__vset##letters##end, T, x sign y ? 1 : 0)
#define HEDDLE_WIDTH(end, S, U, least, most, all)                                             \
  HEDDLE_PARTS(__vadd##end, U, x + y)                                                         \
  HEDDLE_PARTS(__vsub##end, U, x - y)                                                         \
  HEDDLE_PARTS(__vaddss##end, S, HEDDLE_WITHIN(x + y, least, most))                           \
  HEDDLE_PARTS(__vsubss##end, S, HEDDLE_WITHIN(x - y, least, most))                           \
  HEDDLE_PARTS(__vaddus##end, U, HEDDLE_WITHIN(x + y, 0, all))                                \
  HEDDLE_PARTS(__vsubus##end, U, HEDDLE_WITHIN(x - y, 0, all))                                \
  HEDDLE_PARTS(__vmaxs##end, S, x > y ? x : y)                                                \
  HEDDLE_PARTS(__vmins##end, S, x < y ? x : y)                                                \
  HEDDLE_PARTS(__vmaxu##end, U, x > y ? x : y)                                                \
  HEDDLE_PARTS(__vminu##end, U, x < y ? x : y)                                                \
  HEDDLE_PARTS(__vavgs##end, S, (x + y + (x + y >= 0)) >> 1)                                  \
  HEDDLE_PARTS(__vavgu##end, U, (x + y + 1) >> 1)                                             \
  HEDDLE_PARTS(__vhaddu##end, U, (x + y) >> 1)                                                \
  HEDDLE_PARTS(__vabsdiffs##end, S, x > y ? x - y : y - x)                                    \
  HEDDLE_PARTS(__vabsdiffu##end, U, x > y ? x - y : y - x)                                    \
  HEDDLE_PARTS_OF_ONE(__vabs##end, S, x < 0 ? -y : y)                                         \
  HEDDLE_PARTS_OF_ONE(__vabsss##end, S, HEDDLE_WITHIN(x < 0 ? -y : y, least, most))           \
  HEDDLE_PARTS_OF_ONE(__vneg##end, S, x == 0 ? 0 : -y)                                        \
  HEDDLE_PARTS_OF_ONE(__vnegss##end, S, HEDDLE_WITHIN(x == 0 ? 0 : -y, least, most))          \
  HEDDLE_COMPARED(end, U, eq, ==)                                                             \
  HEDDLE_COMPARED(end, U, ne, !=)                                                             \
  HEDDLE_COMPARED(end, S, gts, >)                                                             \
  HEDDLE_COMPARED(end, S, ges, >=)                                                            \
  HEDDLE_COMPARED(end, S, lts, <)                                                             \
  HEDDLE_COMPARED(end, S, les, <=)                                                            \
  HEDDLE_COMPARED(end, U, gtu, >)                                                             \
  HEDDLE_COMPARED(end, U, geu, >=)                                                            \
  HEDDLE_COMPARED(end, U, ltu, <)                                                             \
  HEDDLE_COMPARED(end, U, leu, <=)                                                            \
  HEDDLE_INLINE unsigned int __vsads##end(unsigned int a, unsigned int b) {                   \
    unsigned int sum = 0;                                                                     \
    _Pragma("unroll") for (int i = 0; i < 32; i += 8 * sizeof(S)) {                           \
      const int x = (S)(a >> i), y = (S)(b >> i);                                             \
      sum += (unsigned int)(x > y ? x - y : y - x);                                           \
    }                                                                                         \
    return sum;                                                                               \
  }                                                                                           \
  HEDDLE_INLINE unsigned int __vsadu##end(unsigned int a, unsigned int b) {                   \
    unsigned int sum = 0;                                                                     \
    _Pragma("unroll") for (int i = 0; i < 32; i += 8 * sizeof(U)) {                           \
      const int x = (U)(a >> i), y = (U)(b >> i);                                             \
      sum += (unsigned int)(x > y ? x - y : y - x);                                           \
    }                                                                                         \
    return sum;                                                                               \
  }
HEDDLE_WIDTH(2, short, unsigned short, -32768, 32767, 65535)
HEDDLE_WIDTH(4, signed char, unsigned char, -128, 127, 255)
#undef HEDDLE_WIDTH
#undef HEDDLE_COMPARED
#undef HEDDLE_WITHIN
#undef HEDDLE_PARTS_OF_ONE
#undef HEDDLE_PARTS
