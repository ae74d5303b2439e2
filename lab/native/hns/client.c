/* client.c: the wire to the HNS stand-in; see client.h. */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 5
#define LONGEST_ANSWER (64u << 20)

char *utf8(const WCHAR *text) {
    int size = text ? WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL) : 1;
    char *result = calloc(1, size);
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, result, size, NULL, NULL);
    return result;
}

/* "kube-proxy.exe:123", for the service's log. */
static void program_name(char *out, size_t size) {
    char path[MAX_PATH] = "", *name;
    GetModuleFileNameA(NULL, path, sizeof path);
    name = strrchr(path, '\\');
    snprintf(out, size, "%s:%lu", name ? name + 1 : path, GetCurrentProcessId());
}

static BOOL transfer(SOCKET socket, char *data, int size, BOOL out) {
    while (size > 0) {
        int done = out ? send(socket, data, size, 0) : recv(socket, data, size, 0);
        if (done <= 0)
            return FALSE;
        size -= done;
        data += done;
    }
    return TRUE;
}

/* The fields with their length before them; free() it. */
static char *frame(const char *const fields[FIELDS], DWORD *size) {
    char *data, *next;
    DWORD body = 0;
    for (int i = 0; i < FIELDS; i++)
        body += (DWORD)strlen(fields[i]) + 1;
    next = data = malloc(sizeof body + body);
    memcpy(next, &body, sizeof body);
    next += sizeof body;
    for (int i = 0; i < FIELDS; i++) {
        strcpy(next, fields[i]);
        next += strlen(next) + 1;
    }
    *size = sizeof body + body;
    return data;
}

static HRESULT exchange(SOCKET socket, char *data, DWORD size, char **answer) {
    DWORD head[2]; /* HRESULT, length */
    char *text;
    if (!transfer(socket, data, size, TRUE) || !transfer(socket, (char *)head, sizeof head, FALSE))
        return HRESULT_FROM_WIN32(ERROR_BROKEN_PIPE);
    if (head[1] >= LONGEST_ANSWER || !(text = calloc(1, head[1] + 1)))
        return HRESULT_FROM_WIN32(ERROR_BROKEN_PIPE);
    if (!transfer(socket, text, head[1], FALSE)) {
        free(text);
        return HRESULT_FROM_WIN32(ERROR_BROKEN_PIPE);
    }
    free(*answer);
    *answer = text;
    return (HRESULT)head[0];
}

HRESULT request(const char *function, const char *id, const char *parent, const char *text,
                char **answer) {
    char program[MAX_PATH + 16];
    const char *const fields[FIELDS] = {function, program, id ? id : "", parent ? parent : "",
                                        text ? text : ""};
    struct sockaddr_in service = {.sin_family = AF_INET, .sin_port = htons(HNS_PORT)};
    HRESULT result = HRESULT_FROM_WIN32(ERROR_SERVICE_NOT_ACTIVE);
    WSADATA winsock;
    SOCKET connection;
    DWORD size;
    char *data;
    program_name(program, sizeof program);
    data = frame(fields, &size);
    *answer = calloc(1, 1);
    WSAStartup(MAKEWORD(2, 2), &winsock);
    service.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection != INVALID_SOCKET &&
        !connect(connection, (struct sockaddr *)&service, sizeof service))
        result = exchange(connection, data, size, answer);
    closesocket(connection);
    WSACleanup();
    free(data);
    return result;
}
