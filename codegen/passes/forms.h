// forms.h - which fast algorithms a kernel's term allows, found from the domains of its values.
#pragma once
#include "passes.h"

namespace facet::passes {

/// What an algorithm would make of a term, or why it cannot.
struct Form {
  bool possible = false;
  int terms = 0;        // separable: tables of x, y and t (A of W = A1 + g A2); nufft: transforms
  int waves = 0;        // nufft: different phases, each a set of points to transform
  int totals = 0;       // sums over records that have no q in them
  int scalars = 0;      // nufft: of q, in which strengths are interpolated
  bool lowRank = false; // nufft: no wave has points
  int fma = 0;          // separable: multiply-adds a record and q-point; nufft: 0
  std::string reason{}; // what forbids it, the expression as it is written first; empty: possible
  ir::Loc loc{};        // of that expression in the kernel file
};
struct Forms {
  Form separable, nufft;
  bool means = false; // the term has means over triangles: these forms need nodes
};

/// Both forms of a kernel as the front end gives it, for q real or complex.
Forms formsOf(const ir::Kernel &source, bool complexQ);
/// The same kernel with the sums of its components as outputs, without an origin.
ir::Kernel ofComponents(const ir::Kernel &source);
/// Whether the term holds a mean over a triangle (mean_cis, mean_cism1).
bool hasMeans(const ir::Kernel &source);

/// A term that does not have the requested form: thrown by quadrature, separate and transform.
/// `message` says why and begins with the expression, whose operation is at loc.
struct Refusal : ir::Error {
  ir::Op op = ir::Op::Number;
  std::string why{}; // the message without the expression
};
/// Throws the refusal of a value; `why` goes on from the expression.
[[noreturn]] void refuse(const ir::Region &region, ir::Id id, const std::string &why);
/// The message with the expression as the source writes it, if its place is found there.
std::string reasonText(const Refusal &refusal, const ir::Kernel &source);

/// The scalars of q of a kernel after interpolate, as the source writes them: "norm2(q)".
std::vector<std::string> scalarNames(const ir::Kernel &kernel, const ir::Kernel &source);

/// Both forms for people: what depends on what, formulas, costs, and the expression that forbids
/// one, quoted from the kernel file's text.
std::string explain(const ir::Kernel &source, const std::string &file, const std::string &text);

/// Characters of an expression in a message: a longer one is cut.
inline constexpr std::size_t expressionRoom = 160;
/// The text, or its beginning and " ...": at most `room` characters.
std::string cut(std::string text, std::size_t room);
/// A value as a person writes it: "t.area * dot(q, t.normal)"; cut to `room` characters.
std::string infix(const ir::Region &region, ir::Id id, std::size_t room = expressionRoom);
/// The same as a factor: a sum in parentheses.
std::string infixFactor(const ir::Region &region, ir::Id id);

} // namespace facet::passes
