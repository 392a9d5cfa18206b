#pragma once

#error "curand_kernel.h is not there on a CPU: heddle.random makes random numbers"
