/// @file
/// HEDDLE_API marks what libheddle.so exports; everything else is compiled with hidden visibility.
/// Classes that are thrown across the library's boundary (exceptions) need the mark too.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif
