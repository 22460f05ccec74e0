# What is installed besides the client library, and the Debian package: `cmake --install build/release
# --component program`, `cpack --config build/release/CPackConfig.cmake` (in any folder).
include(GNUInstallDirs)

function(cairn_package)
  set(made ${CMAKE_BINARY_DIR}/package)
  set(packaging ${CMAKE_SOURCE_DIR}/packaging)
  file(MAKE_DIRECTORY ${made})
  # What the program itself prints: every setting with its default, manual pages, completions.
  set(printed cairn.yaml cairn.1 cairn.yaml.5 cairn.bash _cairn cairn.fish)
  list(TRANSFORM printed PREPEND ${made}/)
  add_custom_command(OUTPUT ${printed}
                     COMMAND cairn config example > ${made}/cairn.yaml
                     COMMAND cairn help --man > ${made}/cairn.1
                     COMMAND cairn help --man cairn.yaml > ${made}/cairn.yaml.5
                     COMMAND cairn completion bash > ${made}/cairn.bash
                     COMMAND cairn completion zsh > ${made}/_cairn
                     COMMAND cairn completion fish > ${made}/cairn.fish
                     DEPENDS cairn COMMENT "Writing settings, manual pages and completions" VERBATIM)
  add_custom_target(package_files ALL DEPENDS ${printed})
  install(FILES ${made}/cairn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${made}/cairn.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT program)
  install(FILES ${made}/cairn.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME cairn COMPONENT program)
  install(FILES ${made}/_cairn DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
          COMPONENT program)
  install(FILES ${made}/cairn.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
          COMPONENT program)

  install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn/models
          COMPONENT program)
  install(FILES ${packaging}/systemd/cairn.service DESTINATION lib/systemd/system COMPONENT program)
  install(FILES ${packaging}/systemd/cairn.sysusers DESTINATION lib/sysusers.d RENAME cairn.conf
          COMPONENT program)
  install(FILES ${packaging}/systemd/cairn.tmpfiles DESTINATION lib/tmpfiles.d RENAME cairn.conf
          COMPONENT program)
  install(FILES ${made}/cairn.yaml DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/cairn COMPONENT program)
  install(DIRECTORY DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/cairn/conf.d COMPONENT program)
  install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT program)
  # Debian wants the licence under this name.
  install(FILES ${packaging}/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT program)
  install(DIRECTORY ${packaging}/monitoring DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
          COMPONENT program)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples
          DESTINATION ${CMAKE_INSTALL_DOCDIR}-doc COMPONENT documents
          REGEX "/(node_modules|__pycache__|build)$" EXCLUDE)
endfunction()

# Variables that CPack reads. No dates and no paths of this machine: the same tree gives the same bytes
# where SOURCE_DATE_EPOCH is set.
macro(cairn_debian_package)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME cairn)
  set(CPACK_PACKAGE_VENDOR Cairn)
  set(CPACK_PACKAGE_CONTACT "Cairn maintainers <maintainers@cairn.example>")
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "search, inference and object storage in one program")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_COMPONENTS_ALL program objects objects_namelink objects_shared documents)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
  set(debian ${CMAKE_SOURCE_DIR}/packaging/debian)

  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cairn)
  set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Cairn keeps documents and finds them by words and by meaning, runs the models
that this takes, and stores objects behind an API that S3 clients speak: one
program, one set of keys, one policy of limits.")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION database)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "git, poppler-utils")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
      "${debian}/postinst;${debian}/prerm;${debian}/postrm;${debian}/conffiles")

  # The name of the package says which programs the library goes with.
  set(shared libcairn-objects${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(CPACK_DEBIAN_OBJECTS_SHARED_PACKAGE_NAME ${shared})
  set(CPACK_DEBIAN_OBJECTS_SHARED_DESCRIPTION "client library for object storage
Every operation of S3-compatible object storage from C++, typed and by name:
signing, retries, large transfers in parts, pages, waiters.")
  set(CPACK_DEBIAN_OBJECTS_SHARED_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_OBJECTS_SHARED_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_OBJECTS_SHARED_PACKAGE_CONTROL_EXTRA "${debian}/triggers")
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

  # Its headers, its archive, and the link that -lcairn-objects follows.
  foreach(component objects objects_namelink)
    string(TOUPPER CPACK_COMPONENT_${component}_GROUP group)
    set(${group} development)
  endforeach()
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcairn-objects-dev)
  set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "client library for object storage (development files)
Headers, archive, and what CMake and pkg-config read.")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
      "${shared} (= ${PROJECT_VERSION}), libssl-dev, libisal-dev, zlib1g-dev, libzstd-dev, libsimdjson-dev, libpugixml-dev, libfmt-dev")

  set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_NAME cairn-doc)
  set(CPACK_DEBIAN_DOCUMENTS_DESCRIPTION "search, inference and object storage in one program (documents)
Guides, reference, decisions and examples of Cairn.")
  set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SECTION doc)
  set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_ARCHITECTURE all)
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_layout.cmake)
  set(CPACK_CAIRN_SOURCE ${CMAKE_SOURCE_DIR})
  set(CPACK_CAIRN_ARCHITECTURE ${CMAKE_LIBRARY_ARCHITECTURE})
  include(CPack)
endmacro()
