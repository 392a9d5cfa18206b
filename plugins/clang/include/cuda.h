#pragma once

// The rest is there without being included.
#include <cstdint>
