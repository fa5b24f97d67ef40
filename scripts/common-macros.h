// SPDX-License-Identifier: MIT
// Names that other headers define as macros, each as something that does not compile: no public
// name may be one of them. scripts/check-headers.sh includes it before every public header.

#define TAKEN ) taken by a macro (

// <windows.h> and what it brings along
#define near         TAKEN
#define far          TAKEN
#define NEAR         TAKEN
#define FAR          TAKEN
#define small        TAKEN
#define hyper        TAKEN
#define interface    TAKEN
#define pascal       TAKEN
#define cdecl        TAKEN
#define CDECL        TAKEN
#define CALLBACK     TAKEN
#define min          TAKEN
#define max          TAKEN
#define rad1         TAKEN
#define rad2         TAKEN
#define psh1         TAKEN
#define grp1         TAKEN
#define chx1         TAKEN
#define lst1         TAKEN
#define stc1         TAKEN
#define edt1         TAKEN
#define frm1         TAKEN
#define scr1         TAKEN
#define IN           TAKEN
#define OUT          TAKEN
#define OPTIONAL     TAKEN
#define CONST        TAKEN
#define VOID         TAKEN
#define TRUE         TAKEN
#define FALSE        TAKEN
#define ERROR        TAKEN
#define NO_ERROR     TAKEN
#define DELETE       TAKEN
#define IGNORE       TAKEN
#define INFINITE     TAKEN
#define ABSOLUTE     TAKEN
#define RELATIVE     TAKEN
#define OPAQUE       TAKEN
#define TRANSPARENT  TAKEN
#define PASSTHROUGH  TAKEN
#define RGB          TAKEN
#define STRICT       TAKEN
#define THIS         TAKEN
#define PURE         TAKEN
#define DrawText     TAKEN
#define LoadImage    TAKEN
#define GetObject    TAKEN
#define GetMessage   TAKEN
#define SendMessage  TAKEN
#define CreateWindow TAKEN
#define Yield        TAKEN

// <X11/Xlib.h>
#define None     TAKEN
#define Bool     TAKEN
#define Status   TAKEN
#define True     TAKEN
#define False    TAKEN
#define Always   TAKEN
#define Success  TAKEN
#define Above    TAKEN
#define Below    TAKEN
#define Complex  TAKEN
#define Convex   TAKEN
#define Unsorted TAKEN
#define FocusIn  TAKEN
#define KeyPress TAKEN

// C libraries and compilers
#undef unix
#undef linux
#define unix    TAKEN
#define linux   TAKEN
#define major   TAKEN
#define minor   TAKEN
#define makedev TAKEN
#define environ TAKEN
#define errno   TAKEN
#define stdin   TAKEN
#define stdout  TAKEN
#define stderr  TAKEN
#define I       TAKEN
#define complex TAKEN
#define pixel   TAKEN
#define assert  TAKEN
#define check   TAKEN
#define verify  TAKEN
#define require TAKEN
#define nil     TAKEN
#define Nil     TAKEN
#define YES     TAKEN
#define NO      TAKEN
