include(GoogleTest)

# pagoda_add_library(NAME SOURCES... [LINK libraries...] [DEPENDS targets...])
#
# A static library of one room. Libraries of the compiler say COMPILER and
# then see MLIR's headers and link its shared library.
function(pagoda_add_library name)
  cmake_parse_arguments(ARG "COMPILER" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_LINK)
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
  endif()
  if(ARG_COMPILER)
    pagoda_use_mlir(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# pagoda_add_unittest(NAME SOURCES... LINK libraries...)
#
# A GoogleTest binary that lit finds by its name (…Tests) in one folder with all
# others, and whose tests ctest knows. COMPILER as above.
set(PAGODA_GTEST_DIR "${CMAKE_BINARY_DIR}/test/gtest")
function(pagoda_add_unittest name)
  cmake_parse_arguments(ARG "COMPILER" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest
                                        GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    PAGODA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # What tests of all rooms share.
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/test/unit)
  if(ARG_COMPILER)
    pagoda_use_mlir(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PAGODA_GTEST_DIR}")
  # Where compiled kernels are kept, as with lit.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES
    ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/test/cache")
  set_property(GLOBAL APPEND PROPERTY PAGODA_TEST_BINARIES ${name})
endfunction()
