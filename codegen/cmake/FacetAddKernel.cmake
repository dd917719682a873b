# FacetAddKernel.cmake - compiles a kernel file into a target.
#
#   facet_add_kernel(TARGET KERNEL.cpp|KERNEL.fir
#                    [NAME name]         the kernel, where the file holds several or is named otherwise
#                    [TARGETS t ...]     sse41 avx2 avx512, native or all (default: all)
#                    [CLASSES c ...]     f32 f32-careful f64 (default: all)
#                    [GRIDS g ...]       product points (default: both)
#                    [Q k ...]           real cplx (default: all that the kernel's Grid allows)
#                    [ALGORITHMS a ...]  direct separable nufft (default: all that the kernel allows)
#                    [SCHEDULES file])   tuned knobs (facet tune); of them those that hold on this machine
#
# TARGET can then #include "NAME.h", which declares facet_kernel_NAME(); it links facet::facet_dsl for
# <facet/abi.h>. Link facet::facet_runtime to plan and execute it. The library itself is not kept:
# nothing is compiled when the program runs.
function(facet_add_kernel target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME;SCHEDULES" "TARGETS;CLASSES;GRIDS;Q;ALGORITHMS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "facet_add_kernel(${target} ${source}): not understood: "
                        "${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "facet_add_kernel(${target} ${source}): there is no target ${target}")
  endif()
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "facet_add_kernel(${target}): no such kernel file: ${source}")
  endif()
  cmake_path(GET source STEM name)
  set(options "")
  if(arg_NAME)
    set(name ${arg_NAME})
    list(APPEND options --kernel=${name})
  endif()
  foreach(pair TARGETS=--targets CLASSES=--class GRIDS=--grid Q=--q ALGORITHMS=--algorithms)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 word)
    list(GET pair 1 option)
    if(arg_${word})
      list(JOIN arg_${word} "," values)
      list(APPEND options ${option}=${values})
    endif()
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.facet)
  set(schedules "")
  file(MAKE_DIRECTORY ${folder})
  if(arg_SCHEDULES)
    cmake_path(ABSOLUTE_PATH arg_SCHEDULES NORMALIZE)
    if(NOT EXISTS ${arg_SCHEDULES})
      message(FATAL_ERROR "facet_add_kernel(${target}): no such schedule file: ${arg_SCHEDULES}")
    endif()
    list(APPEND options --schedules=${folder}/${name}.schedules.json)
    set(schedules ${folder}/${name}.schedules.json)
    # Lists the entries too, with the reasons of those that are refused.
    add_custom_command(OUTPUT ${folder}/${name}.schedules.json
      COMMAND facet::facet tune --list --schedules ${arg_SCHEDULES} --json ${folder}/${name}.schedules.json
      DEPENDS ${arg_SCHEDULES} facet::facet
      COMMENT "facet kernel ${name} (schedules)" VERBATIM)
  endif()
  foreach(emit object=o header=h)
    string(REGEX MATCH "^[a-z]+" stage ${emit})
    string(REGEX MATCH "[a-z]$" ending ${emit})
    add_custom_command(OUTPUT ${folder}/${name}.${ending}
      COMMAND facet::facetc ${source} --emit=${stage} ${options} -o ${folder}/${name}.${ending}
      DEPENDS ${source} ${schedules} facet::facetc
      COMMENT "facet kernel ${name} (${stage})" VERBATIM)
  endforeach()
  set_source_files_properties(${folder}/${name}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${folder}/${name}.o ${folder}/${name}.h)
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE facet::facet_dsl m)
endfunction()
