# Debian's libraries, each behind one interface target so that a room names what it uses and
# nothing else sees the include paths.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.74 REQUIRED)

function(cairn_pkg target)
  pkg_check_modules(${target} REQUIRED IMPORTED_TARGET GLOBAL ${ARGN})
  add_library(cairn_${target} INTERFACE)
  target_link_libraries(cairn_${target} INTERFACE PkgConfig::${target})
endfunction()

cairn_pkg(openssl openssl)
cairn_pkg(simdjson simdjson)
cairn_pkg(pugixml pugixml)
cairn_pkg(digests openssl libisal libxxhash)
cairn_pkg(compression zlib libzstd)
add_library(cairn_beast INTERFACE)
target_include_directories(cairn_beast SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
if(CAIRN_ONLY)
  return()  # the client library needs no others
endif()

cairn_pkg(icu icu-uc icu-i18n)
cairn_pkg(yaml yaml-cpp)
cairn_pkg(gumbo gumbo)
cairn_pkg(cmark libcmark)
cairn_pkg(hiredis hiredis)
cairn_pkg(rocksdb rocksdb)
add_library(cairn_stemmer INTERFACE)
target_link_libraries(cairn_stemmer INTERFACE stemmer)
