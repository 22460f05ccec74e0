# libcairn-objects, the client library on its own: one static archive of room objectclient and of
# those files below it that it needs, its public headers, and what finds them (CMake, pkg-config).
# `cmake -S . -B build -DCAIRN_ONLY=objects` builds nothing else.

# Files of each room that are part of the library: what stands here is compiled once, for the
# library and the room alike. tests/package fails when one is missing.
set(CAIRN_OBJECTS_base assert checksum compress encode hash result strings)
set(CAIRN_OBJECTS_os blocking clock deadline files log random secret_file thread trace)
set(CAIRN_OBJECTS_format dates json json_parse json_strict json_write xml xml_parse)
set(CAIRN_OBJECTS_net address body call_trace client client_pool head_parser message
    shared_secret_tls tls transport url)
set(CAIRN_OBJECTS_ratelimit pacing retry retry_signs)
set(CAIRN_OBJECTS_s3 asymmetric canonical checksum chunked dialect error_body errors form_policy operation
    operation_buckets operation_control operation_directory operation_grants operation_metadata
    operation_objects operation_settings shape shapes signing wire xml_body)
set(CAIRN_OBJECTS_objectclient *)  # all of them

# What is installed: the headers of src/objectclient/README.md, and what they include.
set(CAIRN_OBJECTS_HEADERS
    base/result.h base/threads.h base/assert.h
    os/clock.h os/deadline.h os/random.h
    net/client/client.h net/http/message.h net/options.h
    ratelimit/client/pacing.h ratelimit/client/retry.h
    s3/operations/access_operations.h s3/operations/attribute_operations.h s3/operations/bucket_operations.h
    s3/operations/control_operations.h s3/operations/directory_operations.h s3/operations/grant_operations.h
    s3/operations/lifecycle_operations.h s3/operations/list_operations.h s3/operations/lock_operations.h s3/operations/metadata_operations.h
    s3/model.h s3/operations/multipart_operations.h s3/operations/object_operations.h s3/operations/operation.h
    s3/operations/setting_operations.h s3/operations/shape.h s3/operations/tagging_operations.h s3/operations/values.h
    objectclient/access_grants.h objectclient/body.h objectclient/client.h
    objectclient/credentials.h objectclient/global_options.h objectclient/host_names.h objectclient/option_table.h
    objectclient/options.h objectclient/pages.h objectclient/presign.h objectclient/profiles.h
    objectclient/response.h objectclient/service_errors.h objectclient/setting.h
    objectclient/streams.h objectclient/stubs.h objectclient/environment.h objectclient/token_watch.h
    objectclient/tokens.h
    objectclient/transfer.h objectclient/value.h objectclient/waiters.h)
set(CAIRN_OBJECTS_NEEDS openssl libisal zlib libzstd simdjson pugixml fmt)

# Splits the sources of a room: those of the library, and the others.
function(cairn_objects_files room sources in_library others)
  set(inside "")
  foreach(file ${sources})
    get_filename_component(name ${file} NAME_WE)
    if("*" STREQUAL "${CAIRN_OBJECTS_${room}}" OR name IN_LIST CAIRN_OBJECTS_${room})
      list(APPEND inside ${file})
    endif()
  endforeach()
  list(REMOVE_ITEM sources ${inside} "")
  set(${in_library} ${inside} PARENT_SCOPE)
  set(${others} ${sources} PARENT_SCOPE)
endfunction()

# Writes the public headers as programs see them: all of them below cairn/objects/, those of room
# objectclient at its top, so that no name of a room stands where a program's own headers do. The
# rules for clients of limits have nothing to do with objects: they stand in cairn/ratelimit/.
function(cairn_objects_headers folder)
  file(MAKE_DIRECTORY ${folder})
  foreach(header ${CAIRN_OBJECTS_HEADERS})
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 ${CMAKE_SOURCE_DIR}/src/${header})
    string(REGEX REPLACE "^objectclient/" "" name ${header})
    string(REGEX REPLACE "^ratelimit/client/" "../ratelimit/" name ${name})
    list(APPEND names ${name})
    # file(READ) and lists would take semicolons and brackets of C++ for their own.
    execute_process(
      COMMAND sed -E -e "s,^#include \"objectclient/,#include \"cairn/objects/,"
              -e "s,^#include \"ratelimit/client/,#include \"cairn/ratelimit/,"
              -e "s,^#include \"(base|os|net|s3)/,#include \"cairn/objects/\\1/,"
              ${CMAKE_SOURCE_DIR}/src/${header}
      OUTPUT_FILE ${folder}/one.h COMMAND_ERROR_IS_FATAL ANY)
    get_filename_component(place ${folder}/cairn/objects/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${place})
    # What has not changed is left alone, so that nothing is compiled again for nothing.
    file(COPY_FILE ${folder}/one.h ${folder}/cairn/objects/${name} ONLY_IF_DIFFERENT)
  endforeach()
  # What is no longer public is no longer there.
  file(GLOB_RECURSE there RELATIVE ${folder}/cairn/objects ${folder}/cairn/objects/*.h)
  list(REMOVE_ITEM there ${names})
  foreach(old ${there})
    file(REMOVE ${folder}/cairn/objects/${old})
  endforeach()
  file(REMOVE ${folder}/one.h)
endfunction()

# The same objects as a shared library, libcairn-objects.so.0.1 for version 0.1.
function(cairn_objects_shared)
  set(map ${CMAKE_BINARY_DIR}/package/objects.map)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/objects.map.in ${map} @ONLY)
  add_library(cairn-objects-shared SHARED)
  foreach(room base os format net ratelimit s3 objectclient)
    target_sources(cairn-objects-shared PRIVATE $<TARGET_OBJECTS:${room}_in_objects>)
  endforeach()
  set_target_properties(
    cairn-objects-shared PROPERTIES EXPORT_NAME objects-shared OUTPUT_NAME cairn-objects LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${map})
  target_link_options(cairn-objects-shared PRIVATE -Wl,--version-script=${map})
  target_link_libraries(cairn-objects-shared PRIVATE Threads::Threads PkgConfig::cairn_objects_needs)
  install(TARGETS cairn-objects-shared LIBRARY COMPONENT objects_shared
          NAMELINK_COMPONENT objects_namelink)
endfunction()

# After the rooms: the archive and how it is installed.
function(cairn_objects_library)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  pkg_check_modules(cairn_objects_needs REQUIRED IMPORTED_TARGET ${CAIRN_OBJECTS_NEEDS})
  add_library(cairn-objects STATIC)
  add_library(cairn::objects ALIAS cairn-objects)
  foreach(room base os format net ratelimit s3 objectclient)
    target_sources(cairn-objects PRIVATE $<TARGET_OBJECTS:${room}_in_objects>)
  endforeach()
  set_target_properties(cairn-objects PROPERTIES EXPORT_NAME objects LINKER_LANGUAGE CXX)
  target_compile_features(cairn-objects INTERFACE cxx_std_20)
  set(made ${CMAKE_BINARY_DIR}/package)
  cairn_objects_headers(${made}/include)
  target_include_directories(cairn-objects INTERFACE $<BUILD_INTERFACE:${made}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(cairn-objects PUBLIC Threads::Threads
                        PRIVATE PkgConfig::cairn_objects_needs)

  install(TARGETS cairn-objects EXPORT cairn-objects COMPONENT objects)
  install(DIRECTORY ${made}/include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT objects)
  set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cairn-objects)
  install(EXPORT cairn-objects NAMESPACE cairn:: FILE cairn-objects-targets.cmake
          DESTINATION ${cmake_folder} COMPONENT objects)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/cairn-objects-config.cmake.in
                                ${made}/cairn-objects-config.cmake
                                INSTALL_DESTINATION ${cmake_folder})
  # While the version begins with 0, a minor version may break programs.
  write_basic_package_version_file(${made}/cairn-objects-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${made}/cairn-objects-config.cmake ${made}/cairn-objects-config-version.cmake
          DESTINATION ${cmake_folder} COMPONENT objects)

  list(JOIN CAIRN_OBJECTS_NEEDS " " needs)
  file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/cairn-objects.pc.in ${made}/cairn-objects.pc @ONLY)
  install(FILES ${made}/cairn-objects.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT objects)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}-objects
          COMPONENT objects)
  # Whoever builds the library alone has the archive, unless it is asked for.
  if(NOT CAIRN_SANITIZE AND (NOT CAIRN_ONLY OR BUILD_SHARED_LIBS))
    cairn_objects_shared()
  endif()
endfunction()
