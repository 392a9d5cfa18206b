// All that a source of CUDA C++ has without including anything.
#pragma once

#include "heddle_cuda/attributes.h"
#include "heddle_cuda/vectors.h"
#include "heddle_cuda/threads.h"
#include "heddle_cuda/warp.h"
#include "heddle_cuda/atomics.h"
#include "heddle_cuda/math.h"
#include "heddle_cuda/special.h"
#include "heddle_cuda/rounding.h"
#include "heddle_cuda/integers.h"
#include "heddle_cuda/output.h"
