// SPDX-License-Identifier: MIT
// Uses an installed Tendril from C: grows a fork and prints its mass.

#include <stdio.h>
#include <string.h>
#include <tendril/tendril.h>

int main(void) {
    const char *text = "axiom: !(0.02)F(1)[+(30)F(0.5)][-(30)F(0.5)]\n";
    td_skeleton *skeleton = NULL;
    if (td_skeleton_from_text(text, strlen(text), NULL, &skeleton, NULL) != TD_OK) {
        return 1;
    }
    printf("tendril %s: %d segments\n", td_version(), td_skeleton_count(skeleton));
    int fine = td_skeleton_count(skeleton) == 3;
    td_skeleton_free(skeleton);
    return fine ? 0 : 1;
}
