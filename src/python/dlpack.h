// DLPack's structures, version 1.1, as its specification lays them out in memory.
#pragma once

#include <cstdint>

namespace heddle::python::dlpack {

enum class DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct Device {
  DeviceType type = DeviceType::cpu;
  std::int32_t id;
};

enum class Code : std::uint8_t {
  integer = 0,
  unsigned_integer = 1,
  floating = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6,
};

struct DataType {
  Code code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null for C order
  std::uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  std::uint32_t major, minor;
};

inline constexpr std::uint64_t read_only = 1, is_copied = 2;  // flags

struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

// Of capsules, before and after somebody took what is in them.
template <class M>
inline constexpr const char* name = "dltensor";
template <>
inline constexpr const char* name<ManagedTensorVersioned> = "dltensor_versioned";
template <class M>
inline constexpr const char* used_name = "used_dltensor";
template <>
inline constexpr const char* used_name<ManagedTensorVersioned> = "used_dltensor_versioned";

}  // namespace heddle::python::dlpack
