// linker.cpp - lld in this program, so that it needs no linker of the machine: `facetc ld.lld
// ARGUMENT ...`, for WebAssembly `facetc wasm-ld ARGUMENT ...`.
#include "driver.h"
#include <lld/Common/Driver.h>
#include <llvm/ADT/SmallVector.h>

LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(wasm)

// lld would generate code for every target of LLVM, which is half of LLVM, if bitcode came; none
// does.
#define OTHER(target)                                                                              \
  void LLVMInitialize##target##TargetInfo() {}                                                     \
  void LLVMInitialize##target##Target() {}                                                         \
  void LLVMInitialize##target##TargetMC() {}                                                       \
  void LLVMInitialize##target##AsmPrinter() {}                                                     \
  void LLVMInitialize##target##AsmParser() {}
extern "C" {
FACET_OTHER_TARGETS
}
#undef OTHER

namespace facet::driver {

int linkObjects(int count, char **arguments) {
  const llvm::SmallVector<const char *, 64> words(arguments, arguments + count);
  return lld::lldMain(words, llvm::outs(), llvm::errs(),
                      {{lld::Gnu, &lld::elf::link}, {lld::Wasm, &lld::wasm::link}})
      .retCode;
}

} // namespace facet::driver
