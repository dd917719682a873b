// cuda.cpp - the text of a sum on tensor cores, and its compiler. The term is multiplied out and
// parted into factors of rows and of columns, which stand within a text about them.
#include "codegen/lower/cpp/emit.h"
#include "codegen/lower/system.h"
#include "codegen/passes/shapes.h"
#include "tensor.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <unistd.h>

namespace facet::lower::tensor {
namespace {

using ir::Op;

passes::Sum joined(passes::Sum a, const passes::Sum &b) {
  passes::addTo(a, b);
  return a;
}

/// A value multiplied out.
passes::Sum expansion(const ir::Region &term, ir::Id id) {
  const ir::Value &value = term[id];
  if (value.op == Op::Number)
    return {{.number = value.number}};
  if (!passes::hasBoth(value.domain))
    return {{.factors = {id}}};
  const auto arg = [&](std::size_t k) { return expansion(term, value.args[k]); };
  const passes::Sum minus{{.number = -1}};
  switch (value.op) {
  case Op::Add:
    return joined(arg(0), arg(1));
  case Op::Sub:
    return joined(arg(0), times(minus, arg(1)));
  case Op::Neg:
    return times(minus, arg(0));
  case Op::Mul:
    return times(arg(0), arg(1));
  case Op::Fma:
    return joined(times(arg(0), arg(1)), arg(2));
  case Op::Re:
  case Op::Widen: // all is double here
  case Op::Narrow:
    return arg(0);
  default:
    throw ir::Error{fmt::format("'{}' of x or y and z: tensor cores multiply and add only; take "
                                "tensor=0 for this kernel",
                                ir::info(value.op).spelling),
                    value.loc};
  }
}

/// Words in $dollars$ are put in by cuda().
constexpr const char *kernelText =
    R"(// The separable sum of kernel '$name$' on the tensor cores of a GPU, in double. Written by facetc.
//
// The sum over records t is one matrix product of real numbers:
//   [row = (x, y)][k] times [k][column = (z, re or im)],   k = (t, row factor)
// $work$
// multiply-adds for each record and q. A block of threads takes $rows$ rows and $z$ z: it makes tables
// of both factors for a few records in shared memory, and its warps multiply them.
//
// Arguments: records as facet packs them, [t][field]; q of each axis, nm^-1; how many records, x, y
// and z; sums re and im, [x][y][z], which are written. Launch:
//   grid ((nx * ny + $rows$ - 1) / $rows$, (nz + $z$ - 1) / $z$), $threads$ threads,
//   $bytes$ bytes of dynamic shared memory (cuFuncSetAttribute allows what is beyond 48 KiB).

constexpr int row_tile = $rows$, z_tile = $z$, column_tile = 2 * z_tile, threads = $threads$;
constexpr int factors = $factors$;         // row factors of a record
constexpr int record_tile = $records$;     // records of a table
constexpr int depth = factors * record_tile;
// Tables are [k][row] and [k][column]. Lines lie so that no two lanes meet in a bank.
constexpr int row_pitch = row_tile + 4, column_pitch = column_tile + 4;
constexpr int table_size = depth * (row_pitch + column_pitch);

// Integers, |a| < 2^51, by an addition: its last bits are those of the nearest integer.
__device__ __forceinline__ double round_(double a) {
  return (a + 6755399441055744.0) - 6755399441055744.0;
}
// -a where the integer b is odd.
__device__ __forceinline__ double negate_if_odd_(double a, double b) {
  const long long odd = __double_as_longlong(b + 6755399441055744.0) << 63;
  return __longlong_as_double(__double_as_longlong(a) ^ odd);
}
// a 2^b.
__device__ __forceinline__ double scale2_(double a, int b) {
  const long long exponent = 1023 + (b < -1022 ? -1022 : b > 1023 ? 1023 : b);
  return a * __longlong_as_double(exponent << 52);
}

#ifndef FACET_EMULATE // without a GPU, functions of these names take the fragments apart
// c += a b for a warp, [16][8] [8][8]. Lane = 4 group + member has a[group (+8)][member (+4)],
// b[member (+4)][group], c[group (+8)][2 member (+1)].
__device__ __forceinline__ void mma_m16n8k8(double (&c)[4], const double (&a)[4],
                                            const double (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
// The same for [8][4] [4][8].
__device__ __forceinline__ void mma_m8n8k4(double &c0, double &c1, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
}
#endif

__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[4],
                                             const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  mma_m16n8k8(c, a, b);
#else // sm_80 has the small product only: four of them, whose fragments are parts of the large one's
  mma_m8n8k4(c[0], c[1], a[0], b[0]);
  mma_m8n8k4(c[2], c[3], a[1], b[0]);
  mma_m8n8k4(c[0], c[1], a[2], b[1]);
  mma_m8n8k4(c[2], c[3], a[3], b[1]);
#endif
}

// What the term has of x and y, for one record and one row: a column of the table of rows.
__device__ __forceinline__ void row_factors(double *table$row_parameters$) {
$row_factors$}

// The rest, for one record and one z: the factors of each row factor in re and in im.
__device__ __forceinline__ void column_factors(double *table, bool is_record$column_parameters$) {
$column_factors$}

extern "C" __global__ void __launch_bounds__(threads, 1)
$symbol$($parameters$) {
  extern __shared__ double tables[]; // two, each of rows, then of columns
  const int thread = threadIdx.x, warp = thread / 32, group = thread % 32 / 4, member = thread % 4;
  const int rows = nx * ny, first_row = blockIdx.x * row_tile, first_z = blockIdx.y * z_tile;

  // A thread fills tables at one row and one z; beyond the last it repeats that one.
  const int my_row = thread % row_tile, my_z = thread % z_tile;
  const int row = first_row + my_row < rows ? first_row + my_row : rows - 1;
  const int z = first_z + my_z < nz ? first_z + my_z : nz - 1;
$axes$  const auto fill = [&](double *table, int first) {
    constexpr int row_step = threads / row_tile, z_step = threads / z_tile; // records at a time
#pragma unroll
    for (int step = 0; step < record_tile; step += row_step) {
      const int t = step + thread / row_tile;
      const int record = first + t < records ? first + t : records - 1;
      row_factors(table + t * factors * row_pitch + my_row$row_arguments$);
    }
#pragma unroll
    for (int step = 0; step < record_tile; step += z_step) {
      const int t = step + thread / z_tile;
      const int record = first + t < records ? first + t : records - 1;
      column_factors(table + depth * row_pitch + t * factors * column_pitch + 2 * my_z,
                     first + t < records$column_arguments$); // beyond the last: 0
    }
  };

  // A warp sums 64 rows and 32 columns, in registers.
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  double sums[4][4][4] = {}; // fragments c
  const auto multiply = [&](const double *table) {
    const double *row_at = table + member * row_pitch + warp_row + group;
    const double *column_at = table + depth * row_pitch + member * column_pitch + warp_column + group;
#pragma unroll
    for (int k = 0; k < depth; k += 8) {
      double a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int part = 0; part < 4; ++part)
          a[i][part] = row_at[(k + part / 2 * 4) * row_pitch + 16 * i + part % 2 * 8];
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int part = 0; part < 2; ++part)
          b[j][part] = column_at[(k + part * 4) * column_pitch + 8 * j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          multiply_add(sums[i][j], a[i], b[j]);
    }
  };

  if (records > 0)
    fill(tables, 0);
  __syncthreads();
  for (int first = 0, current = 0; first < records; first += record_tile, current ^= 1) {
    // A scheduler has two warps: one multiplies while the other fills the next table.
#pragma unroll 1
    for (int turn = 0; turn < 2; ++turn)
      if (turn == warp / 4)
        multiply(tables + current * table_size);
      else if (first + record_tile < records)
        fill(tables + (current ^ 1) * table_size, first + record_tile);
    __syncthreads();
  }

  // re and im of one z are neighbours, both in one lane.
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int to_row = first_row + warp_row + 16 * i + 8 * half + group;
        const int to_z = first_z + warp_column / 2 + 4 * j + member;
        if (to_row < rows && to_z < nz) {
          re[(long long)to_row * nz + to_z] = sums[i][j][2 * half];
          im[(long long)to_row * nz + to_z] = sums[i][j][2 * half + 1];
        }
      }
}
)";

constexpr int sharedBytes = 163 * 1024; // of a block, sm_80; later ones have more

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Records, then axes, re and im of each beside one another, then parameters.
struct ArgumentOrder {
  static auto key(const Argument &a) {
    const bool im = a.kind == ArgumentKind::AxisIm;
    return std::tuple(im ? ArgumentKind::AxisRe : a.kind, a.index, im);
  }
  bool operator()(const Argument &a, const Argument &b) const { return key(a) < key(b); }
};

/// One of the two functions of factors, and what it reads.
struct Part {
  std::string body;
  std::set<Argument, ArgumentOrder> reads;
};

bool isRecord(const Argument &a) {
  return a.kind == ArgumentKind::Narrow || a.kind == ArgumentKind::Wide;
}
std::string nameOf(const Argument &a) {
  if (isRecord(a))
    return a.kind == ArgumentKind::Wide ? "wide" : "narrow";
  if (a.kind == ArgumentKind::Param)
    return fmt::format("p{}", a.index);
  return fmt::format("q_{}{}", "xyz"[a.index], a.kind == ArgumentKind::AxisIm ? "_im" : "");
}

std::string parameters(const Part &part) {
  std::string text;
  for (const Argument &a : part.reads)
    text += (isRecord(a) ? ",\n    const double *" : ", double ") + nameOf(a);
  return text;
}

std::string given(const ir::Kernel &kernel, const Part &part) {
  std::string text;
  for (const Argument &a : part.reads)
    text += ", " + nameOf(a) +
            (isRecord(a) ? fmt::format(" + (long long)record * {}",
                                       packedColumns(kernel, a.kind == ArgumentKind::Wide).size())
                         : "");
  return text;
}

std::string leaf(const ir::Kernel &kernel, const ir::Value &value, Part &part) {
  const auto read = [&](ArgumentKind kind, int index = 0) {
    return nameOf(*part.reads.insert({kind, index}).first);
  };
  switch (value.op) {
  case Op::Packed: {
    const std::vector<std::string> narrow = packedColumns(kernel, false);
    const bool wide = std::ranges::find(narrow, value.name) == narrow.end();
    const std::vector<std::string> names = packedColumns(kernel, wide);
    return fmt::format("{}[{}]", read(wide ? ArgumentKind::Wide : ArgumentKind::Narrow),
                       std::ranges::find(names, value.name) - names.begin());
  }
  case Op::Axis:
    return read(value.part == ir::Part::Im ? ArgumentKind::AxisIm : ArgumentKind::AxisRe,
                value.component);
  case Op::Param:
    return read(ArgumentKind::Param, paramIndex(kernel, value));
  default:
    throw ir::Error{
        fmt::format("'{}' is left in the term after all passes", ir::info(value.op).spelling),
        value.loc};
  }
}

using Names = std::map<ir::Id, std::string>;

/// Statements for `roots`, and their names.
Names compute(const ir::Kernel &kernel, const std::set<ir::Id> &roots, Part &part) {
  ir::Region region{kernel.term.values, {}};
  for (const ir::Id root : roots)
    region.outputs.push_back({"", root});
  ir::prune(region);
  CppBody body = cppBody(region, CppForm::Double, "  ",
                         [&](const ir::Value &value) { return leaf(kernel, value, part); });
  // CUDA knows the functions by their plain names.
  replaceAll(body.statements, "__builtin_ldexp(", "scale2_(");
  replaceAll(body.statements, "__builtin_", "");
  part.body += body.statements;
  Names names;
  for (auto output = body.outputs.begin(); const ir::Id root : roots)
    names[root] = *output++;
  return names;
}

std::string text(const Product &product, const Names &names) {
  std::vector<std::string> factors;
  for (const ir::Id id : product)
    factors.push_back(names.at(id));
  return factors.empty() ? "1.0" : fmt::format("{}", fmt::join(factors, " * "));
}

std::string text(const Polynomial &polynomial, const Names &names) {
  std::string sum;
  for (const auto &[product, c] : polynomial) {
    sum += sum.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    sum += (std::fabs(c) == 1 ? "" : cppNumber(std::fabs(c)) + " * ") + text(product, names);
  }
  return sum;
}

Part rowPart(const ir::Kernel &kernel, std::vector<Product> rows, std::size_t factors) {
  Part part;
  std::set<ir::Id> roots;
  for (const Product &product : rows)
    roots.insert(product.begin(), product.end());
  const Names names = compute(kernel, roots, part);
  for (std::size_t j = 0; j < factors; ++j)
    part.body += fmt::format("  table[{} * row_pitch] = {};\n", j,
                             j < rows.size() ? text(rows[j], names) : "0.0");
  return part;
}

Part columnPart(const ir::Kernel &kernel, std::vector<std::array<Polynomial, 2>> columns,
                std::size_t factors) {
  Part part;
  std::set<ir::Id> roots;
  for (const auto &parts : columns)
    for (const Polynomial &polynomial : parts)
      for (const auto &[product, c] : polynomial)
        roots.insert(product.begin(), product.end());
  const Names names = compute(kernel, roots, part);
  columns.resize(factors);
  for (std::size_t j = 0; j < factors; ++j)
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string sum = text(columns[j][k], names);
      part.body += fmt::format("  table[{} * column_pitch + {}] = {};\n", j, k,
                               sum.empty() ? "0.0" : fmt::format("is_record ? {} : 0.0", sum));
    }
  return part;
}

/// Appends the kernel's arguments and their declaration; returns the axes at the thread's row and
/// z.
std::string declare(const Part &rows, const Part &columns, std::vector<Argument> &order,
                    std::string &declaration) {
  auto reads = rows.reads;
  reads.insert(columns.reads.begin(), columns.reads.end());
  order.assign(reads.begin(), reads.end());
  std::string axes;
  for (const Argument &a : order) {
    const std::string name = nameOf(a);
    if (a.kind == ArgumentKind::Param) {
      declaration += fmt::format("double {},\n    ", name);
      continue;
    }
    declaration +=
        fmt::format("const double *__restrict__ {}{},\n    ", isRecord(a) ? "" : "axis_", name);
    static constexpr const char *places[] = {"row / ny", "row % ny", "z"};
    if (!isRecord(a))
      axes += fmt::format("  const double {0} = axis_{0}[{1}];\n", name, places[a.index]);
  }
  order.insert(order.end(),
               {{ArgumentKind::Count}, {ArgumentKind::Out, 0}, {ArgumentKind::Out, 1}});
  declaration +=
      "int records, int nx, int ny, int nz, double *__restrict__ re, double *__restrict__ im";
  return axes;
}

std::string variable(const char *name) {
  const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing sets it here
  return value == nullptr ? "" : value;
}

bool isProgram(const std::string &path) {
  return std::filesystem::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::string find() {
  if (const std::string named = variable("FACET_NVCC"); !named.empty()) {
    if (!isProgram(named))
      throw ir::Error{fmt::format("FACET_NVCC={}: no program is there; set it to NVIDIA's nvcc, or "
                                  "take tensor=0",
                                  named)};
    return named;
  }
  std::string folders = variable("PATH");
  if (const std::string home = variable("CUDA_HOME"); !home.empty())
    folders += ":" + home + "/bin";
  folders += ":/usr/local/cuda/bin";
  for (std::string_view rest = folders; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (const std::string path = fmt::format("{}/nvcc", folder); isProgram(path))
      return path;
  }
  throw ir::Error{
      "tensor=1: sums on tensor cores are compiled by nvcc, which is neither in the PATH "
      "nor in $CUDA_HOME/bin nor in /usr/local/cuda/bin; install NVIDIA's CUDA toolkit, "
      "set FACET_NVCC to its nvcc, or take tensor=0"};
}

/// Throws ir::Error for another grid, and for a term that is not one complex number.
void mustFit(const ir::Kernel &kernel) {
  if (kernel.grid != ir::GridKind::Product)
    throw ir::Error{"tensor cores sum over product grids: --grid=product"};
  if (kernel.term.outputs.size() != 2)
    throw ir::Error{fmt::format("the term has {} real sums, and tensor cores sum the real and the "
                                "imaginary part of one number: take tensor=0 for this kernel",
                                kernel.term.outputs.size())};
}

} // namespace

Products products(const ir::Region &term) {
  Products made;
  for (std::size_t part = 0; part < std::min<std::size_t>(2, term.outputs.size()); ++part) {
    std::map<std::pair<Product, Product>, double> split; // by row factor and column factor
    for (const passes::Product &product : expansion(term, term.outputs[part].value)) {
      std::pair<Product, Product> factors;
      for (const ir::Id id : product.factors)
        (ir::hasRow(term[id].domain) ? factors.first : factors.second).push_back(id);
      split[factors] += product.number.real();
    }
    for (const auto &[factors, c] : split) {
      if (c == 0)
        continue;
      const auto at = std::find(made.rows.begin(), made.rows.end(), factors.first);
      const auto j = static_cast<std::size_t>(at - made.rows.begin());
      if (at == made.rows.end()) {
        made.rows.push_back(factors.first);
        made.columns.emplace_back();
      }
      made.columns[j][part][factors.second] += c;
    }
  }
  return made;
}

CudaSum cuda(const ir::Kernel &kernel, const std::string &symbol) {
  mustFit(kernel);
  const Products split = products(kernel.term);
  // An even number, so that a few records fill the 8 k of a fragment: one more factor may be 0.
  const std::size_t factors = (split.rows.size() + 1) / 2 * 2;
  const int records = factors <= 2 ? 8 : 4;
  const int bytes = 2 * static_cast<int>(factors) * records * (rowTile + 2 * zTile + 8) * 8;
  if (bytes > sharedBytes)
    throw ir::Error{fmt::format("the term has {} factors of x and y: their tables take {} bytes "
                                "of shared memory, a block has {}; take tensor=0 for this "
                                "kernel",
                                split.rows.size(), bytes, sharedBytes)};
  const Part rows = rowPart(kernel, split.rows, factors),
             columns = columnPart(kernel, split.columns, factors);
  CudaSum sum{kernelText, {}, bytes};
  std::string declared = "\n    ";
  const std::string axes = declare(rows, columns, sum.arguments, declared);
  const std::pair<const char *, std::string> words[] = {
      {"name", kernel.name},
      {"symbol", symbol},
      {"work",
       fmt::format("so that the {} products of a row factor and a column factor are {} real",
                   2 * split.rows.size(), 2 * factors)},
      {"rows", std::to_string(rowTile)},
      {"z", std::to_string(zTile)},
      {"threads", std::to_string(threads)},
      {"bytes", std::to_string(bytes)},
      {"factors", std::to_string(factors)},
      {"records", std::to_string(records)},
      {"row_factors", rows.body},
      {"row_parameters", parameters(rows)},
      {"row_arguments", given(kernel, rows)},
      {"column_factors", columns.body},
      {"column_parameters", parameters(columns)},
      {"column_arguments", given(kernel, columns)},
      {"axes", axes},
      {"parameters", declared}};
  for (const auto &[word, with] : words)
    replaceAll(sum.text, fmt::format("${}$", word), with);
  return sum;
}

void compile(const std::string &text, const std::string &image) {
  const std::string nvcc = find(), source = image + ".cu";
  std::ofstream(source) << text;
  runTool({nvcc, "-std=c++17", "-fatbin", "-gencode=arch=compute_80,code=sm_80",
           "-gencode=arch=compute_90,code=[sm_90,compute_90]", source, "-o", image},
          "CUDA compiler");
}

} // namespace facet::lower::tensor
