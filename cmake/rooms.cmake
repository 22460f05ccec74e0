# A room is src/<name>/: every *.cc is part of its library, every *_test.cc of its test program,
# *_bench.cc of its benchmark. Adding a file needs no change here. A room without sources is an
# interface target, so that the table in CMakeLists.txt can name it before it is furnished.
set(CAIRN_ROOMS "" CACHE INTERNAL "")

# Compiles up to so many files of a target as one, where CAIRN_UNITY asks for it. Names in the
# anonymous namespaces of a room are therefore each used once. The kernels stay apart: each of
# their files is the same arithmetic for another instruction set.
function(cairn_unity target files_at_once)
  string(REGEX REPLACE "_(test|in_objects)$" "" room ${target})
  if(CAIRN_UNITY AND NOT target STREQUAL "kernels" AND NOT room IN_LIST CAIRN_APART)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                          UNITY_BUILD_BATCH_SIZE ${files_at_once})
    # A local name that another file's constant has is no fault; builds without unity look for
    # those of one file.
    target_compile_options(${target} PRIVATE -Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # What a file declares for itself g++ takes for a header's, as another file includes it.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# The objects of a room's files that are part of libcairn-objects: <room>_in_objects.
function(cairn_room_in_objects name sources)
  add_library(${name}_in_objects OBJECT ${sources})
  target_include_directories(${name}_in_objects PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name}_in_objects PUBLIC ${ARGN} Threads::Threads)
  # At once, so that what files share stands in the archive once; and what computes little without
  # gaps between its functions and before its loops: the archive has a bound.
  cairn_optimise_little(${name}_in_objects ${name} 128)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(name STREQUAL "objectclient")
      # What is seldom taken stays in its function: apart it has a frame and names of its own.
      target_compile_options(${name}_in_objects PRIVATE -fno-align-functions -fno-align-loops
                                                        -fno-align-jumps
                                                        -fno-reorder-blocks-and-partition)
    elseif(NOT name STREQUAL "base")
      target_compile_options(${name}_in_objects PRIVATE -fno-align-functions)
    endif()
  endif()
endfunction()

# Rooms that compute most of what tests wait for. Under AddressSanitizer these are optimised a little; the
# others run for less time than it takes to optimise them, so they are compiled as they are.
set(CAIRN_COMPUTING base os format kernels text script store index inference objectstore)
# Rooms whose tests compute much by themselves; the same holds for these in every build.
set(CAIRN_COMPUTING_TESTS kernels text index objectstore nodes)
# Rooms that have other code for other processors: their tests run as the program is shipped, too.
set(CAIRN_SHIPPED_TESTS base os kernels)

# How many files become one: of what is not optimised reading headers is the greater part.
function(cairn_optimise_little target room files_at_once)
  if(CAIRN_SANITIZE MATCHES "address" AND NOT CAIRN_FUZZ_COMPARES AND NOT room IN_LIST CAIRN_COMPUTING)
    target_compile_options(${target} PRIVATE -O0)
    set(files_at_once 48)
  endif()
  cairn_unity(${target} ${files_at_once})
endfunction()

# A page of the documentation that the program serves: `name` of api/pages.h.
function(cairn_page name file)
  if(NOT TARGET api)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
  file(READ ${CMAKE_SOURCE_DIR}/${file} CAIRN_PAGE)
  set(CAIRN_PAGE_NAME ${name})
  set(made ${CMAKE_BINARY_DIR}/pages/${name}.cc)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/page.cc.in ${made} @ONLY)
  target_sources(api PRIVATE ${made})
endfunction()

# What the program says of the bodies and answers of its operations: the texts of api/descriptions.h,
# in the order of their names.
function(cairn_schemas folder)
  if(NOT TARGET api)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.json)
  set(CAIRN_SCHEMAS "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND CAIRN_SCHEMAS "    R\"=json=(${text})=json=\",\n")
  endforeach()
  set(made ${CMAKE_BINARY_DIR}/pages/schemas.cc)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/schemas.cc.in ${made} @ONLY)
  target_sources(api PRIVATE ${made})
endfunction()

function(cairn_room_test name)
  if(CAIRN_UNIT_TESTS STREQUAL "shipped" AND NOT name IN_LIST CAIRN_SHIPPED_TESTS)
    return()
  endif()
  add_executable(${name}_test ${ARGN})
  target_link_libraries(${name}_test PRIVATE ${name} doctest_main)
  cairn_optimise_little(${name}_test ${name} 10)
  if(name IN_LIST CAIRN_COMPUTING_TESTS)
    target_compile_options(${name}_test PRIVATE -O1)
  else()
    target_compile_options(${name}_test PRIVATE -O0 -U_FORTIFY_SOURCE)
  endif()
  if(CAIRN_FUZZ)  # nobody asks which way a test takes
    target_compile_options(${name}_test PRIVATE -fno-sanitize-coverage=${CAIRN_COUNTED})
  endif()
  add_dependencies(unit_tests ${name}_test)
  add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_property(TEST ${name} PROPERTY LABELS unit)
endfunction()

function(cairn_room name)
  cmake_parse_arguments(ROOM "" "" "LINK" ${ARGN})
  if(CAIRN_ONLY STREQUAL "objects" AND NOT DEFINED CAIRN_OBJECTS_${name})
    return()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(sources ${files})
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|/main)\\.cc$")
  cairn_objects_files(${name} "${sources}" in_objects sources)
  if(in_objects)
    cairn_room_in_objects(${name} "${in_objects}" ${ROOM_LINK})
  endif()
  set(kind PUBLIC)
  if(CAIRN_ONLY OR NOT (sources OR in_objects))
    add_library(${name} INTERFACE)
    set(kind INTERFACE)
  else()
    add_library(${name} STATIC ${sources})
    cairn_optimise_little(${name} ${name} 16)
    if(in_objects)
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_in_objects>)
      set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    endif()
  endif()
  target_include_directories(${name} ${kind} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} ${kind} ${ROOM_LINK} Threads::Threads)
  set(CAIRN_ROOMS ${CAIRN_ROOMS} ${name} CACHE INTERNAL "")
  if(CAIRN_ONLY)
    return()
  endif()
  if(CAIRN_TESTS AND tests)
    cairn_room_test(${name} ${tests})
  endif()
endfunction()

# src/app/main.cc is the program.
function(cairn_programs)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/app/main.cc)
    add_executable(cairn ${CMAKE_SOURCE_DIR}/src/app/main.cc)
    target_link_libraries(cairn PRIVATE app)
    install(TARGETS cairn RUNTIME COMPONENT program)
  endif()
endfunction()
