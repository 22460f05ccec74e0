# CPack runs this between installing and packing: the settings of a service lie in /etc, not in /usr/etc,
# and Debian's documents are compressed. What has a date has that of SOURCE_DATE_EPOCH, where it is set.
function(cairn_compress file)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB roots ${CPACK_TEMPORARY_INSTALL_DIRECTORY} ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
foreach(root ${roots})
  if(IS_DIRECTORY ${root}/usr/etc)
    file(RENAME ${root}/usr/etc ${root}/etc)
    cairn_compress(${root}/usr/share/man/man1/cairn.1)
    cairn_compress(${root}/usr/share/man/man5/cairn.yaml.5)
    set(docs ${root}/usr/share/doc/cairn)
    configure_file(${CPACK_CAIRN_SOURCE}/CHANGELOG.md ${docs}/CHANGELOG.md COPYONLY)
    cairn_compress(${docs}/CHANGELOG.md)
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE ${docs}/changelog "cairn (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed stands in CHANGELOG.md.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
    cairn_compress(${docs}/changelog)
  endif()
endforeach()
