/*
 * links.c: symbolic links, which are a stub in Wine 8, and socket files.
 *
 * A link is kept as a real Unix symbolic link, so that every process in the prefix reads through
 * it; the calls by which Go sees, removes and renames the link itself are answered here. A socket
 * file is shown as what it is on Windows, a reparse point with the AF_UNIX tag (the kubelet
 * recognises stale sockets by that). Unlike on Windows, links need no privilege and say nothing of
 * whether they were made for a directory.
 */
#include "goshim.h"

#define MOST_HANDLES 256
#define FILE_ATTRIBUTE_TAG_INFO_CLASS 9
#define GET_REPARSE_POINT 0x900A8

void drop(void *heap) {
    if (heap)
        HeapFree(GetProcessHeap(), 0, heap);
}

/* The Unix name of a DOS path if its last element is a link or a socket, else NULL; drop() it. */
char *link_name(const WCHAR *dos) {
    char *name;
    size_t length = dos ? wcslen(dos) : 0;
    if (!length || !to_unix || wcschr(L"\\/:", dos[length - 1]))
        return NULL;
    if (!(name = to_unix(dos)))
        return NULL;
    length = strlen(name);
    if (length && name[length - 1] != ':' && ux_reparse_tag(name)) /* "c:" is Wine's own link */
        return name;
    drop(name);
    return NULL;
}

/* Handles that stand for a link itself: an event object, and the name it stands for. */
static struct {
    HANDLE handle;
    char *unix_name;
} held[MOST_HANDLES];
static volatile LONG held_count;

/* Takes ownership of the name. */
HANDLE hold(char *unix_name) {
    HANDLE handle = CreateEventW(NULL, TRUE, FALSE, NULL);
    int i;
    EnterCriticalSection(&lock);
    for (i = 0; i < MOST_HANDLES && held[i].handle; i++)
        ;
    if (i < MOST_HANDLES) {
        held[i].handle = handle;
        held[i].unix_name = unix_name;
        InterlockedIncrement(&held_count);
    }
    LeaveCriticalSection(&lock);
    if (i == MOST_HANDLES) {
        say("OUT OF LINK HANDLES");
        CloseHandle(handle);
        drop(unix_name);
        return INVALID_HANDLE_VALUE;
    }
    return handle;
}

BOOL held_name(HANDLE handle, char *out, size_t size) {
    BOOL found = FALSE;
    if (!held_count || !handle)
        return FALSE;
    EnterCriticalSection(&lock);
    for (int i = 0; i < MOST_HANDLES && !found; i++) {
        if (held[i].handle == handle) {
            lstrcpynA(out, held[i].unix_name, (int)size);
            found = TRUE;
        }
    }
    LeaveCriticalSection(&lock);
    return found;
}

static void release(HANDLE handle) {
    if (!held_count || !handle)
        return;
    EnterCriticalSection(&lock);
    for (int i = 0; i < MOST_HANDLES; i++) {
        if (held[i].handle == handle) {
            drop(held[i].unix_name);
            held[i].handle = NULL;
            held[i].unix_name = NULL;
            InterlockedDecrement(&held_count);
            break;
        }
    }
    LeaveCriticalSection(&lock);
}

static BOOLEAN WINAPI my_CreateSymbolicLinkW(const WCHAR *link, const WCHAR *target, DWORD flags) {
    BOOL absolute = target[0] == '\\' || target[0] == '/' || (target[0] && target[1] == ':');
    char *path, *known = NULL, relative[UNIX_PATH_SIZE];
    int result;
    if (!(path = to_unix(link))) {
        SetLastError(ERROR_PATH_NOT_FOUND);
        return FALSE;
    }
    if (absolute) {
        known = to_unix(target);
    } else {
        WideCharToMultiByte(CP_UTF8, 0, target, -1, relative, sizeof relative, NULL, NULL);
        for (char *c = relative; *c; c++)
            if (*c == '\\')
                *c = '/';
    }
    result = absolute && !known ? -2 : ux_symlink(absolute ? known : relative, path);
    say("symlink %s = %d", path, result);
    drop(path);
    drop(known);
    SetLastError(result < 0 ? ux_error(result) : 0);
    return result >= 0;
}

static DWORD link_attributes(const char *name) {
    return FILE_ATTRIBUTE_REPARSE_POINT | (ux_isdir(name) ? FILE_ATTRIBUTE_DIRECTORY : 0);
}

static BOOL(WINAPI *real_GetFileAttributesExW)(const WCHAR *, GET_FILEEX_INFO_LEVELS, void *);
static BOOL WINAPI my_GetFileAttributesExW(const WCHAR *name, GET_FILEEX_INFO_LEVELS level,
                                           void *out) {
    BOOL ok = real_GetFileAttributesExW(name, level, out);
    DWORD error = GetLastError();
    char *link = link_name(name);
    if (!link) {
        SetLastError(error);
        return ok;
    }
    if (!ok) /* dangling: the link is there all the same */
        memset(out, 0, sizeof(WIN32_FILE_ATTRIBUTE_DATA));
    ((WIN32_FILE_ATTRIBUTE_DATA *)out)->dwFileAttributes |= link_attributes(link);
    drop(link);
    return TRUE;
}

static DWORD(WINAPI *real_GetFileAttributesW)(const WCHAR *);
static DWORD WINAPI my_GetFileAttributesW(const WCHAR *name) {
    DWORD attributes = real_GetFileAttributesW(name), error = GetLastError();
    char *link = link_name(name);
    if (!link) {
        SetLastError(error);
        return attributes;
    }
    if (attributes == INVALID_FILE_ATTRIBUTES)
        attributes = 0;
    attributes |= link_attributes(link);
    drop(link);
    return attributes;
}

static HANDLE(WINAPI *real_CreateFileW)(const WCHAR *, DWORD, DWORD, SECURITY_ATTRIBUTES *, DWORD,
                                        DWORD, HANDLE);
static HANDLE WINAPI my_CreateFileW(const WCHAR *name, DWORD access, DWORD share,
                                    SECURITY_ATTRIBUTES *security, DWORD disposition, DWORD flags,
                                    HANDLE template) {
    char *link;
    if (disposition != OPEN_EXISTING && (access & (GENERIC_WRITE | FILE_APPEND_DATA)))
        power_write();
    if ((flags & FILE_FLAG_OPEN_REPARSE_POINT) && (link = link_name(name))) {
        SetLastError(0);
        return hold(link);
    }
    return real_CreateFileW(name, access, share, security, disposition, flags, template);
}

static DWORD(WINAPI *real_GetFileType)(HANDLE);
static DWORD WINAPI my_GetFileType(HANDLE handle) {
    char link[UNIX_PATH_SIZE];
    if (!held_name(handle, link, sizeof link))
        return real_GetFileType(handle);
    SetLastError(0);
    return FILE_TYPE_DISK;
}

static BOOL(WINAPI *real_GetFileInformationByHandle)(HANDLE, BY_HANDLE_FILE_INFORMATION *);
static BOOL WINAPI my_GetFileInformationByHandle(HANDLE handle, BY_HANDLE_FILE_INFORMATION *out) {
    char link[UNIX_PATH_SIZE];
    if (!held_name(handle, link, sizeof link))
        return real_GetFileInformationByHandle(handle, out);
    memset(out, 0, sizeof *out);
    out->dwFileAttributes = link_attributes(link);
    out->nNumberOfLinks = 1;
    GetSystemTimeAsFileTime(&out->ftLastWriteTime);
    return TRUE;
}

static BOOL(WINAPI *real_GetFileInformationByHandleEx)(HANDLE, int, void *, DWORD);
static BOOL WINAPI my_GetFileInformationByHandleEx(HANDLE handle, int class, void *out,
                                                   DWORD size) {
    char link[UNIX_PATH_SIZE];
    if (!held_name(handle, link, sizeof link))
        return real_GetFileInformationByHandleEx(handle, class, out, size);
    if (class != FILE_ATTRIBUTE_TAG_INFO_CLASS || size < 2 * sizeof(DWORD)) {
        say("UNKNOWN GetFileInformationByHandleEx class %d on a link", class);
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    ((DWORD *)out)[0] = link_attributes(link);
    ((DWORD *)out)[1] = ux_reparse_tag(link);
    return TRUE;
}

/* REPARSE_DATA_BUFFER of a symbolic link. */
struct reparse {
    DWORD tag;
    WORD length, reserved, name_offset, name_length, print_offset, print_length;
    DWORD relative;
    WCHAR path[1];
};

/* Where a link leads, as Windows would show it ("print") and as it would store it ("name"). */
static BOOL dos_target(const char *target, WCHAR *print, WCHAR *name) {
    WCHAR *dos;
    if (target[0] != '/') {
        MultiByteToWideChar(CP_UTF8, 0, target, -1, print, UNIX_PATH_SIZE);
        for (WCHAR *c = print; *c; c++)
            if (*c == '/')
                *c = '\\';
        wcscpy(name, print);
        return TRUE;
    }
    if (!(dos = to_dos(target)))
        return FALSE;
    lstrcpynW(print, dos, UNIX_PATH_SIZE - 8);
    drop(dos);
    wcscpy(name, L"\\??\\");
    wcscat(name, wcsncmp(print, L"\\\\?\\", 4) ? print : print + 4);
    return TRUE;
}

static BOOL(WINAPI *real_DeviceIoControl)(HANDLE, DWORD, void *, DWORD, void *, DWORD, DWORD *,
                                          OVERLAPPED *);
static BOOL WINAPI my_DeviceIoControl(HANDLE handle, DWORD code, void *in, DWORD in_size, void *out,
                                      DWORD out_size, DWORD *returned, OVERLAPPED *overlapped) {
    struct reparse *data = out;
    char link[UNIX_PATH_SIZE], target[UNIX_PATH_SIZE];
    WCHAR print[UNIX_PATH_SIZE], name[UNIX_PATH_SIZE];
    size_t name_bytes, print_bytes, total;
    if (!held_name(handle, link, sizeof link))
        return real_DeviceIoControl(handle, code, in, in_size, out, out_size, returned, overlapped);
    if (code != GET_REPARSE_POINT || ux_readlink(link, target, sizeof target) < 0) {
        say("UNKNOWN DeviceIoControl %lx on a link", code);
        SetLastError(ERROR_INVALID_FUNCTION);
        return FALSE;
    }
    if (!dos_target(target, print, name)) {
        SetLastError(ERROR_INVALID_DATA);
        return FALSE;
    }
    name_bytes = wcslen(name) * sizeof *name;
    print_bytes = wcslen(print) * sizeof *print;
    total = offsetof(struct reparse, path) + name_bytes + print_bytes;
    if (out_size < total) {
        SetLastError(ERROR_INSUFFICIENT_BUFFER);
        return FALSE;
    }
    data->tag = IO_REPARSE_TAG_SYMLINK;
    data->length = (WORD)(total - offsetof(struct reparse, name_offset));
    data->reserved = 0;
    data->name_offset = 0;
    data->name_length = data->print_offset = (WORD)name_bytes;
    data->print_length = (WORD)print_bytes;
    data->relative = target[0] != '/';
    memcpy(data->path, name, name_bytes);
    memcpy((char *)data->path + name_bytes, print, print_bytes);
    if (returned)
        *returned = (DWORD)total;
    return TRUE;
}

static BOOL(WINAPI *real_CloseHandle)(HANDLE);
static BOOL WINAPI my_CloseHandle(HANDLE handle) {
    release(handle);
    return real_CloseHandle(handle);
}

/* Removes a link or socket file; "done" says whether the name was one. */
static BOOL remove_link(const WCHAR *name, BOOL *done) {
    char *link = link_name(name);
    int result;
    *done = link != NULL;
    if (!link)
        return FALSE;
    result = ux_unlink(link);
    say("unlink %s = %d", link, result);
    drop(link);
    if (result < 0)
        SetLastError(ux_error(result));
    return result >= 0;
}

static BOOL(WINAPI *real_DeleteFileW)(const WCHAR *);
static BOOL WINAPI my_DeleteFileW(const WCHAR *name) {
    BOOL done, removed;
    power_write();
    removed = remove_link(name, &done);
    return done ? removed : real_DeleteFileW(name);
}

static BOOL(WINAPI *real_RemoveDirectoryW)(const WCHAR *);
static BOOL WINAPI my_RemoveDirectoryW(const WCHAR *name) {
    BOOL done, removed;
    power_write();
    removed = remove_link(name, &done);
    return done ? removed : real_RemoveDirectoryW(name);
}

static BOOL(WINAPI *real_MoveFileExW)(const WCHAR *, const WCHAR *, DWORD);
static BOOL WINAPI my_MoveFileExW(const WCHAR *from, const WCHAR *to, DWORD flags) {
    char *old = link_name(from), *new = to ? link_name(to) : NULL;
    int result;
    power_write();
    if (!to || (!old && !new)) {
        BOOL moved = real_MoveFileExW(from, to, flags);
        if (moved && to)
            power_renamed(from, to);
        return moved;
    }
    if (!old)
        old = to_unix(from);
    if (!new)
        new = to_unix(to);
    result = old && new ? ux_rename(old, new) : -2;
    say("rename %s -> %s = %d", old ? old : "?", new ? new : "?", result);
    drop(old);
    drop(new);
    if (result < 0)
        SetLastError(ux_error(result));
    return result >= 0;
}

const struct hook link_hooks[] = {
    HOOK_NEW(CreateSymbolicLinkW),
    HOOK(GetFileAttributesExW),
    HOOK(GetFileAttributesW),
    HOOK(CreateFileW),
    HOOK(GetFileType),
    HOOK(GetFileInformationByHandle),
    HOOK(GetFileInformationByHandleEx),
    HOOK(DeviceIoControl),
    HOOK(CloseHandle),
    HOOK(DeleteFileW),
    HOOK(RemoveDirectoryW),
    HOOK(MoveFileExW),
    {0},
};

/* For Python (lab/windows/sitecustomize.py), which does not bind its calls by name: what a link is
 * on Windows, where Wine shows it what the link leads to, or nothing. */
__declspec(dllexport) BOOL WINAPI LabIsLink(const WCHAR *dos) {
    char *link = link_name(dos);
    drop(link);
    return link != NULL;
}

/* Removes a link and never what it leads to; FALSE with the last error where that failed. */
__declspec(dllexport) BOOL WINAPI LabRemoveLink(const WCHAR *dos) {
    BOOL done;
    return remove_link(dos, &done);
}

/* Wine lists no link that leads nowhere, so Python could not remove one before the directory, as it
 * does on Windows. */
__declspec(dllexport) void WINAPI LabRemoveLostLinks(const WCHAR *dos) {
    char *name = dos && to_unix ? to_unix(dos) : NULL;
    if (name)
        ux_unlink_lost(name);
    drop(name);
}

/* For Python too: Wine's own says that it made a link and makes none. */
__declspec(dllexport) BOOL WINAPI LabMakeLink(const WCHAR *link, const WCHAR *target) {
    return to_unix && my_CreateSymbolicLinkW(link, target, 0);
}
