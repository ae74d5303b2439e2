/*
 * sockets.c: AF_UNIX, which is error 10047 in Wine 8, over loopback TCP.
 *
 * A socket is a TCP socket on UNIX_ADDRESS, an address of 127/8 nothing else uses; the socket file
 * holds the port. Unlike on Windows, whoever can reach the loopback address can connect, whatever
 * the file's permissions say.
 */
#include "goshim.h"

#define UNIX_ADDRESS 0x7f554e58 /* 127.85.78.88, "UNX" */
#define UNIX_PATH_MAX 108
#define MOST_NAMES 256

struct unix_address {
    WORD family;
    char path[UNIX_PATH_MAX];
};

/* Which path a port stands for: a ring, enough to answer getsockname. */
static struct {
    WORD port;
    struct unix_address address;
} names[MOST_NAMES];
static volatile LONG names_next;

static struct unix_address *address_of(WORD port) {
    static struct unix_address anonymous = {AF_UNIX, "@"}; /* Go reads path[0] */
    for (int i = 0; port && i < MOST_NAMES; i++)
        if (names[i].port == port)
            return &names[i].address;
    return &anonymous;
}

static void remember(WORD port, const char *path) {
    int i = InterlockedIncrement(&names_next) % MOST_NAMES;
    names[i].address.family = AF_UNIX;
    lstrcpynA(names[i].address.path, path, UNIX_PATH_MAX);
    names[i].port = port;
}

static struct sockaddr_in loopback(WORD port) {
    struct sockaddr_in in = {0};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(UNIX_ADDRESS);
    in.sin_port = port;
    return in;
}

static BOOL is_ours(const struct sockaddr *address) {
    const struct sockaddr_in *in = (const void *)address;
    return in && in->sin_family == AF_INET && in->sin_addr.s_addr == htonl(UNIX_ADDRESS);
}

static SOCKET(WINAPI *real_WSASocketW)(int, int, int, void *, DWORD, DWORD);
static SOCKET WINAPI my_WSASocketW(int family, int type, int protocol, void *info, DWORD group,
                                   DWORD flags) {
    if (family != AF_UNIX)
        return real_WSASocketW(family, type, protocol, info, group, flags);
    return real_WSASocketW(AF_INET, SOCK_STREAM, IPPROTO_TCP, info, group, flags);
}

/* Puts a socket file in its place whole: one that a power cut left empty would be no socket. */
static DWORD place_socket(const WCHAR *path, unsigned port) {
    WCHAR beside[MAX_PATH];
    char text[40];
    DWORD error = 0, written;
    HANDLE file;
    int length = ux_socket_text(text, port);
    _snwprintf(beside, MAX_PATH, L"%ls.new", path);
    file = CreateFileW(beside, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return GetLastError();
    if (!WriteFile(file, text, length, &written, NULL))
        error = GetLastError();
    CloseHandle(file);
    if (!error && !MoveFileW(beside, path))
        error = GetLastError();
    if (error)
        DeleteFileW(beside);
    return error;
}

static int(WINAPI *real_bind)(SOCKET, const struct sockaddr *, int);
static int WINAPI my_bind(SOCKET socket, const struct sockaddr *address, int size) {
    const struct unix_address *wanted = (const void *)address;
    struct sockaddr_in in = loopback(0);
    int in_size = sizeof in;
    WCHAR path[MAX_PATH];
    DWORD error;
    if (!address || address->sa_family != AF_UNIX)
        return real_bind(socket, address, size);
    if (real_bind(socket, (struct sockaddr *)&in, sizeof in) ||
        getsockname(socket, (struct sockaddr *)&in, &in_size)) {
        error = WSAGetLastError();
        say("bind %s: error %lu", wanted->path, error);
        WSASetLastError(error);
        return SOCKET_ERROR;
    }
    MultiByteToWideChar(CP_UTF8, 0, wanted->path, -1, path, MAX_PATH);
    error = place_socket(path, ntohs(in.sin_port));
    if (error) {
        say("bind %s: file error %lu", wanted->path, error);
        WSASetLastError(error == ERROR_ALREADY_EXISTS ? WSAEADDRINUSE : WSAENETDOWN);
        return SOCKET_ERROR;
    }
    remember(in.sin_port, wanted->path);
    say("bind unix %s port %u", wanted->path, ntohs(in.sin_port));
    WSASetLastError(0);
    return 0;
}

static int(WINAPI *real_connect)(SOCKET, const struct sockaddr *, int);
static int WINAPI my_connect(SOCKET socket, const struct sockaddr *address, int size) {
    const struct unix_address *wanted = (const void *)address;
    struct sockaddr_in here = loopback(0), there;
    WCHAR path[MAX_PATH];
    WORD port = 0;
    char *name;
    if (!address || address->sa_family != AF_UNIX)
        return real_connect(socket, address, size);
    MultiByteToWideChar(CP_UTF8, 0, wanted->path, -1, path, MAX_PATH);
    if ((name = to_unix(path))) {
        port = htons((WORD)ux_socket_port(name));
        drop(name);
    }
    if (!port) { /* an ordinary file, or none */
        WSASetLastError(WSAECONNREFUSED);
        return SOCKET_ERROR;
    }
    remember(port, wanted->path);
    /* Bound, so that getsockname answers AF_UNIX on this side too. */
    real_bind(socket, (struct sockaddr *)&here, sizeof here);
    there = loopback(port);
    return real_connect(socket, (struct sockaddr *)&there, sizeof there);
}

static int as_unix(int result, struct sockaddr *address, int *size) {
    if (!result && is_ours(address)) {
        struct unix_address *known = address_of(((struct sockaddr_in *)address)->sin_port);
        *size = (int)(offsetof(struct unix_address, path) + strlen(known->path) + 1);
        memcpy(address, known, *size);
    }
    return result;
}

static int(WINAPI *real_getsockname)(SOCKET, struct sockaddr *, int *);
static int WINAPI my_getsockname(SOCKET socket, struct sockaddr *address, int *size) {
    return as_unix(real_getsockname(socket, address, size), address, size);
}

static int(WINAPI *real_getpeername)(SOCKET, struct sockaddr *, int *);
static int WINAPI my_getpeername(SOCKET socket, struct sockaddr *address, int *size) {
    return as_unix(real_getpeername(socket, address, size), address, size);
}

static void(WINAPI *real_GetAcceptExSockaddrs)(void *, DWORD, DWORD, DWORD, struct sockaddr **,
                                               int *, struct sockaddr **, int *);
static void WINAPI my_GetAcceptExSockaddrs(void *buffer, DWORD data, DWORD local_size,
                                           DWORD remote_size, struct sockaddr **local,
                                           int *local_length, struct sockaddr **remote,
                                           int *remote_length) {
    real_GetAcceptExSockaddrs(buffer, data, local_size, remote_size, local, local_length, remote,
                              remote_length);
    if (!*local || !is_ours(*local))
        return;
    *local = (struct sockaddr *)address_of(((struct sockaddr_in *)*local)->sin_port);
    *remote = (struct sockaddr *)address_of(0);
    *local_length = *remote_length = sizeof(struct unix_address);
}

const struct hook socket_hooks[] = {
    HOOK(WSASocketW),           HOOK(bind), HOOK(connect), HOOK(getsockname), HOOK(getpeername),
    HOOK(GetAcceptExSockaddrs), {0},
};
