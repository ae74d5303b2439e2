/* linux.c: plain Linux system calls from inside a Windows program, and what a file really is. */
#include "goshim.h"

enum {
    NR_READ = 0,
    NR_OPEN = 2,
    NR_CLOSE = 3,
    NR_STAT = 4,
    NR_GETPID = 39,
    NR_KILL = 62,
    NR_TRUNCATE = 76,
    NR_RENAME = 82,
    NR_UNLINK = 87,
    NR_SYMLINK = 88,
    NR_READLINK = 89,
    NR_GETDENTS64 = 217
};
enum { SIGKILL_ = 9, EVERY_PROCESS = -1 };
enum { O_DIRECTORY_ = 0200000, O_CLOEXEC_ = 02000000, DT_LNK_ = 10, MOST_PATH = 4096 };
enum { S_IFMT_ = 0170000, S_IFDIR_ = 0040000, S_IFREG_ = 0100000 };

/* x86-64 struct stat: the mode is at 24, the size at 48. */
struct ux_stat {
    char start[24];
    DWORD mode;
    char middle[20];
    LONGLONG size;
    char rest[88];
};

struct ux_entry {
    LONGLONG inode, offset;
    WORD length;
    BYTE type;
    char name[];
};

char *(__cdecl *to_unix)(const WCHAR *);
WCHAR *(__cdecl *to_dos)(const char *);

/* "long" is 32 bits in the Windows ABI, hence long long. */
static long long system_call(long long number, const void *first, long long second,
                             long long third) {
    long long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

int ux_readlink(const char *path, char *buffer, int size) {
    int length = (int)system_call(NR_READLINK, path, (long long)(ULONG_PTR)buffer, size - 1);
    if (length >= 0)
        buffer[length] = 0;
    return length;
}

int ux_symlink(const char *target, const char *path) {
    return (int)system_call(NR_SYMLINK, target, (long long)(ULONG_PTR)path, 0);
}

int ux_unlink(const char *path) {
    return (int)system_call(NR_UNLINK, path, 0, 0);
}

int ux_rename(const char *from, const char *to) {
    return (int)system_call(NR_RENAME, from, (long long)(ULONG_PTR)to, 0);
}

int ux_truncate(const char *path, long long size) {
    return (int)system_call(NR_TRUNCATE, path, size, 0);
}

/* A host is one process namespace: its first process stays, which does nothing, and all others go.
 */
void ux_kill_everything(void) {
    long long self = system_call(NR_GETPID, NULL, 0, 0);
    system_call(NR_KILL, (void *)(LONG_PTR)EVERY_PROCESS, SIGKILL_, 0);
    system_call(NR_KILL, (void *)(LONG_PTR)self, SIGKILL_, 0);
}

static BOOL ux_stat(const char *path, struct ux_stat *found) {
    return system_call(NR_STAT, path, (long long)(ULONG_PTR)found, 0) == 0;
}

/* Remove the links of a directory that lead nowhere. */
void ux_unlink_lost(const char *directory) {
    char entries[MOST_PATH], path[MOST_PATH];
    struct ux_stat found;
    long long count, file = system_call(NR_OPEN, directory, O_DIRECTORY_ | O_CLOEXEC_, 0);
    if (file < 0)
        return;
    while ((count = system_call(NR_GETDENTS64, (void *)(ULONG_PTR)file,
                                (long long)(ULONG_PTR)entries, sizeof entries)) > 0) {
        for (long long at = 0; at < count;) {
            struct ux_entry *entry = (struct ux_entry *)(entries + at);
            snprintf(path, sizeof path, "%s/%s", directory, entry->name);
            if (entry->type == DT_LNK_ && !ux_stat(path, &found))
                ux_unlink(path);
            at += entry->length;
        }
    }
    system_call(NR_CLOSE, (void *)(ULONG_PTR)file, 0, 0);
}

BOOL ux_isdir(const char *path) {
    struct ux_stat found;
    return ux_stat(path, &found) && (found.mode & S_IFMT_) == S_IFDIR_;
}

DWORD ux_error(int result) {
    switch (-result) {
    case 1:
    case 13:
        return ERROR_ACCESS_DENIED;
    case 2:
        return ERROR_FILE_NOT_FOUND;
    case 17:
        return ERROR_ALREADY_EXISTS;
    case 20:
        return ERROR_PATH_NOT_FOUND;
    case 39:
        return ERROR_DIR_NOT_EMPTY;
    default:
        return ERROR_GEN_FAILURE;
    }
}

/* A socket file has SOCKET_SIZE bytes, so that only files of just that size are opened to look. */
#define SOCKET_MAGIC "goshim AF_UNIX port "
#define SOCKET_SIZE 27

int ux_socket_text(char *buffer, unsigned port) {
    return sprintf(buffer, SOCKET_MAGIC "%6u\n", port);
}

/* The port behind a socket file; 0 if the path is none. */
int ux_socket_port(const char *path) {
    char text[SOCKET_SIZE + 1] = "";
    struct ux_stat found;
    long long file, count;
    if (!ux_stat(path, &found) || (found.mode & S_IFMT_) != S_IFREG_ || found.size != SOCKET_SIZE)
        return 0;
    if ((file = system_call(NR_OPEN, path, O_CLOEXEC_, 0)) < 0)
        return 0;
    count = system_call(NR_READ, (void *)(ULONG_PTR)file, (long long)(ULONG_PTR)text, SOCKET_SIZE);
    system_call(NR_CLOSE, (void *)(ULONG_PTR)file, 0, 0);
    if (count != SOCKET_SIZE || strncmp(text, SOCKET_MAGIC, sizeof SOCKET_MAGIC - 1))
        return 0;
    return atoi(text + sizeof SOCKET_MAGIC - 1);
}

DWORD ux_reparse_tag(const char *path) {
    char target[8];
    if (ux_readlink(path, target, sizeof target) >= 0)
        return IO_REPARSE_TAG_SYMLINK;
    return ux_socket_port(path) ? IO_REPARSE_TAG_AF_UNIX : 0;
}
