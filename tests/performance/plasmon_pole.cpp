// plasmon_pole.cpp - the plasmon-pole sum, direct in f64, beside loops in C++ with the
// optimisations that are published.
//
//   facet_bench_plasmon_pole PLASMON_POLE.cpp [REPEATS [WAVES OTHERS BANDS]]
// Two energies; 1,384 waves G, 173 waves G', 100 bands: an eighth of 11,075, 1,385 and 800, in
// random numbers. One thread. The rival computes by the formulas as they are published, and by the
// algebra of facet's example. Runs alternate.
#include "bench.h"

namespace {

using namespace facet;

constexpr double Goal = 1.5; // times as fast as the rival

struct Problem {
  runtime::Grid grid;
  runtime::Mesh mesh;
  rivals::Poles poles;
};

Problem drawn(std::int64_t waves, std::int64_t others, std::int64_t bands) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Problem p;
  p.grid.axes[0] = runtime::linspace(0, 0.3, 2);
  p.grid.axes[1] = runtime::linspace(0, static_cast<double>(others - 1), others); // numbers of G'
  p.grid.axes[2] = runtime::linspace(-3.01, 2.99, bands);
  p.mesh.name = "waves";
  const auto table = [&](const char *name, std::vector<double> &to, std::int64_t rows, auto draw) {
    to.resize(static_cast<std::size_t>(rows * waves));
    std::ranges::generate(to, draw);
    p.mesh.tables[name] = runtime::AxisTable(rows, waves, to);
  };
  p.poles = {static_cast<std::size_t>(waves),
             static_cast<std::size_t>(others),
             {},
             {},
             {},
             {},
             {},
             {},
             p.grid.axes[0].re,
             p.grid.axes[2].re};
  table("w.re", p.poles.wr, others, [&] { return 0.2 + 3 * uniform(random); });
  table("w.im", p.poles.wi, others, [&] { return -0.1 * uniform(random); });
  table("inner.re", p.poles.ir, others, [&] { return normal(random); });
  table("inner.im", p.poles.ii, others, [&] { return normal(random); });
  table("m.re", p.poles.mr, bands, [&] { return normal(random); });
  table("m.im", p.poles.mi, bands, [&] { return normal(random); });
  return p;
}

bool run(const std::string &kernel, int repeats, const Problem &p) {
  runtime::PlanOptions options = bench::oneThread(FACET_DIRECT, 1e-5, FACET_F64);
  runtime::Plan plan(bench::kernelFor(kernel, runtime::bestTarget(), p.grid), p.grid, p.mesh,
                     options);
  std::vector<std::complex<double>> exchange, hole;
  plan.execute();
  const auto times = bench::inTurns(
      repeats, [&] { plan.execute(); }, [&] { rivals::poles(p.poles, false, exchange, hole); },
      [&] { rivals::poles(p.poles, true, exchange, hole); });
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < hole.size(); ++i) {
    largest = std::max({largest, std::abs(exchange[i]), std::abs(hole[i])});
    error = std::max({error, std::abs(plan.values()[i] + exchange[i]),
                      std::abs(plan.values()[hole.size() + i] - 0.5 * hole[i])});
  }
  const double work = 1e-9 * plan.explain().tqp;
  fmt::print("direct, f64  {} facet, {:.1e} from the rival's; 1e9 terms/s\n", times[0].rates(work),
             error / largest);
  bench::verdict(fmt::format("             {} rival, simplified", times[2].rates(work)),
                 times[2].least() / times[0].least(), Goal, "x{:.2f}");
  return bench::verdict(fmt::format("             {} rival, as published", times[1].rates(work)),
                        times[1].least() / times[0].least(), Goal, "x{:.2f}") &&
         error < 1e-10 * largest;
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "PLASMON_POLE.cpp [REPEATS [WAVES OTHERS BANDS]]", [&] {
    bench::sayTuned();
    const auto count = [&](int at, int usual) { return argc > at ? std::atoi(argv[at]) : usual; };
    const Problem p = drawn(count(3, 1384), count(4, 173), count(5, 100));
    fmt::print(
        "2 energies, {} waves G, {} waves G', {} bands; least (median) of alternating runs\n",
        p.poles.n, p.poles.others, p.poles.bands.size());
    return run(argv[1], count(2, 5), p);
  });
}
