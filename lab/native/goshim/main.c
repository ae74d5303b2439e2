/* main.c: ProcessPrng, the functions handed out through GetProcAddress, and the start. */
#include "goshim.h"

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) {
    return SystemFunction036(buffer, (ULONG)size);
}

CRITICAL_SECTION lock;
static char log_path[MAX_PATH];
static BOOL trace;

void say(const char *format, ...) {
    char line[1200];
    va_list arguments;
    int length;
    DWORD written, error = GetLastError();
    HANDLE file;
    if (!log_path[0])
        return;
    length = wsprintfA(line, "%lu ", GetCurrentProcessId());
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - length - 2, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    file = CreateFileA(log_path, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                       OPEN_ALWAYS, 0, NULL);
    if (file != INVALID_HANDLE_VALUE) {
        WriteFile(file, line, length, &written, NULL);
        CloseHandle(file);
    }
    SetLastError(error);
}

static const struct hook *const tables[] = {link_hooks,    nt_hooks,      socket_hooks,
                                            counter_hooks, service_hooks, power_hooks};

/* Ours instead of Wine's, where there is one; a hook that needs Wine's own stays out without it. */
static FARPROC handed_out(const char *name, FARPROC found) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct hook *hook = tables[i]; hook->name; hook++) {
            if (strcmp(hook->name, name) || (!found && hook->real))
                continue;
            if (hook->real)
                *hook->real = (void *)found;
            return (FARPROC)hook->mine;
        }
    }
    return found;
}

static FARPROC(WINAPI *real_GetProcAddress)(HMODULE, const char *);
static FARPROC WINAPI my_GetProcAddress(HMODULE module, const char *name) {
    FARPROC found = real_GetProcAddress(module, name);
    DWORD error = GetLastError();
    if ((ULONG_PTR)name >> 16) { /* a name, not an ordinal */
        if (trace || !found) {
            char file[MAX_PATH] = "?";
            GetModuleFileNameA(module, file, sizeof file);
            say("%s %s %s", found ? "bind" : "MISSING", file, name);
        }
        found = handed_out(name, found);
    }
    SetLastError(error);
    return found;
}

/* Replaces every import of the program itself that has this name; how many there were. */
static int patch_import(const char *name, void *mine, void **real) {
    char *base = (char *)GetModuleHandleW(NULL);
    IMAGE_NT_HEADERS *headers = (void *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
    DWORD start =
        headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    int done = 0;
    if (!start)
        return 0;
    for (IMAGE_IMPORT_DESCRIPTOR *from = (void *)(base + start); from->Name; from++) {
        ULONGLONG *wanted = (void *)(base + from->OriginalFirstThunk);
        void **slot = (void **)(base + from->FirstThunk);
        for (; *wanted; wanted++, slot++) {
            DWORD protection;
            if (IMAGE_SNAP_BY_ORDINAL64(*wanted))
                continue;
            if (strcmp((char *)((IMAGE_IMPORT_BY_NAME *)(base + *wanted))->Name, name))
                continue;
            VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &protection);
            *real = *slot;
            *slot = mine;
            VirtualProtect(slot, sizeof *slot, protection, &protection);
            done++;
        }
    }
    return done;
}

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, void *reserved) {
    HMODULE kernel = GetModuleHandleA("kernel32");
    char flag[8], program[MAX_PATH] = "?";
    int imports;
    if (reason != DLL_PROCESS_ATTACH)
        return TRUE;
    DisableThreadLibraryCalls(instance);
    InitializeCriticalSection(&lock);
    to_unix = (void *)GetProcAddress(kernel, "wine_get_unix_file_name");
    to_dos = (void *)GetProcAddress(kernel, "wine_get_dos_file_name");
    if (!to_unix || !to_dos) /* a real Windows needs nothing from us */
        return TRUE;
    GetEnvironmentVariableA("GOSHIM_LOG", log_path, sizeof log_path);
    trace = GetEnvironmentVariableA("GOSHIM_TRACE", flag, sizeof flag) > 0;
    services_start();
    power_from_file();
    imports = patch_import("GetProcAddress", my_GetProcAddress, (void **)&real_GetProcAddress);
    /* The Go runtime's own imports, for panics and for the way out. */
    patch_import("GetStdHandle", my_GetStdHandle, (void **)&real_GetStdHandle);
    patch_import("ExitProcess", my_ExitProcess, (void **)&real_ExitProcess);
    GetModuleFileNameA(NULL, program, sizeof program);
    say("attached to %s, %d import(s)", program, imports);
    return TRUE;
}
