// SPDX-License-Identifier: MIT
// Signs of a printed book: Greek letters by their names, arrows, signs of comparison.

#include "grammar/glyphs.h"

#include <stdbool.h>
#include <string.h>

typedef struct glyph {
    const char *bytes; // UTF-8
    const char *plain;
} glyph;

// longer ones first
static const glyph signs[] = {
    {"\xe2\x88\x92\xe2\x86\x92", "-->"}, // minus and arrow: a long arrow, copied from print
    {"\xe2\x86\x92", "-->"},             // arrow to the right
    {"\xe2\x9f\xb6", "-->"},             // long arrow to the right
    {"\xe2\x88\x92", "-"},               // minus
    {"\xe2\x80\x93", "-"},               // en dash, which stands for minus in many prints
    {"\xe2\x89\xa4", "<="},              // less than or equal to
    {"\xe2\x89\xa5", ">="},              // greater than or equal to
    {"\xe2\x89\xa0", "!="},              // not equal to
    {"\xc3\x97", "*"},                   // multiplication sign
    {"\xc2\xb7", "*"},                   // middle dot
    {"\xe2\x88\x97", "*"},               // asterisk operator
    {"\xe2\x80\xb2", "'"},               // prime
    {"\xe2\x80\x99", "'"},               // apostrophe
    {"\xc2\xb0", ""},                    // degrees: angles are in degrees anyway
    {"\xcb\x9a", ""},                    // ring above, ring operator and white bullet: degrees
    {"\xe2\x88\x98", ""},                // in text copied from print
    {"\xe2\x97\xa6", ""},
    {"\xc2\xa0", " "}, // space that does not break
};

static const glyph digits[] = {
    {"\xe2\x82\x80", "0"}, {"\xe2\x82\x81", "1"}, {"\xe2\x82\x82", "2"}, {"\xe2\x82\x83", "3"},
    {"\xe2\x82\x84", "4"}, {"\xe2\x82\x85", "5"}, {"\xe2\x82\x86", "6"}, {"\xe2\x82\x87", "7"},
    {"\xe2\x82\x88", "8"}, {"\xe2\x82\x89", "9"},
};

static const glyph letters[] = {
    {"\xce\xb1", "alpha"}, {"\xce\xb2", "beta"},    {"\xce\xb3", "gamma"},
    {"\xce\xb4", "delta"}, {"\xce\xb5", "epsilon"}, {"\xce\xb6", "zeta"},
    {"\xce\xb7", "eta"},   {"\xce\xb8", "theta"},   {"\xce\xb9", "iota"},
    {"\xce\xba", "kappa"}, {"\xce\xbb", "lambda"},  {"\xce\xbc", "mu"},
    {"\xce\xbd", "nu"},    {"\xce\xbe", "xi"},      {"\xce\xbf", "omicron"},
    {"\xcf\x80", "pi"},    {"\xcf\x81", "rho"},     {"\xcf\x83", "sigma"},
    {"\xcf\x84", "tau"},   {"\xcf\x85", "upsilon"}, {"\xcf\x86", "phi"},
    {"\xcf\x87", "chi"},   {"\xcf\x88", "psi"},     {"\xcf\x89", "omega"},
    {"\xcf\x95", "phi"},   {"\xcf\xb5", "epsilon"}, {"\xcf\x91", "theta"},
    {"\xc2\xb5", "mu"},    {"\xce\x93", "Gamma"},   {"\xce\x94", "Delta"},
    {"\xce\x98", "Theta"}, {"\xce\x9b", "Lambda"},  {"\xce\xa0", "Pi"},
    {"\xce\xa3", "Sigma"}, {"\xce\xa6", "Phi"},     {"\xce\xa8", "Psi"},
    {"\xce\xa9", "Omega"},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static const glyph *find(const glyph *table, size_t count, const char *text, size_t size) {
    if (size == 0 || (unsigned char)text[0] < 0x80) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(table[i].bytes);
        if (length <= size && memcmp(table[i].bytes, text, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static size_t length_of(const glyph *g) {
    return g ? strlen(g->bytes) : 0;
}

size_t tdi_glyph_letter(const char *text, size_t size) {
    return length_of(find(letters, COUNT(letters), text, size));
}

size_t tdi_glyph_digit(const char *text, size_t size) {
    return length_of(find(digits, COUNT(digits), text, size));
}

size_t tdi_glyph_plain(const char *text, size_t size, const char **plain) {
    const glyph *g = find(letters, COUNT(letters), text, size);
    g = g ? g : find(digits, COUNT(digits), text, size);
    g = g ? g : find(signs, COUNT(signs), text, size);
    *plain = g ? g->plain : "";
    return length_of(g);
}
