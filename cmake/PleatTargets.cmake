# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
#
# pleat_folder(NAME SOURCES ... [USES folders...] [PRIVATE libraries...])
#   One static library a folder of src/pleat. USES names folders above it in the table of
#   docs/architecture.md; PRIVATE names outside libraries that no header of the folder shows.
# pleat_test(FOLDER SOURCES ... [USES folders...] [LABELS ...])
#   One GoogleTest binary a folder, registered with CTest case by case.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Targets that find_package() makes are seen by a project that adds this one with
# add_subdirectory() and links pleat::pleat (CMake 3.24; older versions need find_package() there).
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(PLEAT_CCACHE ccache)
if(PLEAT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PLEAT_CCACHE}")
endif()

# --- flags of our own targets; pleat::pleat hands none of them on -----------------------------------------------------------------
add_library(pleat_flags INTERFACE)
target_include_directories(pleat_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(pleat_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> # wrong about std::string in g++ 12 (its bug 105651)
    -Wno-missing-field-initializers   # designated initialisers leave the rest at its default
    -ffp-contract=off            # the same bits whether or not the compiler may fuse
    -fno-math-errno)
if(PLEAT_WERROR)
    target_compile_options(pleat_flags INTERFACE -Werror)
endif()
if(PLEAT_ASSERTS)
    target_compile_definitions(pleat_flags INTERFACE PLEAT_ASSERTS=1)
endif()

if(PLEAT_ARCH STREQUAL "auto")
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("
        int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
        PLEAT_HOST_HAS_AVX2)
    if(PLEAT_HOST_HAS_AVX2)
        target_compile_options(pleat_flags INTERFACE -march=x86-64-v3)
    endif()
elseif(NOT PLEAT_ARCH STREQUAL "none")
    target_compile_options(pleat_flags INTERFACE -march=${PLEAT_ARCH})
endif()

if(PLEAT_SANITIZE)
    target_compile_options(pleat_flags INTERFACE -fsanitize=${PLEAT_SANITIZE}
        -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(pleat_flags INTERFACE -fsanitize=${PLEAT_SANITIZE})
endif()
if(PLEAT_FUZZ)
    target_compile_options(pleat_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# --- targets -----------------------------------------------------------------------------------
function(pleat_folder name)
    cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE" ${ARGN})
    add_library(pleat_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(pleat_${name} PUBLIC pleat_flags)
    foreach(folder IN LISTS ARG_USES)
        target_link_libraries(pleat_${name} PUBLIC pleat_${folder})
    endforeach()
    target_link_libraries(pleat_${name} PRIVATE ${ARG_PRIVATE})
endfunction()

function(pleat_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE" ${ARGN})
    add_executable(test_${name} ${ARG_SOURCES})
    foreach(folder IN LISTS ARG_USES)
        target_link_libraries(test_${name} PRIVATE pleat_${folder})
    endforeach()
    target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(test_${name} PRIVATE ${ARG_PRIVATE} GTest::gmock GTest::gtest_main)
    target_compile_definitions(test_${name} PRIVATE
        PLEAT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PLEAT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    set_target_properties(test_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    # Against hangs; the longest long test takes ten minutes on two idle cores, and sanitizers are
    # up to twenty times slower.
    set(most_seconds 1200)
    if(PLEAT_SANITIZE)
        set(most_seconds 7200)
    endif()
    gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 TEST_PREFIX "${name}/"
        TEST_FILTER "-*Long*" PROPERTIES TIMEOUT ${most_seconds})
    gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 TEST_PREFIX "${name}/"
        TEST_FILTER "*Long*" PROPERTIES TIMEOUT 7200)
endfunction()
