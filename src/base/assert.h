// SPDX-License-Identifier: MIT
#pragma once

// What must hold unless we made a mistake. Checked in debug and sanitizer builds: what is broken is
// printed with its place, and the program stops. Nothing is left of it in a release.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TDI_ASSERTS 1
#endif
#endif

#ifndef TDI_ASSERTS
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TDI_ASSERTS 1
#else
#define TDI_ASSERTS 0
#endif
#endif

#if TDI_ASSERTS
__attribute__((noreturn)) void tdi_assert_failed(const char *file, int line,
                                                 const char *expression);
#define TDI_ASSERT(condition) \
    ((condition) ? (void)0 : tdi_assert_failed(__FILE__, __LINE__, #condition))
#else
#define TDI_ASSERT(condition) ((void)sizeof(!(condition)))
#endif
