#pragma once

#include <heddle/complex.cuh>
