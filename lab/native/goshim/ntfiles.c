/*
 * ntfiles.c: the NT calls that os.RemoveAll and os.Root use, on links and sockets.
 *
 * Wine 8 answers the "Ex" classes of NtSetInformationFile with NOT_IMPLEMENTED, on which Go gives
 * up; INVALID_INFO_CLASS, the answer of an older Windows, makes it fall back.
 */
#include "goshim.h"

#define LONGEST_PATH 1000
#define OPEN_REPARSE_POINT 0x00200000
#define DONT_REPARSE 0x1000
#define REPARSE_ENCOUNTERED ((NTSTATUS)0xC000050B)
#define INVALID_INFO_CLASS ((NTSTATUS)0xC0000003)
#define UNSUCCESSFUL ((NTSTATUS)0xC0000001)

enum { DISPOSITION = 13, DISPOSITION_EX = 64, RENAME_EX = 65 };

static char *nt_link_name(OBJECT_ATTRIBUTES *attributes) {
    WCHAR path[2 * LONGEST_PATH + 2];
    DWORD length = 0;
    UNICODE_STRING *name = attributes->ObjectName;
    if (!name || name->Length / sizeof *path > LONGEST_PATH)
        return NULL;
    if (attributes->RootDirectory) {
        length = GetFinalPathNameByHandleW(attributes->RootDirectory, path, LONGEST_PATH, 0);
        if (!length || length >= LONGEST_PATH)
            return NULL;
        if (path[length - 1] != '\\')
            path[length++] = '\\';
    }
    memcpy(path + length, name->Buffer, name->Length);
    path[length + name->Length / sizeof *path] = 0;
    if (!wcsncmp(path, L"\\??\\", 4))
        path[1] = '\\';
    return link_name(path);
}

/* Opens the link itself, or refuses to go through it, if that is what was asked for. */
static BOOL opened_link(HANDLE *handle, OBJECT_ATTRIBUTES *attributes, ULONG options,
                        NTSTATUS *status) {
    char *link;
    DWORD tag;
    if (!(options & OPEN_REPARSE_POINT) && !(attributes->Attributes & DONT_REPARSE))
        return FALSE;
    if (!(link = nt_link_name(attributes)))
        return FALSE;
    if (options & OPEN_REPARSE_POINT) {
        *handle = hold(link);
        *status = 0;
        return TRUE;
    }
    *status = REPARSE_ENCOUNTERED;
    tag = ux_reparse_tag(link);
    drop(link);
    return tag == IO_REPARSE_TAG_SYMLINK;
}

static NTSTATUS(NTAPI *real_NtOpenFile)(HANDLE *, ACCESS_MASK, OBJECT_ATTRIBUTES *,
                                        IO_STATUS_BLOCK *, ULONG, ULONG);
static NTSTATUS NTAPI my_NtOpenFile(HANDLE *handle, ACCESS_MASK access,
                                    OBJECT_ATTRIBUTES *attributes, IO_STATUS_BLOCK *io, ULONG share,
                                    ULONG options) {
    NTSTATUS status;
    if (opened_link(handle, attributes, options, &status))
        return status;
    return real_NtOpenFile(handle, access, attributes, io, share, options);
}

static NTSTATUS(NTAPI *real_NtCreateFile)(HANDLE *, ACCESS_MASK, OBJECT_ATTRIBUTES *,
                                          IO_STATUS_BLOCK *, LARGE_INTEGER *, ULONG, ULONG, ULONG,
                                          ULONG, void *, ULONG);
static NTSTATUS NTAPI my_NtCreateFile(HANDLE *handle, ACCESS_MASK access,
                                      OBJECT_ATTRIBUTES *attributes, IO_STATUS_BLOCK *io,
                                      LARGE_INTEGER *size, ULONG file, ULONG share,
                                      ULONG disposition, ULONG options, void *ea, ULONG ea_size) {
    NTSTATUS status;
    if (opened_link(handle, attributes, options, &status))
        return status;
    return real_NtCreateFile(handle, access, attributes, io, size, file, share, disposition,
                             options, ea, ea_size);
}

static NTSTATUS(NTAPI *real_NtSetInformationFile)(HANDLE, IO_STATUS_BLOCK *, void *, ULONG, int);
static NTSTATUS NTAPI my_NtSetInformationFile(HANDLE handle, IO_STATUS_BLOCK *io, void *data,
                                              ULONG size, int class) {
    char link[UNIX_PATH_SIZE];
    if (!held_name(handle, link, sizeof link)) {
        if (class == DISPOSITION_EX || class == RENAME_EX)
            return INVALID_INFO_CLASS;
        return real_NtSetInformationFile(handle, io, data, size, class);
    }
    if (class == DISPOSITION || class == DISPOSITION_EX) {
        int result = ux_unlink(link);
        say("unlink %s = %d", link, result);
        return result < 0 ? UNSUCCESSFUL : 0;
    }
    say("UNKNOWN NtSetInformationFile class %d on a link", class);
    return INVALID_INFO_CLASS;
}

const struct hook nt_hooks[] = {
    HOOK(NtOpenFile),
    HOOK(NtCreateFile),
    HOOK(NtSetInformationFile),
    {0},
};
