// parts.h - what the files of the library builder share: names, links, text pieces.
#pragma once
#include "codegen/lower/library/library.h"
#include "schedules/targets.h"

namespace facet::lower {

std::string_view gridName(ir::GridKind grid); // "product", "points"
std::string_view qName(bool complexQ);        // "real", "complex"
/// "born_points_real_f32_careful": what the functions of a variant are called after.
std::string variantName(const LibraryPlan &plan, const CompiledVariant &variant);
/// The resolver of the request's variants; it keeps references into the request.
VariantResolver resolverOf(const LibraryRequest &request);
/// The sum of a variant for one target, ready for emit.
SumKernel sumKernel(const LibraryPlan &plan, const CompiledVariant &variant,
                    const std::string &target);
/// The tile a call should take (facet_variant.tile).
std::array<int, 3> tileOf(const SumKernel &sum);
/// "facetc 0.1.0, Halide 21.0.0, LLVM 19.1.7".
std::string versions(const LibraryPlan &plan);

/// C++ of the adapter with the signature of facet_sum_fn, for the sum called `symbol`.
std::string cppAdapter(const CompiledVariant &variant, const std::string &symbol, int blockT);
/// What adapters use; once a file.
std::string_view cppAdapterPrelude();
/// The same for a sum of a device, by dsl/facet/device_call.h.
std::string cppDeviceAdapter(const CompiledVariant &variant, const SumKernel &sum);
/// "FACET_CPU", "FACET_OPENCL", "FACET_CUDA".
std::string_view interfaceOf(const std::string &target);
bool isDevice(const std::string &target);
/// The devices among the targets of a library.
std::vector<const schedules::TargetInfo *> devicesOf(const LibraryPlan &plan);

/// Compiles C++ text. Throws ir::Error: `what`, "does not compile:" and the messages.
void compileText(const CompileCpp &compile, const std::string &text, const std::string &name,
                 const std::string &object, const std::string &what);
/// The object of a sum: Halide's, or, with the knob `tensor`, `sum.symbol`_image: nvcc's code.
void emitObject(const LibraryRequest &request, const SumKernel &sum, const std::string &object);
/// Links objects with the system linker; the result shows the names `exported` only. Throws
/// ir::Error if there is none or it fails.
void link(LibraryForm form, const std::vector<std::string> &objects, const std::string &path,
          const std::vector<std::string> &exported);

} // namespace facet::lower
