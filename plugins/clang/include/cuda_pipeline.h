// Copies of one thread, which are done when they return.
#pragma once

#include <cuda_pipeline_primitives.h>
