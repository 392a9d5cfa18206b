#include "backend/cpu/transforms.h"

#include <optional>

#include "backend/cpu/ducc/transform.h"
#include "backend/cpu/target.h"
#include "runtime/interrupt.h"

namespace heddle::cpu {

void CpuTransforms::transform(const Transform& t) {
  constexpr std::int64_t worth_releasing = 4096;
  std::optional<BlockingScope> blocking;
  if (size_of(t.output.shape) >= worth_releasing) blocking.emplace();
  switch (host_level()) {
    case CpuLevel::v2:
      return v2::transform(t);
    case CpuLevel::v3:
      return v3::transform(t);
    case CpuLevel::v4:
      return v4::transform(t);
  }
}

}  // namespace heddle::cpu
