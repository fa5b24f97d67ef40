// SPDX-License-Identifier: MIT
#pragma once

// The file `specifications` of a model's folder in the Virtual Laboratory.

#include "tendril/base.h"

#define TDI_FILE_NAME 160

// The files that cpfg is started with; "" where there is none.
typedef struct tdi_specification {
    char model[TDI_FILE_NAME];
    char view[TDI_FILE_NAME];
    char colors[TDI_FILE_NAME]; // .map or .mat
} tdi_specification;

// The first line that starts cpfg with the model of that file name, or with any when `model` is "".
// False when there is none.
bool tdi_specification_read(const char *text, size_t size, const char *model,
                            tdi_specification *out);
