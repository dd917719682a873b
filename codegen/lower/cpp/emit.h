// emit.h - IR as C++ text: the functions of variants and transforms that are no sums, and whole
// kernels.
#pragma once
#include "codegen/ir/ir.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace facet::lower {

/// The two ways an op is written (ops.def).
enum class CppForm : std::uint8_t { Double, Language };

/// How `op` is written, with {0} {1} {2} for its operands and {3} for its type or component; empty
/// if it has no such form.
std::string cppForm(ir::Op op, CppForm form);
/// A double as C++ reads it back bit for bit. Negative numbers and others that would bind to a
/// neighbour come in parentheses.
std::string cppNumber(double value);

/// The statements of `region`, one a line, each `const T vN = ...;`. `leaf` names leaves; outputs
/// are left for the caller: `names[k]` receives what output k is called. Throws ir::Error for an op
/// the form lacks.
struct CppBody {
  std::string statements;
  std::vector<std::string> outputs;
};
CppBody cppBody(const ir::Region &region, CppForm form, std::string_view indent,
                const std::function<std::string(const ir::Value &)> &leaf);

/// Functions the emitted text uses; once a file.
std::string_view cppPrelude();

/// `static void NAME(...)` with the signature of facet_pack_fn: the region `pack` of a kernel after
/// all passes. Real outputs go to the narrow record (float or double), wide ones to the wide one.
std::string cppPack(const ir::Kernel &kernel, const std::string &name, bool narrowIsFloat);

/// `static void NAME(...)` with the signature of facet_finish_fn: the region `finish` of a kernel
/// after all passes. Strides 0 0 1 (a row of a product grid) and 1 1 1 (points) have loops of their
/// own.
std::string cppFinish(const ir::Kernel &kernel, const std::string &name);

/// `static void NAME(...)` with the signature of facet_waves_fn: the region `waves`, split; or the
/// strengths of one wave alone.
std::string cppWaves(const ir::Kernel &kernel, const std::string &name,
                     std::optional<std::size_t> only = {});

/// `static void NAME(...)` with the signature of facet_mixed_fn: the region `mixed`, split.
std::string cppMixed(const ir::Kernel &kernel, const std::string &name);

/// `static void NAME(...)` with the signature of facet_totals_fn: the region `totals`, split. Uses
/// facet::detail::compensated of <facet/reference.h>.
std::string cppTotals(const ir::Kernel &kernel, const std::string &name);

/// `static void NAME(...)` with the signature of facet_combine_fn: the region `finish` of a kernel
/// in transform form, split. Loops as in cppFinish.
std::string cppCombine(const ir::Kernel &kernel, const std::string &name);

/// `static void NAME(...)` with the signature of facet_scalars_fn: the region `scalars`, split.
/// Loops as in cppFinish.
std::string cppScalars(const ir::Kernel &kernel, const std::string &name);

/// A kernel before any pass as a kernel file of the language. Throws ir::Error for lowered ops.
std::string cppKernel(const ir::Kernel &kernel);

/// The columns of doubles that a kernel reads, in order: "area", "normal.x", ... Those with an axis
/// are not among them: see axisFields.
std::vector<std::string> columnNames(const ir::Kernel &kernel);
/// The place among them of a field or its component, or of a parameter. Throws ir::Error if
/// there is none.
int columnIndex(const ir::Kernel &kernel, const ir::Value &field);
int paramIndex(const ir::Kernel &kernel, const ir::Value &param);

/// Text for a comment: names of files and the words of a .fir file can hold ends of lines, and what
/// stands after one would be compiled.
std::string inComment(std::string text);

} // namespace facet::lower
