// object.cpp - C++ text to an object file in this process: compileObject.
#include "codegen/frontend/frontend.h"
#include "session.h"
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>

namespace facet::frontend {

namespace {
void initialiseTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}
} // namespace

std::string compileObject(const std::string &text, const std::string &name,
                          const std::string &objectPath) {
  initialiseTarget();
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::TextDiagnosticPrinter printer(stream, options.get());

  const MemoryFile file{"/facet/generated/" + name + ".cpp", text};
  // As the driver would for `-O2 -fPIC -fno-math-errno -w`; contraction only within an expression.
  const auto instance =
      makeSession({"-O2", "-vectorize-loops", "-vectorize-slp", "-mrelocation-model", "pic",
                   "-pic-level", "2", "-mframe-pointer=none", "-ffp-contract=on", "-fno-rtti", "-w",
                   "-emit-obj", "-o", objectPath},
                  printer, file, Disk::Read);
  if (!instance)
    return messages.empty() ? "the compiler could not be set up" : messages;
  instance->setVerboseOutputStream(llvm::nulls()); // no "1 error generated"
  clang::EmitObjAction action;
  const bool done = instance->ExecuteAction(action);
  stream.flush();
  if (done)
    return {};
  return messages.empty() ? "compiling " + name + " failed" : messages;
}

} // namespace facet::frontend
