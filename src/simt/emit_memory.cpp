// Elements of arrays: where they are, whether they are there, and how many lanes reach them at
// once.
#include <algorithm>

#include <llvm/IR/MDBuilder.h>

#include "simt/emitter.h"
#include "simt/watch.h"

namespace heddle::simt {

// --- arrays ---

// One address, or one for each lane.
llvm::Value* Emitter::base_of(int array) {
  const Array& a = p_.array(array);
  if (a.address >= 0) {
    const Val at = read_local(a.address);
    if (is_uniform(at.spread)) return b.CreateIntToPtr(at.at.re, b.getPtrTy());
    auto* type = llvm::FixedVectorType::get(b.getPtrTy(), static_cast<unsigned>(lanes_));
    return b.CreateIntToPtr(widened(at, Dtype::int64).re, type);
  }
  if (a.kind == ArrayKind::view) return base_of(a.of);
  if (a.kind == ArrayKind::field)
    return b.CreateConstGEP1_64(b.getInt8Ty(), base_of(a.of), static_cast<std::uint64_t>(a.at));
  return bases_[static_cast<std::size_t>(array)];
}

llvm::Value* Emitter::lane_base(llvm::Value* base, llvm::Value* lane) {
  return base->getType()->isVectorTy() ? b.CreateExtractElement(base, lane) : base;
}

Emitter::Val Emitter::extent_of(int array, int axis) {
  const Array& a = p_.array(array);
  const auto d = static_cast<std::size_t>(axis);
  if (a.kind == ArrayKind::field) {
    const int records = p_.array(a.of).ndim - 1;
    if (axis < records) return extent_of(a.of, axis);
    return uniform(i64(a.extents[static_cast<std::size_t>(axis - records)]));
  }
  if (!a.shape.empty()) return read_local(a.shape[d]);
  if (a.kind == ArrayKind::shared || a.kind == ArrayKind::local) return uniform(i64(a.extents[d]));
  return uniform(shapes_[static_cast<std::size_t>(array)][d]);
}

Emitter::Val Emitter::stride_of(int array, int axis) {
  const Array& a = p_.array(array);
  const auto d = static_cast<std::size_t>(axis);
  auto dense = [&](std::size_t at, std::int64_t stride) {
    for (std::size_t i = at + 1; i < a.extents.size(); ++i) stride *= a.extents[i];
    return uniform(i64(stride));
  };
  if (a.kind == ArrayKind::field) {
    const int records = p_.array(a.of).ndim - 1;
    if (axis < records) return stride_of(a.of, axis);
    return dense(static_cast<std::size_t>(axis - records), itemsize(a.dtype));
  }
  if (a.unit && axis + 1 == a.ndim) return uniform(i64(1));
  if (!a.strides.empty()) return read_local(a.strides[d]);
  if (a.kind == ArrayKind::dynamic) return uniform(i64(axis + 1 == a.ndim ? 1 : a.extents[0]));
  if (a.kind == ArrayKind::parameter) return uniform(strides_[static_cast<std::size_t>(array)][d]);
  return dense(d, 1);
}

Emitter::Val Emitter::offset_of(int array) {
  const Array& a = p_.layout_of(array);
  return a.kind == ArrayKind::view ? read_local(a.offset) : uniform(i64(0));
}

Emitter::Val Emitter::plus(const Val& x, const Val& y) {
  if (x.spread.level == Level::varying || y.spread.level == Level::varying) {
    return {{b.CreateAdd(widened(x, Dtype::int64).re, widened(y, Dtype::int64).re), nullptr},
            {Level::varying, 0}};
  }
  const std::int64_t step = x.spread.step + y.spread.step;
  return {{b.CreateAdd(x.at.re, y.at.re), nullptr},
          {step == 0 ? Level::chunk : Level::affine, step}};
}

Emitter::Val Emitter::times(const Val& x, const Val& y) {
  if (is_uniform(x.spread) && is_uniform(y.spread))
    return {{b.CreateMul(x.at.re, y.at.re), nullptr}, {Level::chunk, 0}};
  const auto* factor = is_uniform(y.spread) ? llvm::dyn_cast<llvm::ConstantInt>(y.at.re) : nullptr;
  if (factor != nullptr && x.spread.level == Level::affine) {
    const std::int64_t step = x.spread.step * factor->getSExtValue();
    return {{b.CreateMul(x.at.re, y.at.re), nullptr},
            {step == 0 ? Level::chunk : Level::affine, step}};
  }
  return {{b.CreateMul(widened(x, Dtype::int64).re, widened(y, Dtype::int64).re), nullptr},
          {Level::varying, 0}};
}

// --- places ---

Emitter::Access Emitter::access_of(int array, const std::vector<int>& exprs, std::size_t from,
                                   int line, const void* site) {
  Access access{array, {}, line, site};
  for (std::size_t i = from; i < exprs.size(); ++i) access.indices.push_back(emit(exprs[i]));
  return access;
}

// All indices are uniform.
Emitter::Place Emitter::uniform_place(const Access& access) {
  if (p_.host) return host_place(access);
  Place place;
  place.base = base_of(access.array);
  place.offset = offset_of(access.array);
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const int axis = static_cast<int>(d);
    llvm::Value* index = access.indices[d].at.re;
    llvm::Value* extent = extent_of(access.array, axis).at.re;
    index = b.CreateSelect(b.CreateICmpSLT(index, i64(0)), b.CreateAdd(index, extent), index);
    if (!grid_ || p_.checked()) {
      llvm::Value* there = b.CreateICmpULT(index, extent);
      place.ok = place.ok == nullptr ? there : b.CreateAnd(place.ok, there);
    }
    place.offset = plus(place.offset, times(uniform(index), stride_of(access.array, axis)));
  }
  return place;
}

Emitter::Place Emitter::vector_place(const Access& access) {
  Place place;
  place.base = base_of(access.array);
  place.offset = offset_of(access.array);
  place.lanewise = true;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const int axis = static_cast<int>(d);
    llvm::Value* index = widened(access.indices[d], Dtype::int64).re;
    llvm::Value* extent = widened(extent_of(access.array, axis), Dtype::int64).re;
    llvm::Value* zeros = llvm::Constant::getNullValue(index->getType());
    index = b.CreateSelect(b.CreateICmpSLT(index, zeros), b.CreateAdd(index, extent), index);
    llvm::Value* there = b.CreateICmpULT(index, extent);
    place.ok = place.ok == nullptr ? there : b.CreateAnd(place.ok, there);
    const Val at{{index, nullptr}, {Level::varying, 0}};
    place.offset = plus(place.offset, times(at, stride_of(access.array, axis)));
  }
  return place;
}

bool Emitter::affine_place(const Access& access, Place& place, llvm::Value*& holds) {
  place.base = base_of(access.array);
  place.offset = offset_of(access.array);
  if (place.offset.spread.level == Level::varying || element_of(access.array).in_bytes ||
      place.base->getType()->isVectorTy())
    return false;
  holds = nullptr;
  auto need = [&](llvm::Value* condition) {
    holds = holds == nullptr ? condition : b.CreateAnd(holds, condition);
  };
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const int axis = static_cast<int>(d);
    Val index = access.indices[d];
    const Val extent = extent_of(access.array, axis), stride = stride_of(access.array, axis);
    if (index.spread.level == Level::varying || !is_uniform(extent.spread) ||
        !is_uniform(stride.spread))
      return false;
    if (is_uniform(index.spread)) {
      index.at.re = b.CreateSelect(b.CreateICmpSLT(index.at.re, i64(0)),
                                   b.CreateAdd(index.at.re, extent.at.re), index.at.re);
      need(b.CreateICmpULT(index.at.re, extent.at.re));
    } else {
      if (!llvm::isa<llvm::ConstantInt>(stride.at.re)) return false;
      llvm::Value* last = b.CreateAdd(index.at.re, i64(index.spread.step * (lanes_ - 1)));
      need(b.CreateICmpULT(index.at.re, extent.at.re));
      need(b.CreateICmpULT(last, extent.at.re));
    }
    place.offset = plus(place.offset, times(index, stride));
  }
  if (holds == nullptr) holds = b.getTrue();
  return place.offset.spread.level == Level::affine && place.offset.spread.step == 1;
}

// --- moving elements ---

kernel::Value Emitter::zero(Dtype dtype, int lanes) { return scalars_.constant(dtype, 0, lanes); }

kernel::Value Emitter::from_memory(const kernel::Value& value, Dtype dtype) {
  if (dtype != Dtype::bool_) return value;
  return {b.CreateICmpNE(value.re, llvm::Constant::getNullValue(value.re->getType())), nullptr};
}

kernel::Value Emitter::to_memory(const kernel::Value& value, Dtype dtype) {
  if (dtype != Dtype::bool_) return value;
  llvm::Type* type = b.getInt8Ty();
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.re->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  return {b.CreateZExt(value.re, type), nullptr};
}

// Fields of records are in memory as somebody has packed them: what NumPy gives a CPU need not be
// aligned at all.
Emitter::Element Emitter::element_of(int array) const {
  const Array& a = p_.array(array);
  if (a.alignment > 0)
    return {a.dtype, grid_ ? static_cast<unsigned>(a.alignment) : 1U, /*in_bytes=*/true};
  return dense_element(a.dtype);
}

Emitter::Element Emitter::dense_element(Dtype dtype) {
  const int size = itemsize(dtype);
  return {dtype, static_cast<unsigned>(is_complex(dtype) ? size / 2 : size), false};
}

// Of one part of a complex number, or of all there is.
llvm::Value* Emitter::address(llvm::Value* base, llvm::Value* offset, Element element, int part) {
  const Dtype dtype = element.dtype;
  if (element.in_bytes) {
    const int more = part * itemsize(dtype) / 2;
    llvm::Value* at = llvm::ConstantInt::get(offset->getType(), static_cast<unsigned>(more));
    return b.CreateGEP(b.getInt8Ty(), base, part == 0 ? offset : b.CreateAdd(offset, at));
  }
  if (is_complex(dtype)) {
    llvm::Value* two = llvm::ConstantInt::get(offset->getType(), 2);
    llvm::Value* more = llvm::ConstantInt::get(offset->getType(), static_cast<unsigned>(part));
    offset = b.CreateAdd(b.CreateMul(offset, two), more);
  }
  return b.CreateGEP(scalars_.memory_type(dtype), base, offset);
}

kernel::Value Emitter::load_scalar(llvm::Value* base, llvm::Value* offset, Element element) {
  const Dtype dtype = element.dtype;
  llvm::Type* type = scalars_.memory_type(dtype);
  auto part = [&](int n) {
    return b.CreateAlignedLoad(type, address(base, offset, element, n),
                               llvm::Align(element.alignment));
  };
  return from_memory({part(0), is_complex(dtype) ? part(1) : nullptr}, dtype);
}

void Emitter::store_scalar(llvm::Value* base, llvm::Value* offset, Element element,
                           const kernel::Value& value) {
  const kernel::Value out = to_memory(value, element.dtype);
  const llvm::Align align(element.alignment);
  auto store = [&](llvm::Value* part, int n) {
    const bool in_pieces = element.alignment < part->getType()->getPrimitiveSizeInBits() / 8;
    if (machine_ && in_pieces && part->getType()->isFloatingPointTy())
      part = machine_->bits_of(part);
    b.CreateAlignedStore(part, address(base, offset, element, n), align);
  };
  store(out.re, 0);
  if (out.im != nullptr) store(out.im, 1);
}

kernel::Value Emitter::load_gather(const Place& place, Element element, Mask mask) {
  const Dtype dtype = element.dtype;
  llvm::Value* offsets = widened(place.offset, Dtype::int64).re;
  llvm::Type* scalar = scalars_.memory_type(dtype);
  auto* type = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes_));
  const llvm::Align align(element.alignment);
  llvm::Value* on = mask_or_all(both(mask, place.ok));
  auto part = [&](int n) {
    return b.CreateMaskedGather(type, address(place.base, offsets, element, n), align, on,
                                llvm::Constant::getNullValue(type));
  };
  return from_memory({part(0), is_complex(dtype) ? part(1) : nullptr}, dtype);
}

void Emitter::store_scatter(const Place& place, Element element, const kernel::Value& value,
                            Mask mask) {
  llvm::Value* offsets = widened(place.offset, Dtype::int64).re;
  const llvm::Align align(element.alignment);
  llvm::Value* on = mask_or_all(both(mask, place.ok));
  const kernel::Value out = to_memory(value, element.dtype);
  b.CreateMaskedScatter(out.re, address(place.base, offsets, element, 0), align, on);
  if (out.im != nullptr)
    b.CreateMaskedScatter(out.im, address(place.base, offsets, element, 1), align, on);
}

// Neighbours in memory.
kernel::Value Emitter::load_row(const Place& place, Dtype dtype, Mask mask) {
  if (is_complex(dtype)) {
    Place lanewise = place;
    lanewise.ok = nullptr;
    return load_gather(lanewise, dense_element(dtype), mask);
  }
  llvm::Type* scalar = scalars_.memory_type(dtype);
  auto* type = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes_));
  const llvm::Align align(scalar->getPrimitiveSizeInBits() / 8);
  llvm::Value* at = address(place.base, place.offset.at.re, dense_element(dtype), 0);
  llvm::Value* loaded =
      mask == nullptr
          ? static_cast<llvm::Value*>(b.CreateAlignedLoad(type, at, align))
          : b.CreateMaskedLoad(type, at, align, mask, llvm::Constant::getNullValue(type));
  return from_memory({loaded, nullptr}, dtype);
}

void Emitter::store_row(const Place& place, Dtype dtype, const kernel::Value& value, Mask mask) {
  if (is_complex(dtype)) {
    Place lanewise = place;
    lanewise.ok = nullptr;
    return store_scatter(lanewise, dense_element(dtype), value, mask);
  }
  const llvm::Align align(scalars_.memory_type(dtype)->getPrimitiveSizeInBits() / 8);
  llvm::Value* at = address(place.base, place.offset.at.re, dense_element(dtype), 0);
  llvm::Value* out = to_memory(value, dtype).re;
  if (mask == nullptr) {
    b.CreateAlignedStore(out, at, align);
  } else {
    b.CreateMaskedStore(out, at, align, mask);
  }
}

// --- loads and stores ---

namespace {

bool all_uniform(const auto& indices) {
  return std::all_of(indices.begin(), indices.end(),
                     [](const auto& index) { return is_uniform(index.spread); });
}

}  // namespace

bool Emitter::is_uniform_access(const Access& access) {
  if (lanes_ == 1) return true;
  const Array& a = p_.layout_of(access.array);
  if (p_.array(p_.root_of(access.array)).kind == ArrayKind::local) return false;
  if (!all_uniform(access.indices)) return false;
  bool all = true;
  a.for_places(
      [&](int local) { all = all && is_uniform(locals_[static_cast<std::size_t>(local)].spread); });
  return all;
}

// Memory of a thread: the same element of all lanes lies together.
void Emitter::spread_lanes(Place& place, int array) {
  const Array& root = p_.array(p_.root_of(array));
  if (lanes_ == 1 || root.kind != ArrayKind::local) return;
  const Val lane{{i64(0), nullptr}, {Level::affine, 1}};
  if (element_of(array).in_bytes) {
    // Records stay whole: those of a lane lie together.
    std::int64_t bytes = 1;
    for (auto extent : root.extents) bytes *= extent;
    place.offset = plus(place.offset, times(lane, uniform(i64(bytes))));
    return;
  }
  place.offset = plus(times(place.offset, uniform(i64(lanes_))), lane);
}

Emitter::Val Emitter::load(const Expr& e) {
  const Access access = access_of(e.index, e.args, 0, e.line, &e);
  if (p_.checked()) check_indices(access);
  if (p_.checks == Checks::races) watch(access, Watch::read);
  const Dtype dtype = e.dtype;
  const Element element = element_of(e.index);
  if (is_uniform_access(access)) {
    const Place place = uniform_place(access);
    if (is_updated(e)) updated_ = place;
    llvm::Value* base = place.base;
    llvm::Value* offset = place.offset.at.re;
    if (place.ok != nullptr && !grid_) {
      base = b.CreateSelect(place.ok, base, nothing_);
      offset = b.CreateSelect(place.ok, offset, i64(0));
    } else if (place.ok != nullptr) {
      // Checked: what is not there was reported.
      offset = b.CreateSelect(place.ok, offset, i64(0));
    }
    return {load_scalar(base, offset, element), {Level::chunk, 0}};
  }
  constexpr Spread varying{Level::varying, 0};
  Place row;
  llvm::Value* holds = nullptr;
  const bool local = p_.array(p_.root_of(e.index)).kind == ArrayKind::local;
  if (local && lanes_ > 1 && !element.in_bytes && all_uniform(access.indices)) {
    row = uniform_place(access);
    holds = row.ok == nullptr ? b.getTrue() : row.ok;
    spread_lanes(row, e.index);
  } else if (local || !affine_place(access, row, holds)) {
    Place place = vector_place(access);
    spread_lanes(place, e.index);
    return {load_gather(place, element, mask_), varying};
  }
  auto* quick = block("row");
  auto* slow = block("lanes");
  auto* done = block("loaded");
  b.CreateCondBr(holds, quick, slow, weights(true));
  b.SetInsertPoint(quick);
  const kernel::Value first = load_row(row, dtype, mask_);
  auto* quick_end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(slow);
  Place place = vector_place(access);
  spread_lanes(place, e.index);
  const kernel::Value second = load_gather(place, element, mask_);
  auto* slow_end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto join = [&](llvm::Value* x, llvm::Value* y) -> llvm::Value* {
    if (x == nullptr) return nullptr;
    auto* phi = b.CreatePHI(x->getType(), 2);
    phi->addIncoming(x, quick_end);
    phi->addIncoming(y, slow_end);
    return phi;
  };
  llvm::Value* re = join(first.re, second.re);
  return {{re, join(first.im, second.im)}, varying};
}

void Emitter::store(const Stmt& s) {
  storing_ = p_.host ? &s : nullptr;
  updated_.reset();
  const Val value = emit(s.exprs[0]);
  storing_ = nullptr;
  if (updated_) {
    // It was found, and is there.
    store_scalar(updated_->base, updated_->offset.at.re, element_of(s.index), value.at);
    return;
  }
  const Access access = access_of(s.index, s.exprs, 1, s.line, &s);
  if (p_.checked()) check_indices(access);
  if (p_.checks == Checks::races) watch(access, Watch::write);
  const Element element = element_of(s.index);
  const Dtype dtype = element.dtype;
  if (is_uniform_access(access)) {
    const Place place = uniform_place(access);
    llvm::Value* holds = place.ok;
    if (lanes_ > 1 && mask_ != nullptr) {
      llvm::Value* some = any(mask_);
      holds = holds == nullptr ? some : b.CreateAnd(holds, some);
    }
    auto* done = holds == nullptr ? nullptr : block("stored");
    if (holds != nullptr) {
      auto* there = block("there");
      b.CreateCondBr(holds, there, done);
      b.SetInsertPoint(there);
    }
    kernel::Value one = value.at;
    if (lanes_ > 1 && !is_uniform(value.spread)) {
      // Of all lanes the last.
      llvm::Value* bits = bits_of(mask_or_all(mask_));
      llvm::Value* above = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getFalse());
      llvm::Value* lane = b.CreateSub(
          llvm::ConstantInt::get(bits->getType(), static_cast<unsigned>(lanes_ - 1)), above);
      one = lane_of(widened(value, dtype), b.CreateZExtOrTrunc(lane, b.getInt32Ty()));
    }
    store_scalar(place.base, place.offset.at.re, element, one);
    if (done != nullptr) {
      b.CreateBr(done);
      b.SetInsertPoint(done);
    }
    return;
  }
  const kernel::Value wide = widened(value, dtype);
  Place row;
  llvm::Value* holds = nullptr;
  const bool local = p_.array(p_.root_of(s.index)).kind == ArrayKind::local;
  if (local && lanes_ > 1 && !element.in_bytes && all_uniform(access.indices)) {
    row = uniform_place(access);
    holds = row.ok == nullptr ? b.getTrue() : row.ok;
    spread_lanes(row, s.index);
  } else if (local || !affine_place(access, row, holds)) {
    Place place = vector_place(access);
    spread_lanes(place, s.index);
    store_scatter(place, element, wide, mask_);
    return;
  }
  auto* quick = block("row");
  auto* slow = block("lanes");
  auto* done = block("stored");
  b.CreateCondBr(holds, quick, slow, weights(true));
  b.SetInsertPoint(quick);
  store_row(row, dtype, wide, mask_);
  b.CreateBr(done);
  b.SetInsertPoint(slow);
  Place place = vector_place(access);
  spread_lanes(place, s.index);
  store_scatter(place, element, wide, mask_);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

llvm::MDNode* Emitter::weights(bool likely) {
  return llvm::MDBuilder(b.getContext()).createBranchWeights(likely ? 1000 : 1, likely ? 1 : 1000);
}

// --- reports ---

void Emitter::check_indices(const Access& access) {
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const int axis = static_cast<int>(d);
    const Val& index = access.indices[d];
    const Val extent = extent_of(access.array, axis);
    llvm::Value* at = widened(index, Dtype::int64).re;
    llvm::Value* size = widened(extent, Dtype::int64).re;
    llvm::Value* bad =
        b.CreateOr(b.CreateICmpSGE(at, size), b.CreateICmpSLT(at, b.CreateNeg(size)));
    if (lanes_ > 1) bad = b.CreateAnd(bad, mask_or_all(mask_));
    const Val whole{{at, nullptr}, {Level::varying, 0}};
    report(access.line, bad, &whole, size, axis);
  }
}

// `failed`: for each lane. The first report of a launch stays.
void Emitter::report(int site, llvm::Value* failed, const Val* index, llvm::Value* extent,
                     int axis) {
  auto* found = block("failed");
  auto* taken = block("report");
  auto* done = block("reported");
  llvm::Value* lane = nullptr;
  if (lanes_ > 1) {
    llvm::Value* bits = bits_of(failed);
    b.CreateCondBr(b.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0)), found, done,
                   weights(false));
    b.SetInsertPoint(found);
    lane = b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getFalse()),
                               b.getInt32Ty());
  } else {
    b.CreateCondBr(failed, found, done, weights(false));
    b.SetInsertPoint(found);
  }
  auto one = [&](llvm::Value* value) {
    return value->getType()->isVectorTy() ? b.CreateExtractElement(value, lane) : value;
  };
  auto place = [&](int word) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), report_, static_cast<unsigned>(word));
  };
  auto* pair =
      b.CreateAtomicCmpXchg(place(Report::taken), i64(0), i64(1), llvm::Align(8),
                            llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
  b.CreateCondBr(b.CreateExtractValue(pair, 1), taken, done);
  b.SetInsertPoint(taken);
  b.CreateStore(i64(site), place(Report::site));
  for (int d = 0; d < 3; ++d) {
    b.CreateStore(one(widened(thread_index_[d], Dtype::int64).re), place(Report::thread + d));
    b.CreateStore(block_index_[d], place(Report::block + d));
  }
  if (index != nullptr) {
    b.CreateStore(one(index->at.re), place(Report::index));
    b.CreateStore(one(extent), place(Report::extent));
    b.CreateStore(i64(axis), place(Report::axis));
  }
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

// --- lanes one after the other ---

void Emitter::for_lanes(Mask mask, const std::function<void(llvm::Value* lane)>& body) {
  if (lanes_ == 1) {
    body(b.getInt32(0));
    return;
  }
  llvm::Value* first = bits_of(mask_or_all(mask));
  auto* head = block("lane_head");
  auto* on = block("lane");
  auto* done = block("lanes_done");
  llvm::BasicBlock* before = b.GetInsertBlock();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* bits = b.CreatePHI(first->getType(), 2);
  bits->addIncoming(first, before);
  b.CreateCondBr(b.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0)), on, done);
  b.SetInsertPoint(on);
  llvm::Value* lane = b.CreateZExtOrTrunc(
      b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getTrue()), b.getInt32Ty());
  body(lane);
  llvm::Value* rest =
      b.CreateAnd(bits, b.CreateSub(bits, llvm::ConstantInt::get(bits->getType(), 1)));
  bits->addIncoming(rest, b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(done);
}

}  // namespace heddle::simt
