// Finds where a script repeats itself, and makes loops of that (transform/loop.h): ten thousand
// passes of a plain loop are one step to make again, not ten thousand bodies.
#pragma once

#include "transform/script.h"

namespace heddle::transform {

void roll_up(Script& script);

}  // namespace heddle::transform
