// What a script does twice, or for nothing, is left out.
#pragma once

#include "transform/script.h"

namespace heddle::transform {

// Steps that compute what another one has computed are taken for it, and those that no look,
// rebinding or result needs go. The same values are looked at once.
void simplify(Script& script);

}  // namespace heddle::transform
