/*
 * power.c: the lab's power cut at the n-th write of a program.
 *
 * C:\ProgramData\transom-lab\power-cut names a program, a number and what becomes of data that was
 * not flushed ("kubeadm.exe 12 lose"). Each process of that program counts the calls by which it
 * changes the disk; at the n-th, before it is done, every process of the host is killed in the same
 * instant, this one included. With "lose", files that the process wrote and did not flush are cut
 * back to what they were, also under a name they got since. A real power cut also loses what other
 * programs had not flushed, and may keep what was not flushed; here files of others are whole.
 *
 * Python calls LabCutPower through its own count (lab/windows/sitecustomize.py).
 */
#include "goshim.h"

#define ORDER "C:\\ProgramData\\transom-lab\\power-cut"
#define MOST_FILES 64

static volatile LONG left; /* writes until the cut; 0 where none is ordered */
static BOOL loses;
static struct {
    char *path;
    long long size;
} unflushed[MOST_FILES];

__declspec(dllexport) void WINAPI LabCutPower(void) {
    char *order = to_unix ? to_unix(L"C:\\ProgramData\\transom-lab\\power-cut") : NULL;
    if (!order) /* not in the lab */
        return;
    ux_unlink(order);
    for (;;)
        ux_kill_everything();
}

void power_from_file(void) {
    char text[MAX_PATH + 32] = "", program[MAX_PATH] = "", mode[8] = "", own[MAX_PATH] = "", *name;
    DWORD length = 0;
    int writes = 0;
    HANDLE file = CreateFileA(ORDER, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return;
    ReadFile(file, text, sizeof text - 1, &length, NULL);
    CloseHandle(file);
    if (sscanf(text, "%259s %d %7s", program, &writes, mode) != 3)
        return;
    GetModuleFileNameA(NULL, own, sizeof own);
    name = strrchr(own, '\\');
    if (lstrcmpiA(name ? name + 1 : own, program))
        return;
    loses = !strcmp(mode, "lose");
    left = writes;
}

static void forget(const char *path) {
    for (int i = 0; i < MOST_FILES; i++) {
        if (unflushed[i].path && !strcmp(unflushed[i].path, path)) {
            drop(unflushed[i].path);
            unflushed[i].path = NULL;
        }
    }
}

/* Takes ownership of the path. */
static void remember(char *path, long long size) {
    for (int i = 0; i < MOST_FILES; i++) {
        if (unflushed[i].path && !strcmp(unflushed[i].path, path))
            break;
        if (unflushed[i].path)
            continue;
        unflushed[i].path = path;
        unflushed[i].size = size;
        return;
    }
    drop(path);
}

static char *path_of(HANDLE handle) {
    WCHAR path[UNIX_PATH_SIZE];
    DWORD length = GetFinalPathNameByHandleW(handle, path, UNIX_PATH_SIZE, 0);
    return length && length < UNIX_PATH_SIZE ? to_unix(path) : NULL;
}

void power_write(void) {
    if (!left || InterlockedDecrement(&left))
        return;
    EnterCriticalSection(&lock);
    for (int i = 0; i < MOST_FILES; i++)
        if (unflushed[i].path)
            ux_truncate(unflushed[i].path, unflushed[i].size);
    LabCutPower();
}

void power_renamed(const WCHAR *from, const WCHAR *to) {
    char *old, *new;
    if (!left || !loses)
        return;
    old = to_unix(from);
    new = to_unix(to);
    EnterCriticalSection(&lock);
    if (new)
        forget(new);
    for (int i = 0; old && new && i < MOST_FILES; i++) {
        if (unflushed[i].path && !strcmp(unflushed[i].path, old)) {
            drop(unflushed[i].path);
            unflushed[i].path = new;
            new = NULL;
        }
    }
    LeaveCriticalSection(&lock);
    drop(old);
    drop(new);
}

static BOOL(WINAPI *real_WriteFile)(HANDLE, const void *, DWORD, DWORD *, OVERLAPPED *);
static BOOL WINAPI my_WriteFile(HANDLE handle, const void *data, DWORD size, DWORD *written,
                                OVERLAPPED *overlapped) {
    if (left && GetFileType(handle) == FILE_TYPE_DISK) {
        LARGE_INTEGER before = {0};
        char *path = loses ? path_of(handle) : NULL;
        power_write();
        GetFileSizeEx(handle, &before);
        EnterCriticalSection(&lock);
        if (path)
            remember(path, before.QuadPart);
        LeaveCriticalSection(&lock);
    }
    return real_WriteFile(handle, data, size, written, overlapped);
}

static BOOL(WINAPI *real_FlushFileBuffers)(HANDLE);
static BOOL WINAPI my_FlushFileBuffers(HANDLE handle) {
    BOOL flushed;
    char *path;
    power_write();
    flushed = real_FlushFileBuffers(handle);
    if (flushed && left && loses && (path = path_of(handle))) {
        EnterCriticalSection(&lock);
        forget(path);
        LeaveCriticalSection(&lock);
        drop(path);
    }
    return flushed;
}

static BOOL(WINAPI *real_CreateDirectoryW)(const WCHAR *, SECURITY_ATTRIBUTES *);
static BOOL WINAPI my_CreateDirectoryW(const WCHAR *name, SECURITY_ATTRIBUTES *security) {
    power_write();
    return real_CreateDirectoryW(name, security);
}

const struct hook power_hooks[] = {
    HOOK(WriteFile),
    HOOK(FlushFileBuffers),
    HOOK(CreateDirectoryW),
    {0},
};
