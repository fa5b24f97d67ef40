# Installs the library for find_package(tendril) and for pkg-config, and the command.
include(CMakePackageConfigHelpers)

install(TARGETS tendril_ida EXPORT tendril-ida-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tendril_yaml EXPORT tendril-yaml-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tendril EXPORT tendril-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tendril DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TENDRIL_BUILD_COMMAND)
    install(TARGETS tendril_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # there when 'make player' and 'make viewer' have built them; else the command makes no pages
    install(FILES ${PROJECT_BINARY_DIR}/share/tendril/player.html
                  ${PROJECT_BINARY_DIR}/share/tendril/viewer.html
            DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril OPTIONAL)
    # plants and scenes, which 'tendril validate' and 'bench' take from there
    install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril)
    # manual pages and completions, which the command makes of its help texts
    if(NOT CMAKE_CROSSCOMPILING)
        set(made ${PROJECT_BINARY_DIR}/share)
        install(CODE "execute_process(COMMAND $<TARGET_FILE:tendril_command> man --into ${made}/man
                                      COMMAND_ERROR_IS_FATAL ANY)")
        foreach(shell bash zsh fish)
            install(CODE "execute_process(COMMAND $<TARGET_FILE:tendril_command> complete ${shell}
                                          OUTPUT_FILE ${made}/tendril.${shell} COMMAND_ERROR_IS_FATAL ANY)")
        endforeach()
        install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
        install(FILES ${made}/tendril.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
                RENAME tendril)
        install(FILES ${made}/tendril.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _tendril)
        install(FILES ${made}/tendril.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    endif()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tendril)
install(EXPORT tendril-targets NAMESPACE tendril:: DESTINATION ${package_dir})
install(EXPORT tendril-ida-targets NAMESPACE tendril:: DESTINATION ${package_dir})
install(EXPORT tendril-yaml-targets NAMESPACE tendril:: DESTINATION ${package_dir})
configure_package_config_file(cmake/tendril-config.cmake.in
    ${PROJECT_BINARY_DIR}/tendril-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tendril-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tendril-config.cmake
              ${PROJECT_BINARY_DIR}/tendril-config-version.cmake
        DESTINATION ${package_dir})

# relative to the file itself, so that `cmake --install --prefix` and a folder that moves are followed
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
set(pc_yaml "")
if(TENDRIL_HAS_YAML)
    set(pc_yaml ${TENDRIL_YAML_LIBRARY})
endif()
foreach(package tendril tendril-yaml)
    configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
