# run.cmake - installs facet into a folder of its own, builds the project with it, runs its program.
#   cmake -DBUILD=... -DPROJECT=... -DWORK=... -P run.cmake
file(REMOVE_RECURSE ${WORK})
function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(code)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${text}")
  endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
# Moved after it was installed: nothing may depend on where it was.
file(RENAME ${WORK}/first ${WORK}/prefix)
step(${CMAKE_COMMAND} -S ${PROJECT} -B ${WORK}/build -DCMAKE_BUILD_TYPE=Release
     -DCMAKE_PREFIX_PATH=${WORK}/prefix)
step(${CMAKE_COMMAND} --build ${WORK}/build)
# No program and no library of the prefix looks for others in the build folder, or in the current one.
file(GLOB_RECURSE programs ${WORK}/prefix/bin/* ${WORK}/prefix/lib/*.so*)
foreach(program ${programs})
  execute_process(COMMAND readelf -d ${program} OUTPUT_VARIABLE dynamic)
  if(dynamic MATCHES "(RUNPATH|RPATH)[^[]*\\[([^]]*)]" AND CMAKE_MATCH_2 MATCHES "^:|::|:$|${BUILD}")
    message(FATAL_ERROR "${program} looks for libraries in '${CMAKE_MATCH_2}'")
  endif()
endforeach()
foreach(file man/man1/facet.1 bash-completion/completions/facet doc/facet/docs/language.md)
  if(NOT EXISTS ${WORK}/prefix/share/${file})
    message(FATAL_ERROR "the prefix has no share/${file}")
  endif()
endforeach()
# No compiler and no cache when it runs: the kernel is in the program.
step(${CMAKE_COMMAND} -E env FACETC=/nowhere/facetc FACET_CACHE=${WORK}/cache ${WORK}/build/fit)
if(EXISTS ${WORK}/cache)
  message(FATAL_ERROR "the program used the cache of compiled kernels")
endif()
file(REMOVE_RECURSE ${WORK})
