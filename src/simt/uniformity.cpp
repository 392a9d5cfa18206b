#include "simt/uniformity.h"

#include <algorithm>

namespace heddle::simt {

namespace {
constexpr int block_level = -3;
}

Spread join(Spread a, Spread b) {
  if (a == b) return a;
  if (is_uniform(a) && is_uniform(b)) return {std::max(a.level, b.level), 0};
  return {Level::varying, 0};
}

Uniformity::Uniformity(const Program& program, const Chunks& chunks)
    : p_(program),
      chunks_(chunks),
      locals_(program.locals.size()),
      set_(program.locals.size()),
      blends_(program.stmts.size()),
      walked_(program.stmts.size()),
      crosses_(program.locals.size()),
      exits_(program.stmts.size(), Level::block),
      lists_of_(program.stmts.size()),
      accesses_(program.locals.size()) {
  // Numbers that a launch gives are set before everything.
  for (const Parameter& parameter : p_.parameters) {
    if (parameter.local >= 0) set_[static_cast<std::size_t>(parameter.local)] = true;
  }
  number_lists(p_.body, -1, -1);
  do {
    changed_ = false;
    visit(p_.body);
  } while (changed_);
  find_walked();
}

// --- where locals are read and set ---

void Uniformity::access(int local, int list, int position, bool sets) {
  accesses_[static_cast<std::size_t>(local)].push_back({list, position, sets});
}

void Uniformity::access_expr(int expr, int list, int position) {
  const Expr& e = p_.expr(expr);
  for (int arg : e.args) access_expr(arg, list, position);
  if (e.kind == ExprKind::local) access(e.index, list, position, false);
  const bool of_array = e.kind == ExprKind::load || e.kind == ExprKind::extent ||
                        e.kind == ExprKind::stride || e.kind == ExprKind::atomic ||
                        e.kind == ExprKind::address;
  if (!of_array) return;
  p_.layout_of(e.index).for_places([&](int local) { access(local, list, position, false); });
}

void Uniformity::number_lists(const std::vector<int>& list, int parent, int position) {
  const int number = next_list_++;
  parent_.push_back(parent);
  parent_position_.push_back(position);
  if (parent == -1) {
    for (const Parameter& parameter : p_.parameters) {
      if (parameter.local >= 0) access(parameter.local, number, -1, true);
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Stmt& s = p_.stmt(list[i]);
    const int at = static_cast<int>(i);
    auto& own = lists_of_[static_cast<std::size_t>(list[i])];
    auto descend = [&](std::size_t n) {
      own.push_back(next_list_);
      number_lists(s.lists[n], number, at);
    };
    if (s.kind == StmtKind::loop) {
      descend(0);
      access_expr(s.exprs[0], own[0], 1 << 28);
      descend(1);
      descend(2);
      continue;
    }
    for (int e : s.exprs) access_expr(e, number, at);
    if (s.kind == StmtKind::store)
      p_.layout_of(s.index).for_places([&](int local) { access(local, number, at, false); });
    if (s.kind == StmtKind::assign) access(s.index, number, at, true);
    if (s.kind == StmtKind::barrier && s.axis >= 0) access(s.axis, number, at, true);
    for (int local : s.locals) access(local, number, at, true);
    for (std::size_t n = 0; n < s.lists.size(); ++n) descend(n);
  }
}

bool Uniformity::inside(int list, int outer) const {
  while (list != outer && list >= 0) list = parent_[static_cast<std::size_t>(list)];
  return list == outer;
}

// Whether nobody outside of the region sees a local: it is set before it is read each time.
bool Uniformity::scoped(int local, const Region& region) const {
  const auto& accesses = accesses_[static_cast<std::size_t>(local)];
  // The innermost list that has them all, and where in it the first is.
  int list = accesses[0].list;
  for (const Access& a : accesses) {
    while (!inside(a.list, list)) list = parent_[static_cast<std::size_t>(list)];
  }
  const Access& first = accesses[0];
  if (first.list != list || !first.sets) return false;
  return std::any_of(region.lists.begin(), region.lists.end(),
                     [&](int outer) { return inside(list, outer); });
}

// --- the fixed point ---

Spread Uniformity::clamp(Spread s) const {
  if (chunks_.lanes == 1 && !is_uniform(s)) return {Level::chunk, 0};
  return s;
}

void Uniformity::raise(Level& to, Level by) {
  if (by <= to) return;
  to = by;
  changed_ = true;
}

Spread Uniformity::of_op(const Program& program, const Expr& e, const std::vector<Spread>& args) {
  Spread most;
  for (const Spread& s : args) most.level = std::max(most.level, s.level);
  if (is_uniform(most)) return most;
  constexpr Spread varying{Level::varying, 0};
  if (most.level == Level::varying || e.dtype != Dtype::int64 || e.compute != Dtype::int64)
    return varying;
  auto affine = [](std::int64_t step) {
    return step == 0 ? Spread{Level::chunk, 0} : Spread{Level::affine, step};
  };
  switch (e.op) {
    case Op::add:
      return affine(args[0].step + args[1].step);
    case Op::subtract:
      return affine(args[0].step - args[1].step);
    case Op::negative:
      return affine(-args[0].step);
    case Op::positive:
    case Op::cast:
      return args[0];
    case Op::multiply:
      for (int i = 0; i < 2; ++i) {
        const Expr& other = program.expr(e.args[static_cast<std::size_t>(1 - i)]);
        const auto factor = static_cast<std::int64_t>(other.bits[0]);
        constexpr std::int64_t most_step = 1 << 20;
        if (other.kind == ExprKind::constant && factor > -most_step && factor < most_step &&
            std::abs(args[static_cast<std::size_t>(i)].step) < most_step)
          return affine(args[static_cast<std::size_t>(i)].step * factor);
      }
      return varying;
    default:
      return varying;
  }
}

Spread Uniformity::of(int expr) const {
  const Expr& e = p_.expr(expr);
  std::vector<Spread> args;
  Spread most;
  for (int arg : e.args) {
    args.push_back(of(arg));
    most.level = std::max(most.level, args.back().level);
  }
  if (!is_uniform(most)) most.level = Level::varying;
  // What a block has to itself. Where all blocks run together, it is not the same for all threads.
  const Spread one_block{p_.cooperative ? Level::chunk : Level::block, 0};
  auto with_view = [&](Spread s) {
    p_.layout_of(e.index).for_places(
        [&](int local) { s.level = std::max(s.level, of_local(local).level); });
    return is_uniform(s) ? Spread{s.level, 0} : Spread{Level::varying, 0};
  };
  switch (e.kind) {
    case ExprKind::constant:
      return {};
    case ExprKind::local:
      return of_local(e.index);
    case ExprKind::op:
      return clamp(of_op(p_, e, args));
    case ExprKind::geometry:
      switch (static_cast<Geometry>(e.index)) {
        case Geometry::thread:
          if (chunks_.axis < 0) return clamp({Level::varying, 0});
          return clamp(e.axis == chunks_.axis ? Spread{Level::affine, 1} : Spread{Level::chunk, 0});
        case Geometry::lane:
          return clamp({Level::affine, 1});
        case Geometry::clock:
          return {Level::chunk, 0};
        case Geometry::block:
          return one_block;
        default:
          return {};
      }
    case ExprKind::load: {
      const ArrayKind root = p_.array(p_.root_of(e.index)).kind;
      if (root == ArrayKind::local) return clamp({Level::varying, 0});
      if (root != ArrayKind::parameter) most.level = std::max(most.level, one_block.level);
      return clamp(with_view(most));
    }
    case ExprKind::extent:
    case ExprKind::stride: {
      const Array& a = p_.layout_of(e.index);
      if (a.shape.empty()) return {};
      // The last axis of records is not one of their fields.
      if (p_.array(e.index).kind == ArrayKind::field && e.axis + 1 >= a.ndim) return {};
      const auto& from = e.kind == ExprKind::extent ? a.shape : a.strides;
      return of_local(from[static_cast<std::size_t>(e.axis)]);
    }
    case ExprKind::atomic:
      return clamp({Level::varying, 0});
    case ExprKind::warp: {
      const auto what = static_cast<Warp>(e.axis);
      const bool one = what == Warp::all || what == Warp::any || what == Warp::equal ||
                       what == Warp::ballot || what == Warp::match_all || what == Warp::active;
      return clamp(one ? Spread{Level::chunk, 0} : Spread{Level::varying, 0});
    }
    case ExprKind::bits:
      return clamp(most);
    case ExprKind::address:
      return clamp(with_view({Level::chunk, 0}));
  }
  return {Level::varying, 0};
}

void Uniformity::assign(int stmt, int local, Spread spread) {
  bool blend = false, own_loop = p_.locals[static_cast<std::size_t>(local)].counter;
  for (std::size_t i = regions_.size(); i-- > 0;) {
    const Region& region = regions_[i];
    if (own_loop && p_.stmt(region.stmt).kind == StmtKind::loop) {
      own_loop = false;
      continue;
    }
    if (region.level == Level::block || scoped(local, region)) continue;
    if (region.level == Level::chunk) {
      if (spread.level == Level::block) spread.level = Level::chunk;
    } else {
      blend = true;
      spread = {Level::varying, 0};
    }
  }
  Spread& known = locals_[static_cast<std::size_t>(local)];
  // The first assignment decides, others join it.
  const Spread joined = set_[static_cast<std::size_t>(local)] ? join(known, spread) : spread;
  set_[static_cast<std::size_t>(local)] = true;
  if (joined != known) {
    known = joined;
    changed_ = true;
  }
  if (blend && !blends_[static_cast<std::size_t>(stmt)]) {
    blends_[static_cast<std::size_t>(stmt)] = true;
    changed_ = true;
  }
}

// Threads leave all frames beyond the first `kept`, under the conditions around them.
void Uniformity::part(int frames_kept, Level level) {
  for (std::size_t i = static_cast<std::size_t>(frames_kept); i < frames_.size(); ++i) {
    Level parted = level;
    // Conditions between the frame and here.
    bool within = false;
    for (const Region& region : regions_) {
      if (region.stmt == frames_[i]) {
        within = true;
        continue;
      }
      if (within) parted = std::max(parted, region.level);
    }
    raise(exits_[static_cast<std::size_t>(frames_[i])], parted);
  }
}

void Uniformity::visit(const std::vector<int>& list) {
  for (int stmt : list) visit(stmt);
}

void Uniformity::visit(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  auto level_of = [&](int expr) {
    const Spread spread = of(expr);
    return is_uniform(spread) ? spread.level : Level::varying;
  };
  const auto& lists = lists_of_[static_cast<std::size_t>(stmt)];
  switch (s.kind) {
    case StmtKind::assign:
      assign(stmt, s.index, of(s.exprs[0]));
      break;
    case StmtKind::barrier:
      if (s.axis >= 0) assign(stmt, s.axis, {p_.cooperative ? Level::chunk : Level::block, 0});
      break;
    case StmtKind::branch: {
      const Level level = level_of(s.exprs[0]);
      for (std::size_t n = 0; n < 2; ++n) {
        regions_.push_back({level, stmt, {lists[n]}});
        visit(s.lists[n]);
        regions_.pop_back();
      }
      break;
    }
    case StmtKind::loop: {
      Level& exits = exits_[static_cast<std::size_t>(stmt)];
      frames_.push_back(stmt);
      regions_.push_back({exits, stmt, lists});
      visit(s.lists[0]);
      raise(exits, level_of(s.exprs[0]));
      regions_.back().level = exits;
      visit(s.lists[1]);
      regions_.back().level = exits;
      visit(s.lists[2]);
      regions_.pop_back();
      frames_.pop_back();
      break;
    }
    case StmtKind::scope: {
      Level& exits = exits_[static_cast<std::size_t>(stmt)];
      frames_.push_back(stmt);
      // Who leaves the outermost one, which nothing follows, is not there any more.
      const bool last = p_.body.size() == 1 && p_.body[0] == stmt;
      regions_.push_back({last ? Level::block : exits, stmt, lists});
      visit(s.lists[0]);
      regions_.pop_back();
      frames_.pop_back();
      break;
    }
    case StmtKind::leave_loop:
    case StmtKind::next_turn:
      part(static_cast<int>(frames_.size()) - 1, Level::block);
      break;
    case StmtKind::leave: {
      int scopes = s.index, frame = static_cast<int>(frames_.size()) - 1;
      while (p_.stmt(frames_[static_cast<std::size_t>(frame)]).kind != StmtKind::scope ||
             scopes-- > 0)
        --frame;
      part(frame, Level::block);
      break;
    }
    case StmtKind::fail:
      part(0, Level::block);
      break;
    case StmtKind::call:
      for (int local : s.locals) assign(stmt, local, clamp({Level::varying, 0}));
      break;
    default:
      break;
  }
}

// --- what the block walks ---

bool Uniformity::contains_barrier(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  bool found = s.kind == StmtKind::barrier;
  for (const auto& list : s.lists) {
    for (int inner : list) found |= contains_barrier(inner);
  }
  walked_[static_cast<std::size_t>(stmt)] = found;
  return found;
}

void Uniformity::touch_local(int local, int segment) {
  int& known = segment_of_[static_cast<std::size_t>(local)];
  known = known == -1 || known == segment ? segment : -2;
  if (known < 0) crosses_[static_cast<std::size_t>(local)] = true;
}

void Uniformity::touch_expr(int expr, int segment) {
  const Expr& e = p_.expr(expr);
  for (int arg : e.args) touch_expr(arg, segment);
  if (e.kind == ExprKind::local) touch_local(e.index, segment);
  const bool of_array = e.kind == ExprKind::load || e.kind == ExprKind::extent ||
                        e.kind == ExprKind::stride || e.kind == ExprKind::atomic ||
                        e.kind == ExprKind::address;
  if (!of_array) return;
  p_.layout_of(e.index).for_places([&](int local) { touch_local(local, segment); });
}

void Uniformity::touch(const std::vector<int>& list, int segment) {
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    for (int e : s.exprs) touch_expr(e, segment);
    if (s.kind == StmtKind::assign) touch_local(s.index, segment);
    if (s.kind == StmtKind::barrier && s.axis >= 0) touch_local(s.axis, segment);
    for (int local : s.locals) touch_local(local, segment);
    if (s.kind == StmtKind::store)
      p_.layout_of(s.index).for_places([&](int local) { touch_local(local, segment); });
    for (const auto& inner : s.lists) touch(inner, segment);
  }
}

// Whether a local that a run of statements has to itself is set there before it is read.
bool Uniformity::first_sets(int local, const std::vector<int>& list, std::size_t from,
                            std::size_t to) const {
  const Access& first = accesses_[static_cast<std::size_t>(local)][0];
  if (!first.sets || first.position < 0) return false;
  for (std::size_t i = from; i < to; ++i) {
    const Stmt& s = p_.stmt(list[i]);
    if (s.kind == StmtKind::assign && s.index == local) return true;
    // Set first inside of a statement: fine if all accesses are in there.
    for (int inner : lists_of_[static_cast<std::size_t>(list[i])]) {
      const Region region{Level::varying, list[i], {inner}};
      if (scoped(local, region)) return true;
    }
  }
  return false;
}

void Uniformity::mark_segments(const std::vector<int>& list, bool in_loop) {
  std::size_t i = 0;
  while (i < list.size()) {
    const Stmt& s = p_.stmt(list[i]);
    if (!walked(list[i])) {
      std::size_t end = i;
      while (end < list.size() && !walked(list[end])) ++end;
      const int segment = segments_++;
      touch({list.begin() + static_cast<std::ptrdiff_t>(i),
             list.begin() + static_cast<std::ptrdiff_t>(end)},
            segment);
      if (in_loop) {
        for (std::size_t local = 0; local < segment_of_.size(); ++local) {
          if (segment_of_[local] == segment && !first_sets(static_cast<int>(local), list, i, end))
            crosses_[local] = true;
        }
      }
      i = end;
      continue;
    }
    for (int e : s.exprs) touch_expr(e, block_level);
    if (s.kind == StmtKind::assign) touch_local(s.index, block_level);
    if (s.kind == StmtKind::barrier && s.axis >= 0) touch_local(s.axis, block_level);
    for (const auto& inner : s.lists) mark_segments(inner, in_loop || s.kind == StmtKind::loop);
    ++i;
  }
}

// Statements that set what crosses and is one value for the block are walked, too.
bool Uniformity::walk_setters(const std::vector<int>& list) {
  bool any = false;
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    bool walks =
        s.kind == StmtKind::assign && crosses(s.index) && of_local(s.index).level == Level::block;
    for (const auto& inner : s.lists) walks |= walk_setters(inner);
    if (walks) walked_[static_cast<std::size_t>(stmt)] = true;
    any |= walks;
  }
  return any;
}

bool Uniformity::leaves_walked(const Stmt& s) const {
  if (frames_.empty()) return false;
  switch (s.kind) {
    case StmtKind::leave_loop:
    case StmtKind::next_turn:
      return walked(frames_.back());
    case StmtKind::leave: {
      int scopes = s.index;
      for (std::size_t i = frames_.size(); i-- > 0;) {
        if (p_.stmt(frames_[i]).kind == StmtKind::scope && scopes-- == 0) return walked(frames_[i]);
      }
      return false;
    }
    case StmtKind::fail:
      return walked(frames_.front());
    default:
      return false;
  }
}

// And those that leave what the block walks.
bool Uniformity::walk_leavers(const std::vector<int>& list) {
  bool any = false;
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    bool walks = leaves_walked(s);
    const bool frame = s.kind == StmtKind::loop || s.kind == StmtKind::scope;
    if (frame) frames_.push_back(stmt);
    for (const auto& inner : s.lists) walks |= walk_leavers(inner);
    if (frame) frames_.pop_back();
    if (walks) walked_[static_cast<std::size_t>(stmt)] = true;
    any |= walks;
  }
  return any;
}

void Uniformity::find_walked() {
  bool any = false;
  for (int stmt : p_.body) any |= contains_barrier(stmt);
  if (!any) return;
  for (;;) {
    segment_of_.assign(p_.locals.size(), -1);
    segments_ = 0;
    for (const Parameter& parameter : p_.parameters) {
      if (parameter.local >= 0) touch_local(parameter.local, block_level);
    }
    const std::vector<bool> before = walked_;
    mark_segments(p_.body, false);
    walk_setters(p_.body);
    walk_leavers(p_.body);
    if (before == walked_) return;
  }
}

}  // namespace heddle::simt
