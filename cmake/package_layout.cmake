# CPack runs this between installing and packing: the settings of a service lie in /etc, not in /usr/etc,
# every package has its licence and its changes where Debian looks for them, and what Debian wants compressed
# is. What has a date has that of SOURCE_DATE_EPOCH, where it is set.
function(cairn_compress file)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The package that a component, or a group of them, becomes.
function(cairn_package_of part out)
  string(TOUPPER ${part} part)
  set(${out} "${CPACK_DEBIAN_${part}_PACKAGE_NAME}" PARENT_SCOPE)
endfunction()

function(cairn_documents root package)
  set(docs ${root}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${docs})
  configure_file(${CPACK_CAIRN_SOURCE}/packaging/debian/copyright ${docs}/copyright COPYONLY)
  configure_file(${CPACK_CAIRN_SOURCE}/CHANGELOG.md ${docs}/CHANGELOG.md COPYONLY)
  cairn_compress(${docs}/CHANGELOG.md)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${docs}/changelog "cairn (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed stands in CHANGELOG.md.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  cairn_compress(${docs}/changelog)
endfunction()

# Shared libraries lie in the folder of their architecture, and pkg-config looks for its file there.
function(cairn_of_architecture root)
  set(there ${root}/usr/lib/${CPACK_CAIRN_ARCHITECTURE})
  file(GLOB libraries ${root}/usr/lib/*.so ${root}/usr/lib/*.so.*)
  foreach(library ${libraries})
    get_filename_component(name ${library} NAME)
    file(MAKE_DIRECTORY ${there})
    file(RENAME ${library} ${there}/${name})
  endforeach()
  set(package_config ${root}/usr/lib/pkgconfig/cairn-objects.pc)
  if(EXISTS ${package_config})
    file(READ ${package_config} text)
    string(REGEX REPLACE "prefix=[^\n]*\nlibdir=[^\n]*" "prefix=/usr\nlibdir=\${prefix}/lib/${CPACK_CAIRN_ARCHITECTURE}"
           text "${text}")
    file(WRITE ${there}/pkgconfig/cairn-objects.pc "${text}")
    file(REMOVE_RECURSE ${root}/usr/lib/pkgconfig)
  endif()
endfunction()

file(GLOB roots ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
foreach(root ${roots})
  get_filename_component(part ${root} NAME)
  cairn_package_of(${part} package)
  if(NOT IS_DIRECTORY ${root}/usr OR NOT package)
    continue()
  endif()
  cairn_documents(${root} ${package})
  cairn_of_architecture(${root})
  set(judged ${CPACK_CAIRN_SOURCE}/packaging/debian/${package}.lintian-overrides)
  if(EXISTS ${judged})
    configure_file(${judged} ${root}/usr/share/lintian/overrides/${package} COPYONLY)
  endif()
  # The licence stands in copyright.
  file(REMOVE_RECURSE ${root}/usr/share/doc/cairn-objects)
  if(IS_DIRECTORY ${root}/usr/etc)
    file(RENAME ${root}/usr/etc ${root}/etc)
    cairn_compress(${root}/usr/share/man/man1/cairn.1)
    cairn_compress(${root}/usr/share/man/man5/cairn.yaml.5)
  endif()
endforeach()
