#pragma once

#include <cfloat>
