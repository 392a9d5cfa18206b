// What happens to threads that still compute when the process exits.
#pragma once

#include <heddle/export.h>

namespace heddle {

// Threads that nobody waits for may still compile and run kernels when the process exits, whose
// code and data go away under them: then the process ends at once instead. That is looked at when
// the library goes away, and before everything that was made until now does: statics are destroyed
// from the newest to the oldest, and compilers make theirs when they are first needed. A front end
// that knows when the process is about to exit says so with this.
HEDDLE_API void about_to_exit();

}  // namespace heddle
