/*
 * services.c: what a Go program that is a Windows service needs.
 *
 * Its output goes to a file, since a service has no standard handles. Two questions about its
 * configuration that Wine 8 does not know are answered with "no": kubeadm takes the error for "not
 * enabled". And its end is reported: Wine's service manager does not notice that a process ended
 * (kubelet and kube-proxy just exit, which is enough on Windows), so that a service would stay in
 * STOP_PENDING for ever. The end is the last word: kubelet says STOP_PENDING once more from another
 * thread while it exits, which Windows does not hear any more and Wine would.
 */
#include "goshim.h"

enum { DELAYED_AUTO_START = 3, SERVICE_SID = 5 };

static char output_directory[200];
static CRITICAL_SECTION status_lock;

void services_start(void) {
    InitializeCriticalSection(&status_lock);
    GetEnvironmentVariableA("GOSHIM_STDERR", output_directory, sizeof output_directory);
}

HANDLE(WINAPI *real_GetStdHandle)(DWORD);
HANDLE WINAPI my_GetStdHandle(DWORD which) {
    static HANDLE file;
    HANDLE handle = real_GetStdHandle(which);
    if (!output_directory[0] || which == STD_INPUT_HANDLE)
        return handle;
    if (handle && handle != INVALID_HANDLE_VALUE)
        return handle;
    EnterCriticalSection(&lock);
    if (!file) {
        const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
        char program[MAX_PATH], path[2 * MAX_PATH], *name;
        GetModuleFileNameA(NULL, program, sizeof program);
        name = strrchr(program, '\\');
        snprintf(path, sizeof path, "%s\\%s.log", output_directory, name ? name + 1 : program);
        file = CreateFileA(path, FILE_APPEND_DATA, share, NULL, OPEN_ALWAYS, 0, NULL);
        if (file == INVALID_HANDLE_VALUE)
            file = NULL;
    }
    LeaveCriticalSection(&lock);
    return file ? file : handle;
}

static BOOL(WINAPI *real_QueryServiceConfig2W)(SC_HANDLE, DWORD, BYTE *, DWORD, DWORD *);
static BOOL WINAPI my_QueryServiceConfig2W(SC_HANDLE service, DWORD level, BYTE *out, DWORD size,
                                           DWORD *need) {
    if (level != DELAYED_AUTO_START && level != SERVICE_SID)
        return real_QueryServiceConfig2W(service, level, out, size, need);
    *need = sizeof(DWORD);
    if (size < sizeof(DWORD)) {
        SetLastError(ERROR_INSUFFICIENT_BUFFER);
        return FALSE;
    }
    memset(out, 0, sizeof(DWORD));
    return TRUE;
}

static SERVICE_STATUS_HANDLE service;
static SERVICE_STATUS last_status;

static BOOL(WINAPI *real_SetServiceStatus)(SERVICE_STATUS_HANDLE, SERVICE_STATUS *);
static BOOL WINAPI my_SetServiceStatus(SERVICE_STATUS_HANDLE handle, SERVICE_STATUS *status) {
    BOOL done = TRUE;
    EnterCriticalSection(&status_lock);
    if (!service || last_status.dwCurrentState != SERVICE_STOPPED) {
        service = handle;
        last_status = *status;
        done = real_SetServiceStatus(handle, status);
    }
    LeaveCriticalSection(&status_lock);
    return done;
}

void(WINAPI *real_ExitProcess)(UINT);
void WINAPI my_ExitProcess(UINT code) {
    EnterCriticalSection(&status_lock);
    if (service && last_status.dwCurrentState != SERVICE_STOPPED) {
        BOOL asked = last_status.dwCurrentState == SERVICE_STOP_PENDING;
        say("exit %u of a service in state %lu", code, last_status.dwCurrentState);
        last_status.dwWin32ExitCode = asked ? NO_ERROR : ERROR_PROCESS_ABORTED;
        last_status.dwCurrentState = SERVICE_STOPPED;
        last_status.dwControlsAccepted = 0;
        real_SetServiceStatus(service, &last_status);
    }
    LeaveCriticalSection(&status_lock);
    real_ExitProcess(code);
}

const struct hook service_hooks[] = {
    HOOK(GetStdHandle), HOOK(QueryServiceConfig2W), HOOK(SetServiceStatus), HOOK(ExitProcess), {0},
};
