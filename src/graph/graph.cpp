#include "graph/graph.h"

#include <pthread.h>

#include "graph/node.h"
#include "graph/separate_graph.h"
#include "runtime/interrupt.h"

namespace heddle {

namespace {

// Never destroyed: values may outlive the statics of the process.
struct GraphRegistry {
  std::mutex mutex;
  std::vector<Graph*> all;
  std::vector<Graph*> idle;  // whose threads have ended
  // The same of stand-ins.
  std::vector<Graph*> of_stand_ins;
  std::vector<Graph*> idle_of_stand_ins;
};
GraphRegistry* registry = new GraphRegistry;

}  // namespace

// In a child made by fork the other threads are no more. What they were running, or had locked, is
// a graph whose nodes are still to be computed.
void reset_graphs_in_child() {
  auto* before = registry;
  registry = new GraphRegistry;
  registry->all = before->all;
  registry->idle = before->idle;
  registry->of_stand_ins = before->of_stand_ins;
  registry->idle_of_stand_ins = before->idle_of_stand_ins;
  for (Graph* graph : registry->of_stand_ins) {
    graph->mutex_.reset_in_child();
    new (&graph->aside_mutex_) std::mutex;
  }
  const Graph* own = &Graph::own();
  for (Graph* graph : registry->all) {
    graph->mutex_.reset_in_child();
    if (graph == own) continue;
    new (&graph->aside_mutex_) std::mutex;
    for (Node* node = graph->oldest_; node; node = node->next) {
      if (node->runner != own) node->runner = nullptr;
    }
    graph->waiting_ = 0;
  }
}

namespace {

[[maybe_unused]] const int watching = pthread_atfork(nullptr, nullptr, reset_graphs_in_child);

}  // namespace

// A thread's hold on its graph.
struct GraphHold {
  Graph* graph = nullptr;
  explicit GraphHold(bool has_stand_ins) {
    {
      std::lock_guard lock(registry->mutex);
      auto& idle = idle_ones(has_stand_ins);
      if (idle.empty()) {
        auto& all = has_stand_ins ? registry->of_stand_ins : registry->all;
        graph = all.emplace_back(new Graph(has_stand_ins));
      } else {
        graph = idle.back();
        idle.pop_back();
      }
    }
    graph->mutex_.own();
  }
  ~GraphHold() {
    graph->mutex_.disown();
    std::lock_guard lock(registry->mutex);
    idle_ones(graph->has_stand_ins()).push_back(graph);
  }

 private:
  static std::vector<Graph*>& idle_ones(bool has_stand_ins) {
    return has_stand_ins ? registry->idle_of_stand_ins : registry->idle;
  }
};

namespace detail {
constinit thread_local Graph* own_graph = nullptr;
}

Graph& Graph::take_one() {
  thread_local GraphHold hold(false);
  detail::own_graph = hold.graph;
  return *hold.graph;
}

const Ref<Buffer>& memory_of(const Value& value) { return value.buffer(); }

SeparateGraph::SeparateGraph() : before_(&Graph::own()), hold_(std::make_unique<GraphHold>(false)) {
  detail::own_graph = hold_->graph;
  hold_->graph->apart = true;
}

SeparateGraph::~SeparateGraph() {
  hold_->graph->apart = false;
  detail::own_graph = before_;
}

Graph& Graph::of_stand_ins() {
  thread_local GraphHold hold(true);
  return *hold.graph;
}

std::vector<Graph*> Graph::all() {
  std::lock_guard lock(registry->mutex);
  return registry->all;
}

void Graph::wait_for_lock() {
  BlockingScope blocking;
  mutex_.lock();
}

void Graph::put_aside(Value* value) {
  std::lock_guard lock(aside_mutex_);
  aside_.push_back(value);
  any_aside_.store(true, std::memory_order_relaxed);
}

void Graph::bury() {
  if (!any_aside_.load(std::memory_order_relaxed)) return;
  std::vector<Value*> values;
  {
    std::lock_guard lock(aside_mutex_);
    values.swap(aside_);
    any_aside_.store(false, std::memory_order_relaxed);
  }
  for (Value* value : values) Value::destroy(value);
}

void Graph::wake() {
  waiting_ = 0;
  ended_.fetch_add(1);
  ended_.notify_all();
}

void Graph::wait_for_end(std::uint32_t since) {
  BlockingScope blocking;
  ended_.wait(since, std::memory_order_acquire);
}

void abandon_evaluations() {
  const Graph* own = &Graph::own();
  for (Graph* graph : Graph::all()) {
    graph->mutex_.lock();
    for (Node* node = graph->oldest_; node; node = node->next) {
      if (node->runner == own) node->runner = nullptr;
    }
    graph->tell_of_end();
    graph->mutex_.abandon();
  }
}

}  // namespace heddle
