// What ducc0 asks of whoever brings threads of their own: see threading.h there. The pool is in
// transform.cpp.
#pragma once

#include <condition_variable>
#include <mutex>

namespace DUCC0_NAMESPACE::detail_threading {

using Mutex = std::mutex;
using UniqueLock = std::unique_lock<std::mutex>;
using LockGuard = std::lock_guard<std::mutex>;
using CondVar = std::condition_variable;

inline thread_local bool in_parallel_region = false;

}  // namespace DUCC0_NAMESPACE::detail_threading
