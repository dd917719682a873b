// nufft.cpp - facet's transforms beside NUFFT libraries called by hand: times, errors, ratios.
//
//   facet_bench_nufft KERNEL.cpp [--case NAME..] [--accuracy A..] [--triangles N..] [--threads N]
//                     [--anew] [--alone] [--each] [--repeats N]
// KERNEL is born (three strengths) or surface (one). The rival is the fastest of the libraries, in
// float and double and with any eps, whose measured error is no more than what was asked. A second
// line is for those that err by no more than facet. Errors are of max|F|, the largest over the 64
// least |q| and 2,000 others, against direct sums in f64. Points are kept; with --anew each run
// gets another mesh. --alone: facet's times only. --each: all rivals. Runs alternate; the least
// time of each counts.
#include "rivals/nufft.h"
#include "bench.h"
#include <CLI/CLI.hpp>
#include <malloc.h>
#include <numeric>
#include <thread>

namespace {

using namespace facet;
using rivals::Library;
using Complex = std::complex<double>;

/// q of a case, and the least ratio wanted at equal error.
struct Case {
  std::string name;
  runtime::Grid grid;
  double goal = 1;
};

/// n values, each moved by up to a fifth of a step.
runtime::Axis irregular(double from, double to, std::int64_t n) {
  runtime::Axis axis = runtime::linspace(from, to, n);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> move(-0.2, 0.2);
  for (double &q : axis.re)
    q += move(random) * (to - from) / static_cast<double>(n);
  return axis;
}

runtime::Grid productGrid(runtime::Axis x, runtime::Axis y, runtime::Axis z) {
  runtime::Grid grid;
  grid.axes = {std::move(x), std::move(y), std::move(z)};
  return grid;
}

runtime::Grid plane(std::int64_t n) {
  return productGrid(runtime::linspace(0.1, 0.1, 1), runtime::linspace(-2, 2, n),
                     runtime::linspace(0, 2, n));
}

/// q of a flat detector of n x n pixels, on Ewald's sphere: q.x = k (cos - 1) is thin.
runtime::Grid detector(std::int64_t n) {
  constexpr double k = 40, widest = 0.05; // nm^-1, rad
  const std::vector<double> angles = runtime::linspace(-widest, widest, n).re;
  runtime::Grid grid;
  grid.kind = runtime::Grid::Kind::Points;
  for (const double up : angles)
    for (const double aside : angles) {
      grid.axes[0].re.push_back(k * (std::cos(up) * std::cos(aside) - 1));
      grid.axes[1].re.push_back(k * std::cos(up) * std::sin(aside));
      grid.axes[2].re.push_back(k * std::sin(up));
    }
  return grid;
}

Case caseOf(const std::string &name) {
  const auto uneven = [] {
    return productGrid(runtime::linspace(0.1, 0.1, 1), irregular(-2, 2, 500), irregular(0, 2, 500));
  };
  if (name == "uniform500")
    return {name, plane(500), 1.3};
  if (name == "uniform1414")
    return {name, plane(1414), 2};
  if (name == "irregular")
    return {name, uneven(), 1.3};
  if (name == "list")
    return {name, runtime::pointsOf(uneven())};
  if (name == "ewald")
    return {name, detector(500), 1.2};
  if (name == "volume")
    return {name, productGrid(runtime::linspace(-0.5, 0.5, 91), runtime::linspace(-2, 2, 250),
                              runtime::linspace(0, 2, 250))};
  throw runtime::Error("bench", "there is no case " + name);
}

/// What the command line asks for.
struct Request {
  std::string kernel;
  std::vector<std::string> cases{"uniform500", "uniform1414", "irregular",
                                 "list",       "ewald",       "volume"};
  std::vector<double> accuracies{1e-3, 1e-6, 1e-9}, triangles{91600};
  int threads = 1, repeats = 7;
  bool anew = false, alone = false, each = false;
};

/// A library in one precision, with the eps it takes.
struct Entry {
  rivals::ByHandOptions options;
  std::unique_ptr<rivals::ByHand> sum;
  double error = 0, seconds = 0;
  bench::Times times;
  std::string name() const {
    const char *const library = options.library == Library::Ducc      ? "DUCC"
                                : options.library == Library::Finufft ? "FINUFFT"
                                                                      : "FINUFFT, generic";
    return fmt::format("{} {}", library, options.floats ? "f32" : "f64");
  }
};

/// Some q of a grid with F there, by direct sums in f64.
class Sample {
public:
  Sample(const std::string &kernel, const runtime::Mesh &mesh, const runtime::Grid &grid) {
    constexpr std::int64_t Least = 64, Others = 2000;
    std::vector<std::int64_t> order(static_cast<std::size_t>(grid.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto square = [&](std::int64_t i) {
      const auto q = grid.at(i);
      return std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]);
    };
    std::nth_element(order.begin(), order.begin() + Least, order.end(),
                     [&](std::int64_t a, std::int64_t b) { return square(a) < square(b); });
    std::shuffle(order.begin() + Least, order.end(), std::mt19937(2));
    at_.assign(order.begin(), order.begin() + std::min(Least + Others, grid.size()));
    runtime::Grid list;
    list.kind = runtime::Grid::Kind::Points;
    for (const std::int64_t i : at_)
      for (std::size_t k = 0; k < 3; ++k)
        list.axes[k].re.push_back(grid.at(i)[k].real());
    runtime::PlanOptions options = bench::oneThread(FACET_DIRECT, 1e-10, FACET_F64);
    options.threads = 0;
    runtime::Plan plan(bench::kernelFor(kernel, runtime::bestTarget(), list), list, mesh, options);
    f_ = plan.execute();
    for (const Complex &f : f_)
      largest_ = std::max(largest_, std::abs(f));
  }

  /// `value`: F at a q of the grid.
  double error(const auto &value) const {
    double worst = 0;
    for (std::size_t i = 0; i < at_.size(); ++i)
      worst = std::max(worst, std::abs(value(static_cast<std::size_t>(at_[i])) - f_[i]));
    return worst / largest_;
  }

private:
  std::vector<std::int64_t> at_;
  std::vector<Complex> f_;
  double largest_ = 0;
};

/// The mesh, and a little larger.
std::array<runtime::Mesh, 2> meshesOf(double triangles) {
  const runtime::Mesh first = triangles == 6600    ? bench::smallTorus()
                              : triangles == 91600 ? bench::largeTorus()
                                                   : bench::torusOf(triangles);
  runtime::Mesh second = first;
  for (auto &t : second.triangles)
    for (runtime::Vec3 &v : t)
      for (double &x : v)
        x *= 1.001;
  return {first, second};
}

class Cell {
public:
  Cell(const Request &request, const Case &c, const std::array<runtime::Mesh, 2> &meshes,
       double accuracy)
      : request_(request), case_(c), meshes_(meshes), accuracy_(accuracy),
        plan_(bench::kernelFor(request.kernel, runtime::bestTarget(), c.grid), c.grid, meshes[0],
              options()) {
    runtime::executeToContract(plan_, {});
  }

  bool run() {
    const Sample sample(request_.kernel, meshes_[0], case_.grid);
    error_ = sample.error([&](std::size_t i) { return plan_.values()[i]; });
    if (!request_.alone)
      enterAll(sample);
    if (fastest_[0].empty()) {
      const auto [here] = bench::inTurns(request_.repeats, [&] { mine(); });
      fmt::print("{} | {}, error {:.1e}: {}{}\n", name(), here.ms(), error_, plan_.explain().reason,
                 request_.alone ? "" : " [SKIP] no rival: build bench-nufft");
      return true;
    }
    return race();
  }

private:
  runtime::PlanOptions options() const {
    runtime::PlanOptions options = bench::oneThread(FACET_NUFFT, accuracy_);
    options.threads = request_.threads;
    return options;
  }
  std::string name() const {
    return fmt::format("{:<12} {:>8} {:.0e}", case_.name, meshes_[0].size(), accuracy_);
  }
  void mine() {
    if (request_.anew)
      plan_.setMesh(meshes_[++turn_ % 2]);
    plan_.execute();
  }
  void theirs(Entry &entry) {
    if (request_.anew)
      entry.sum->setMesh(corners_[++turn_ % 2]);
    entry.sum->run();
  }

  /// Rivals that meet what was asked, and what facet errs by.
  void enterAll(const Sample &sample) {
    const runtime::Grid grid = case_.name == "irregular" ? pointsOf(case_.grid) : case_.grid;
    places_.list = grid.kind == runtime::Grid::Kind::Points;
    for (std::size_t k = 0; k < 3; ++k)
      places_.q[k] = grid.axes[k].re;
    for (std::size_t m = 0; m < 2; ++m)
      corners_[m].assign(meshes_[m].triangles.begin(), meshes_[m].triangles.end());
    const bool native = rivals::has(Library::Finufft);
    for (const Library library : {Library::Ducc, native ? Library::Finufft : Library::FinufftWheel})
      for (const bool floats : {true, false})
        if (rivals::has(library))
          enter(sample, library, floats);
  }

  /// A library with ever smaller eps, until its error is facet's or no longer falls.
  void enter(const Sample &sample, Library library, bool floats) {
    const std::size_t strengths = request_.kernel.find("surface") == std::string::npos ? 3 : 1;
    double best = 1;
    int worse = 0, alike = 0;
    for (double eps = std::min(0.1, 300 * accuracy_); worse < 4 && alike < 3;
         eps /= std::cbrt(10)) {
      Entry entry;
      entry.options = {library, floats, strengths, eps, request_.threads};
      try {
        entry.sum = rivals::byHand(corners_[0], places_, entry.options);
      } catch (const std::runtime_error &) {
        return; // beyond what the library can
      }
      entry.sum->run();
      entry.error = sample.error([&](std::size_t i) { return entry.sum->at(i); });
      worse = entry.error < best ? 0 : worse + 1;
      best = std::min(best, entry.error);
      if (entry.error > std::max(accuracy_, error_))
        continue;
      alike += entry.error <= error_;
      entry.seconds = std::get<0>(bench::inTurns(2, [&] { entry.sum->run(); })).least();
      if (request_.each)
        fmt::print("    {}, eps {:.1e}: error {:.1e}, {:.1f} ms\n", entry.name(), eps, entry.error,
                   1e3 * entry.seconds);
      const auto shared = std::make_shared<Entry>(std::move(entry));
      for (std::size_t k = 0; k < 2; ++k)
        if (shared->error <= (k == 0 ? accuracy_ : error_))
          keep(shared, fastest_[k]);
    }
  }

  static void keep(const std::shared_ptr<Entry> &entry, std::vector<std::shared_ptr<Entry>> &of) {
    of.push_back(entry);
    std::sort(of.begin(), of.end(),
              [](const auto &a, const auto &b) { return a->seconds < b->seconds; });
    of.resize(std::min<std::size_t>(of.size(), 3));
  }

  /// Times of facet and of the fastest of each kind in turns.
  bool race() {
    bench::Times here;
    for (int i = 0; i < request_.repeats; ++i) {
      here.run([&] { mine(); });
      for (const auto &entries : fastest_)
        for (const auto &entry : entries) {
          if (request_.threads > 1) // threads of the side before go to sleep
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          entry->times.run([&] { theirs(*entry); });
        }
      if (request_.threads > 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (request_.each)
      fmt::print("    facet: {}\n", plan_.explain().reason);
    bool met = true;
    for (std::size_t k = 0; k < 2; ++k) {
      if (fastest_[k].empty())
        continue;
      const Entry &best = **std::min_element(
          fastest_[k].begin(), fastest_[k].end(),
          [](const auto &a, const auto &b) { return a->times.least() < b->times.least(); });
      const std::string what =
          fmt::format("{} | {:>18} {:.1e} | {:13} {:12} {:.1e} {:>18} {:.1e} |", name(), here.ms(),
                      error_, k == 0 ? "what is asked" : "facet's error", best.name(),
                      best.options.eps, best.times.ms(), best.error);
      met &= bench::verdict(what, best.times.least() / here.least(), k == 0 ? 1 : case_.goal,
                            "{:.2f}");
    }
    return met;
  }

  const Request &request_;
  const Case &case_;
  const std::array<runtime::Mesh, 2> &meshes_;
  std::array<rivals::Corners, 2> corners_;
  rivals::Places places_;
  std::array<std::vector<std::shared_ptr<Entry>>, 2> fastest_; // for what is asked; facet's error
  double accuracy_, error_ = 0;
  runtime::Plan plan_;
  std::size_t turn_ = 0;
};

bool run(const Request &request) {
  mallopt(M_MMAP_MAX,
          0); // memory that was freed stays: no fresh pages in each run, whoever's it is
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  fmt::print("least (median) of alternating runs, {} thread{}, points {}\n", request.threads,
             request.threads > 1 ? "s" : "", request.anew ? "anew" : "kept");
  fmt::print(
      "case         triangles asked | facet, ms, error | rival at, name, eps, ms, error |\n");
  bool met = true;
  for (const double triangles : request.triangles) {
    const std::array<runtime::Mesh, 2> meshes = meshesOf(triangles);
    for (const std::string &name : request.cases) {
      Case c = caseOf(name);
      if (triangles > 1e6)
        c.goal = std::min(c.goal, 1.2);
      for (const double accuracy : request.accuracies)
        met &= Cell(request, c, meshes, accuracy).run();
    }
  }
  return met;
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  CLI::App app("facet's transforms beside NUFFT libraries");
  app.add_option("KERNEL", request.kernel)->required();
  app.add_option("--case", request.cases);
  app.add_option("--accuracy", request.accuracies);
  app.add_option("--triangles", request.triangles);
  app.add_option("--threads", request.threads);
  app.add_option("--repeats", request.repeats);
  app.add_flag("--anew", request.anew);
  app.add_flag("--alone", request.alone);
  app.add_flag("--each", request.each);
  CLI11_PARSE(app, argc, argv);
  return bench::program(argc, argv, 1, "KERNEL.cpp [OPTIONS]", [&] { return run(request); });
}
