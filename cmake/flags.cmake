# One place for compiler and linker flags. Baseline x86-64-v2; kernels choose wider code at run time.
set(warnings_end_it -Werror)
if(CAIRN_ONLY)  # a library that others build meets compilers that we have not
  set(warnings_end_it "")
endif()
add_compile_options(
  -march=x86-64-v2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough ${warnings_end_it}
  -fno-omit-frame-pointer -fstack-protector-strong)
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(CAIRN_ONLY AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2")
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees uninitialised members in std::variant and in intrinsics where there are none.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's stable_sort calls a function that C++20 marks deprecated.
  add_compile_options(-Wthread-safety -Wno-gnu-zero-variadic-macro-arguments
                      -Wno-deprecated-declarations)
endif()
if(CAIRN_SANITIZE)
  add_compile_options(-fsanitize=${CAIRN_SANITIZE} -fno-sanitize-recover=all)
  if(CAIRN_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # AddressSanitizer ends what these would find, but later: a null or dangling object is no memory. A
    # file of room index takes a fifth less without them.
    add_compile_options(-fno-sanitize=null,object-size,vptr,function)
    if(NOT CAIRN_FUZZ_COMPARES)
      # Checked at each access to a member: two fifths of an object file, where nothing is optimised. At night
      # all of it is.
      add_compile_options(-fno-sanitize=alignment)
    endif()
  endif()
  add_link_options(-fsanitize=${CAIRN_SANITIZE})
endif()
if(CAIRN_FUZZ)  # the fuzzer sees which branches an input takes, and counts how many
  if(CAIRN_FUZZ_COMPARES)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
  set(CAIRN_COUNTED inline-8bit-counters,pc-table,trace-pc-guard)
  add_compile_options(-fsanitize-coverage=${CAIRN_COUNTED})
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CAIRN_CCACHE ccache)
if(CAIRN_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CAIRN_CCACHE})
endif()
find_program(CAIRN_MOLD mold)
if(CAIRN_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
add_link_options(-Wl,-z,relro,-z,now)

# Links take memory; compile jobs take cores.
set_property(GLOBAL PROPERTY JOB_POOLS link=2)
set(CMAKE_JOB_POOL_LINK link)
