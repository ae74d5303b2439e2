/*
 * goshim: bcryptprimitives.dll of a lab host, what Go programs need from Windows and Wine 8 lacks.
 *
 * Every Go program for Windows loads bcryptprimitives.dll (for ProcessPrng) before main. Wine 8 has
 * no such DLL, so one has to be supplied anyway, and its DllMain runs inside every Go process. Go
 * binds all other system calls by name, through GetProcAddress, when they are first used. So this
 * DLL replaces one slot of the program's import table (GetProcAddress) and hands out its own
 * version of a few functions. No machine code is patched; the program on disk is the upstream one.
 * On a real Windows the DLL does nothing but ProcessPrng.
 *
 *   linux.c     the Linux system calls the rest needs (a Wine process is a Linux process)
 *   links.c     symbolic links and socket files as Go sees, removes and renames them
 *   ntfiles.c   the same for the NT calls behind os.RemoveAll and os.Root
 *   sockets.c   AF_UNIX, over loopback TCP
 *   counters.c  performance counters
 *   power.c     the power cut at the n-th write
 *   services.c  output of services, two questions about them, and their end
 *   main.c      ProcessPrng, the hooks handed out, DllMain
 *
 * GOSHIM_LOG=C:\file logs what was emulated; GOSHIM_TRACE=1 also logs each name looked up;
 * GOSHIM_STDERR=C:\dir sends the output of a program without standard handles to
 * C:\dir\<program>.log.
 */
#ifndef GOSHIM_H
#define GOSHIM_H

#define _WIN32_WINNT 0x0A00
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include <winternl.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef IO_REPARSE_TAG_AF_UNIX
#define IO_REPARSE_TAG_AF_UNIX 0x80000023
#endif
#define UNIX_PATH_SIZE 1024

/* A function handed out instead of Wine's. "real" receives Wine's own; NULL where Wine may have
 * none. A table of them ends with an empty one. */
struct hook {
    const char *name;
    void *mine;
    void **real;
};
#define HOOK(function) {#function, (void *)my_##function, (void **)&real_##function}
#define HOOK_NEW(function) {#function, (void *)my_##function, NULL}

extern const struct hook link_hooks[], nt_hooks[], socket_hooks[], counter_hooks[], service_hooks[],
    power_hooks[];

/* main.c */
extern CRITICAL_SECTION lock;
void say(const char *format, ...);

/* linux.c: negative results are -errno */
int ux_readlink(const char *path, char *buffer, int size);
int ux_symlink(const char *target, const char *path);
int ux_unlink(const char *path);
void ux_unlink_lost(const char *directory);
int ux_rename(const char *from, const char *to);
int ux_truncate(const char *path, long long size);
void ux_kill_everything(void);
BOOL ux_isdir(const char *path);
DWORD ux_error(int result);
int ux_socket_port(const char *path);
int ux_socket_text(char *buffer, unsigned port);
DWORD ux_reparse_tag(const char *path);
extern char *(__cdecl *to_unix)(const WCHAR *);
extern WCHAR *(__cdecl *to_dos)(const char *);

/* links.c */
char *link_name(const WCHAR *dos);
void drop(void *heap);
HANDLE hold(char *unix_name);
BOOL held_name(HANDLE handle, char *out, size_t size);

/* power.c: power_write() before each change of the disk */
void power_from_file(void);
void power_write(void);
void power_renamed(const WCHAR *from, const WCHAR *to);

/* services.c: these replace the program's own imports too */
void services_start(void);
HANDLE WINAPI my_GetStdHandle(DWORD which);
void WINAPI my_ExitProcess(UINT code);
extern HANDLE(WINAPI *real_GetStdHandle)(DWORD);
extern void(WINAPI *real_ExitProcess)(UINT);

#endif
