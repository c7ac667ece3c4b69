# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
#
# cmake --install: libpleat with its headers and package (find_package(pleat)), the program with its
# man page and completions.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS pleat_library EXPORT pleatTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# Headers that are private to their folder may show outside libraries; they stay behind.
file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/src" CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/src/pleat/*.hpp")
foreach(header IN LISTS headers)
    file(STRINGS "${PROJECT_SOURCE_DIR}/src/${header}" private_note REGEX "Private to this folder")
    if(private_note OR header MATCHES "^pleat/render/")
        continue()
    endif()
    get_filename_component(folder "${header}" DIRECTORY)
    install(FILES "${PROJECT_SOURCE_DIR}/src/${header}"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
endforeach()

find_package(OpenMP COMPONENTS CXX) # whose result pleatConfig.cmake.in asks for
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/pleat")
install(EXPORT pleatTargets NAMESPACE pleat:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/pleatConfig.cmake.in pleatConfig.cmake
    INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file(pleatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/pleatConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/pleatConfigVersion.cmake"
    DESTINATION "${package_folder}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(PLEAT_APP)
    install(TARGETS pleat RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(FILES man/pleat.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES completions/pleat.bash
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME pleat)
    install(FILES completions/_pleat DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
endif()
