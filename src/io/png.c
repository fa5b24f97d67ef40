// SPDX-License-Identifier: MIT
// PNG files without compression.
//
// Format   a signature, then chunks: length, type, data, and a checksum (CRC-32) of type and data.
//          Pixels are a zlib stream of rows, each after the number of its filter (0: none). The
//          stream is made of stored blocks of at most 65535 bytes and ends with its Adler-32.

#include "io/png.h"

#include <string.h>

#define CHUNK       12 // bytes of a chunk beside its data
#define HEAD        13 // data of the first chunk
#define PALETTE     768
#define STORED      65535
#define BLOCK_HEAD  5
#define STREAM_ENDS 6 // two bytes before the blocks and four after

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static uint64_t row_size(const tdi_image *image) {
    return 1 + (uint64_t)image->width * (image->palette ? 1 : 3);
}

static uint64_t stream_size(const tdi_image *image) {
    uint64_t raw = row_size(image) * (uint64_t)image->height;
    return STREAM_ENDS + raw + BLOCK_HEAD * ((raw + STORED - 1) / STORED);
}

uint64_t tdi_png_size(const tdi_image *image) {
    uint64_t palette = image->palette ? CHUNK + PALETTE : 0;
    return sizeof signature + CHUNK + HEAD + palette + CHUNK + stream_size(image) + CHUNK;
}

// ---- chunks ---------------------------------------------------------------------------------

static uint8_t *put_word(uint8_t *to, uint32_t word) { // high byte first
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> (24 - 8 * i));
    }
    return to + 4;
}

// the polynomial 0xedb88320 of the format, bit by bit
static uint32_t crc_of(const uint8_t *data, size_t size) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

// `data` lies behind its head already
static uint8_t *end_chunk(uint8_t *chunk, const char *type, size_t size) {
    put_word(chunk, (uint32_t)size);
    memcpy(chunk + 4, type, 4);
    return put_word(chunk + 8 + size, crc_of(chunk + 4, size + 4));
}

// ---- the stream -----------------------------------------------------------------------------

// byte `at` of all rows, their filters among them
static uint8_t raw_byte(const tdi_image *image, uint64_t at) {
    uint64_t row = at / row_size(image), in_row = at % row_size(image);
    return in_row == 0 ? 0 : image->pixels[row * (row_size(image) - 1) + in_row - 1];
}

static void put_stream(const tdi_image *image, uint8_t *to) {
    uint64_t raw = row_size(image) * (uint64_t)image->height;
    uint32_t a = 1, b = 0; // Adler-32: sums modulo 65521
    *to++ = 0x78;
    *to++ = 0x01;
    for (uint64_t from = 0; from < raw; from += STORED) {
        uint32_t size = (uint32_t)(raw - from < STORED ? raw - from : STORED);
        *to++ = from + size == raw; // the last block
        *to++ = (uint8_t)size;
        *to++ = (uint8_t)(size >> 8);
        *to++ = (uint8_t)~size;
        *to++ = (uint8_t)(~size >> 8);
        for (uint32_t i = 0; i < size; i++) {
            *to = raw_byte(image, from + i);
            a = (a + *to++) % 65521;
            b = (b + a) % 65521;
        }
    }
    put_word(to, b << 16 | a);
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_png_write(const tdi_image *image, uint8_t *out) {
    memcpy(out, signature, sizeof signature);
    out += sizeof signature;
    uint8_t *head = put_word(put_word(out + 8, (uint32_t)image->width), (uint32_t)image->height);
    head[0] = 8;                      // bits a number
    head[1] = image->palette ? 3 : 2; // palette, or red, green and blue
    head[2] = head[3] = head[4] = 0;  // the one compression, the one filter, no interlacing
    out = end_chunk(out, "IHDR", HEAD);
    if (image->palette) {
        memcpy(out + 8, image->palette, PALETTE);
        out = end_chunk(out, "PLTE", PALETTE);
    }
    put_stream(image, out + 8);
    out = end_chunk(out, "IDAT", (size_t)stream_size(image));
    end_chunk(out, "IEND", 0);
}
