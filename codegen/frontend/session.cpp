// session.cpp - sets a Clang instance up without a driver: no search for tool chains, no system
// headers, so that parsing a small kernel takes milliseconds and gives the same on every machine.
// And C++ text to an object file by such an instance.
#include "codegen/frontend/session.h"
#include "codegen/frontend/embedded.h"
#include "codegen/frontend/frontend.h"
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>

namespace facet::frontend {

namespace {

/// The built-in headers and `file`, and with Disk::Read what is on disk.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesOf(const MemoryFile &file, Disk disk) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (std::size_t k = 0; k < embeddedFileCount; ++k) {
    const EmbeddedFile &header = embeddedFiles[k];
    const llvm::StringRef text(reinterpret_cast<const char *>(header.bytes), header.size);
    memory->addFile((headerFolder + "/facet/" + header.name).str(), 0,
                    llvm::MemoryBuffer::getMemBuffer(text, header.name));
  }
  memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBuffer(file.text, file.path));
  if (disk == Disk::Hidden)
    return memory;
  auto both =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  both->pushOverlay(memory);
  return both;
}

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

std::unique_ptr<clang::CompilerInstance> makeSession(const std::vector<std::string> &arguments,
                                                     clang::DiagnosticConsumer &consumer,
                                                     const MemoryFile &file, Disk disk) {
  std::vector<const char *> all = {"-triple",
                                   "x86_64-unknown-linux-gnu",
                                   "-x",
                                   "c++",
                                   "-std=c++20",
                                   "-nostdsysteminc",
                                   "-nobuiltininc",
                                   "-internal-isystem",
                                   headerFolder.data(),
                                   "-D",
                                   "FACET_COMPILER",
                                   "-fgnuc-version=4.2.1"};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  all.push_back(file.path.c_str());
  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, all, instance->getDiagnostics()))
    return nullptr;
  instance->setInvocation(std::move(invocation));
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  instance->createFileManager(filesOf(file, disk));
  return instance;
}

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
