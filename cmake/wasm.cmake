# Toolchain: WebAssembly with clang and wasi-libc, as Debian packages them.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(WASM_CLANG NAMES clang-14 clang REQUIRED)
set(CMAKE_C_COMPILER ${WASM_CLANG})
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Without -msimd128: it gains nothing; see docs/decisions/wasm.md.
set(CMAKE_C_FLAGS_INIT "-Wno-unused-command-line-argument -nostdlibinc -isystem /usr/include/wasm32-wasi")
# wasm-opt, if it is on the path, may be older than the code: link as is
set(CMAKE_EXE_LINKER_FLAGS_INIT "-O0")
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(TENDRIL_NO_THREADS ON)
