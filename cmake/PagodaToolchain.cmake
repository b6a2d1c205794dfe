# Compiler flags, ccache and the linker: what every target of the project
# shares, whichever preset configured it.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# A base directory makes ccache hit in a second clone of the repository.
find_program(PAGODA_CCACHE ccache)
if(PAGODA_CCACHE)
  set(pagoda_launcher "${CMAKE_COMMAND}" -E env
      "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${PAGODA_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${pagoda_launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${pagoda_launcher}")
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  find_program(PAGODA_LLD NAMES ld.lld-22 ld.lld)
  if(PAGODA_LLD)
    add_link_options("--ld-path=${PAGODA_LLD}")
  endif()
  add_compile_options(-Werror=return-type -fcolor-diagnostics)
endif()

if(PAGODA_SANITIZE)
  add_compile_options("-fsanitize=${PAGODA_SANITIZE}" -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${PAGODA_SANITIZE}")
endif()

include_directories("${CMAKE_SOURCE_DIR}/include" "${CMAKE_BINARY_DIR}/include")
find_package(Threads REQUIRED)
