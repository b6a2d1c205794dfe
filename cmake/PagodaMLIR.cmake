# Finds LLVM and MLIR 22 (Debian's packages) and tells targets how to use them.

set(pagoda_llvm_hint /usr/lib/llvm-22/lib/cmake)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS "${pagoda_llvm_hint}/mlir")
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# Debian ships lit beside the other tools; LLVM's own default points to a file
# that is not packaged.
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "lit")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_package(Python3 REQUIRED COMPONENTS Interpreter) # writes tables and pages

# The shared libraries keep links short: 0.2 s instead of 100 MB of archives.
function(pagoda_use_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS}
                                                      ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_link_libraries(${target} PUBLIC MLIR LLVM)
endfunction()
