/*
 * counters.c: the performance counters the kubelet and cadvisor read, made up from what Wine knows.
 *
 * Processor time and memory are the machine's own; everything of network adapters is zero.
 */
#include "goshim.h"

#define PDH_MORE_DATA ((LONG)0x800007D2)
#define INSTANCE_SIZE 32

struct counter {
    WCHAR path[256];
};

/* PDH_FMT_COUNTERVALUE_ITEM with a double in it. */
struct item {
    WCHAR *name;
    DWORD status, padding;
    double value;
};

static LONG WINAPI my_PdhOpenQuery(const void *source, DWORD_PTR user, HANDLE *query) {
    *query = (HANDLE)1;
    return 0;
}

static LONG WINAPI my_PdhAddEnglishCounterW(HANDLE query, const WCHAR *path, DWORD_PTR user,
                                            HANDLE *out) {
    struct counter *made = calloc(1, sizeof *made);
    lstrcpynW(made->path, path, sizeof made->path / sizeof *made->path);
    *out = made;
    say("pdh counter %ls", path);
    return 0;
}

static LONG WINAPI my_PdhCollectQueryData(HANDLE query) {
    return 0;
}

static ULONGLONG ticks(FILETIME time) {
    return ((ULONGLONG)time.dwHighDateTime << 32) | time.dwLowDateTime;
}

static double processor_percent(void) {
    static ULONGLONG last_idle, last_busy;
    FILETIME idle_time, kernel_time, user_time;
    ULONGLONG idle, busy;
    double percent = 0;
    if (!GetSystemTimes(&idle_time, &kernel_time, &user_time))
        return 0;
    idle = ticks(idle_time);
    busy = ticks(kernel_time) + ticks(user_time);
    if (last_busy && busy > last_busy)
        percent = 100.0 * (1.0 - (double)(idle - last_idle) / (double)(busy - last_busy));
    last_idle = idle;
    last_busy = busy;
    return percent < 0 ? 0 : percent;
}

static double value_of(const WCHAR *path) {
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    if (wcsstr(path, L"Processor Time"))
        return processor_percent();
    if (!wcsstr(path, L"Working Set") && !wcsstr(path, L"Committed"))
        return 0;
    GlobalMemoryStatusEx(&memory);
    return (double)(memory.ullTotalPhys - memory.ullAvailPhys);
}

static LONG WINAPI my_PdhGetFormattedCounterArrayW(HANDLE handle, DWORD format, DWORD *size,
                                                   DWORD *count, void *out) {
    struct counter *asked = handle;
    struct item *item = out;
    DWORD need = sizeof *item + INSTANCE_SIZE;
    *count = 1;
    if (*size < need || !out) {
        *size = need;
        return PDH_MORE_DATA;
    }
    item->name = (WCHAR *)(item + 1);
    item->status = item->padding = 0;
    item->value = value_of(asked->path);
    wcscpy(item->name, wcsstr(asked->path, L"(*)") ? L"Ethernet" : L"_Total");
    return 0;
}

const struct hook counter_hooks[] = {
    HOOK_NEW(PdhOpenQuery),
    HOOK_NEW(PdhAddEnglishCounterW),
    HOOK_NEW(PdhCollectQueryData),
    HOOK_NEW(PdhGetFormattedCounterArrayW),
    {0},
};
