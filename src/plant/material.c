// SPDX-License-Identifier: MIT
// The library's materials.
//
// Figures are the middle of measured ranges where there are such ranges; `sources` says which, and
// says "picked" where a figure is our own choice. Damping times of 6 to 8 ms give a damping ratio
// zeta = pi f t of 0.04 to 0.05 at 2 Hz, which is what the wood itself does without the air.

#include "plant/store.h"

#include "base/guard.h"
#include "base/words.h"

#include <string.h>

// name, density, young, shear, poisson, damping_time, thickness, organ, color
static const td_material library[] = {
    {"green-wood", 700, 5e9, 5e9 / 15, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x7a5b3a},
    {"oak", 800, 6.1e9, 6.1e9 / 15, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x6b5336},
    {"branch", 700, 2.5e9, 2.5e9 / 15, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x7d6243},
    {"douglas-fir-branch", 650, 4e9, 4e9 / 18, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x6e4f38},
    {"willow-twig", 620, 1.2e9, 1.2e9 / 15, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x8f8a45},
    {"palm-trunk", 600, 2.4e9, 2.4e9 / 20, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x8a7a62},
    {"wheat-straw", 400, 5.7e9, 0.41e9, 0.3, 0.006, 0, TD_ORGAN_STEM, 0xd2b866},
    {"maize-rind", 700, 11e9, 11e9 / 18, 0.3, 0.006, 0, TD_ORGAN_STEM, 0x8fae54},
    {"giant-reed", 550, 5.8e9, 5.8e9 / 15, 0.3, 0.006, 0, TD_ORGAN_STEM, 0xa3ab5e},
    {"herb-stem", 950, 3e8, 3e8 / 12, 0.3, 0.008, 0, TD_ORGAN_STEM, 0x6f9a4a},
    {"petiole-dicot", 950, 3e8, 3e8 / 24.8, 0.3, 0.008, 0, TD_ORGAN_STEM, 0x7ba552},
    {"petiole-monocot", 900, 4e8, 4e8 / 63, 0.3, 0.008, 0, TD_ORGAN_STEM, 0x86ad58},
    {"tendril", 950, 1e8, 1e8 / 12, 0.3, 0.008, 0, TD_ORGAN_STEM, 0x8fb65a},
    {"hair", 1300, 3.9e9, 0.9e9, 0.4, 0.006, 0, TD_ORGAN_STEM, 0x3b2a20},
    {"rope", 900, 5e7, 1e7, 0.3, 0.02, 0, TD_ORGAN_STEM, 0xc8b48a},
    {"leaf", 850, 2e8, 2e8 / 24.8, 0.3, 0.008, 2.5e-4, TD_ORGAN_LEAF, 0x4c8c32},
    {"grass-blade", 850, 4e8, 4e8 / 63, 0.3, 0.008, 2e-4, TD_ORGAN_LEAF, 0x6fa23a},
    {"petal", 900, 5e7, 5e7 / 24.8, 0.3, 0.008, 1.5e-4, TD_ORGAN_PETAL, 0xe8799a},
    {"flower", 900, 1.5e8, 1.5e8 / 24.8, 0.3, 0.008, 2e-4, TD_ORGAN_FLOWER, 0xf0e3ec},
    {"fruit", 950, 3e8, 3e8 / 24.8, 0.3, 0.008, 0, TD_ORGAN_FRUIT, 0xc23b22},
    {"pod", 900, 3e8, 3e8 / 24.8, 0.3, 0.008, 1e-3, TD_ORGAN_FRUIT, 0x7fa04a},
};
#define LIBRARY_COUNT ((int32_t)(sizeof library / sizeof library[0]))

// In the library's order; apart from it, so that a program which does not show them is without
// them.
static const char *const sources[] = {
    // green-wood
    "living trunks: E 2.4 to 7.5 GPa, 5 picked; green wood 580 to 800 kg/m^3, 700 picked; wood "
    "E/G 10 to 25, 15 picked",
    // oak
    "green oak: E 6.1 GPa. Its specific gravity 0.58 counts dry mass only, so the upper end of "
    "green wood, 800 kg/m^3, was picked; wood E/G 10 to 25, 15 picked",
    // branch
    "living branches: E 0.7 to 4.6 GPa, 2.5 picked; green wood 580 to 800 kg/m^3, 700 picked; "
    "wood E/G 10 to 25, 15 picked",
    // douglas-fir-branch
    "Douglas-fir branches: E 4 GPa; green wood 580 to 800 kg/m^3, 650 picked; wood E/G 10 to "
    "25, 18 picked",
    // willow-twig
    "living branches: E 0.7 to 4.6 GPa, 1.2 picked for thin twigs; green wood 580 to 800 "
    "kg/m^3, 620 picked; wood E/G 10 to 25, 15 picked",
    // palm-trunk
    "living trunks: E 2.4 to 7.5 GPa, the lower end picked for a soft core; green wood 580 to "
    "800 kg/m^3, 600 picked; E/G 10 to 25, 20 picked",
    // wheat-straw
    "wheat straw: E 4.8 to 6.6 GPa and G 0.27 to 0.55 GPa, middles picked; 400 kg/m^3 picked "
    "for a hollow culm drawn as a solid one",
    // maize-rind
    "maize rind: E 6 to 16 GPa, 11 picked; straw E/G 10 to 25, 18 picked; 700 kg/m^3 picked",
    // giant-reed
    "giant reed: E 5.3 to 6.3 GPa, 5.8 picked; straw E/G 10 to 25, 15 picked; 550 kg/m^3 "
    "picked for a hollow culm drawn as a solid one",
    // herb-stem
    "herbaceous stems: E 10 to 500 MPa, 300 picked; E/G 10 to 25, 12 picked; 950 kg/m^3 "
    "picked, mostly water",
    // petiole-dicot
    "dicot petioles: EI/GJ 11.5 to 13.3, 12.4 picked, so E/G 24.8 for a round one; E 10 to 500 "
    "MPa, 300 picked; 950 kg/m^3 picked",
    // petiole-monocot
    "monocot petioles: EI/GJ 24 to 39, 31.5 picked, so E/G 63 for a round one; E 10 to 500 "
    "MPa, 400 picked; 900 kg/m^3 picked",
    // tendril
    "herbaceous stems: E 10 to 500 MPa, 100 picked for a young tendril; E/G 10 to 25, 12 "
    "picked; 950 kg/m^3 picked",
    // hair
    "human hair: E 3.9 GPa, G 0.9 GPa, 1300 kg/m^3; strands are 60 to 80 um across",
    // rope
    "all picked: fibres slide on each other, so a rope bends far more easily than its fibres "
    "stretch",
    // leaf
    "leaves and herbaceous tissue: E 10 to 500 MPa, 200 picked; EI/GJ of dicot petioles 11.5 "
    "to 13.3, 12.4 picked; 850 kg/m^3 and 0.25 mm picked",
    // grass-blade
    "leaves and herbaceous tissue: E 10 to 500 MPa, 400 picked; EI/GJ of monocot petioles 24 "
    "to 39, 31.5 picked; 850 kg/m^3 and 0.2 mm picked",
    // petal
    "herbaceous tissue: E 10 to 500 MPa, 50 picked; EI/GJ of dicot petioles 11.5 to 13.3, 12.4 "
    "picked; 900 kg/m^3 and 0.15 mm picked",
    // flower
    "herbaceous tissue: E 10 to 500 MPa, 150 picked for the pedicel; EI/GJ of dicot petioles "
    "11.5 to 13.3, 12.4 picked; 900 kg/m^3 and 0.2 mm picked",
    // fruit
    "herbaceous tissue: E 10 to 500 MPa, 300 picked for the pedicel; EI/GJ of dicot petioles "
    "11.5 to 13.3, 12.4 picked; 950 kg/m^3 picked",
    // pod
    "herbaceous tissue: E 10 to 500 MPa, 300 picked for the pedicel; EI/GJ of dicot petioles "
    "11.5 to 13.3, 12.4 picked; 900 kg/m^3 and walls of 1 mm picked",
};
_Static_assert(sizeof sources / sizeof sources[0] == sizeof library / sizeof library[0],
               "every material has a source");

int32_t td_material_count(void) {
    return LIBRARY_COUNT;
}

td_material td_material_get(int32_t index) {
    static const td_material none;
    return index >= 0 && index < LIBRARY_COUNT ? library[index] : none;
}

td_material td_material_default(void) {
    return library[0];
}

const char *td_material_source(int32_t index) {
    return index >= 0 && index < LIBRARY_COUNT ? sources[index] : "";
}

int32_t td_material_find(const char *name) {
    for (int32_t i = 0; i < LIBRARY_COUNT && name; i++) {
        if (strcmp(library[i].name, name) == 0) {
            return i;
        }
    }
    return TD_NONE;
}

const char *tdi_material_nearest(const char *name) {
    tdi_near_word near = {.word = name};
    for (int32_t i = 0; i < LIBRARY_COUNT; i++) {
        tdi_word_consider(&near, library[i].name);
    }
    return near.best;
}

// isotropic: G = E/(2(1 + nu))
td_real td_material_shear(const td_material *material) {
    if (!material) {
        return 0;
    }
    return material->shear > 0 ? material->shear : material->young / (2 * (1 + material->poisson));
}

const char *td_organ_name(td_organ organ) {
    static const char *const names[] = {"stem", "leaf", "petal", "flower", "fruit"};
    return (unsigned)organ < sizeof names / sizeof names[0] ? names[organ] : "unknown";
}
