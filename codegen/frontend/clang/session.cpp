// session.cpp - sets a Clang instance up without a driver: no search for tool chains, no system
// headers, so that parsing a small kernel takes milliseconds and gives the same on every machine.
#include "session.h"
#include "embedded.h"
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace facet::frontend {

std::unique_ptr<clang::CompilerInstance> makeSession(const std::vector<std::string> &arguments,
                                                     clang::DiagnosticConsumer &consumer,
                                                     const MemoryFile &file, Disk disk) {
  std::vector<std::string> all = {"-triple",
                                  "x86_64-unknown-linux-gnu",
                                  "-x",
                                  "c++",
                                  "-std=c++20",
                                  "-nostdsysteminc",
                                  "-nobuiltininc",
                                  "-internal-isystem",
                                  headerFolder.str(),
                                  "-D",
                                  "FACET_COMPILER",
                                  "-fgnuc-version=4.2.1"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back(file.path);
  std::vector<const char *> pointers;
  pointers.reserve(all.size());
  for (const std::string &argument : all)
    pointers.push_back(argument.c_str());

  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (std::size_t k = 0; k < embeddedFileCount; ++k) {
    const EmbeddedFile &header = embeddedFiles[k];
    const llvm::StringRef text(reinterpret_cast<const char *>(header.bytes), header.size);
    memory->addFile((headerFolder + "/facet/" + header.name).str(), 0,
                    llvm::MemoryBuffer::getMemBuffer(text, header.name));
  }
  memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBuffer(file.text, file.path));
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = memory;
  if (disk == Disk::Read) {
    auto both =
        llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    both->pushOverlay(memory);
    files = both;
  }

  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, instance->getDiagnostics()))
    return nullptr;
  instance->setInvocation(std::move(invocation));
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  instance->createFileManager(std::move(files));
  return instance;
}

} // namespace facet::frontend
