/*
 * client.h: one request to the HNS stand-in of the host (transom_lab.hns).
 *
 * The service listens on 127.0.0.1:HNS_PORT of the host's own network namespace. One connection per
 * call: u32 length, then function, program, id, parent and text, each UTF-8 ended by NUL; answered
 * by u32 HRESULT, u32 length, UTF-8 text (the result if it succeeded, the error record if not).
 */
#ifndef HNS_CLIENT_H
#define HNS_CLIENT_H

#include <winsock2.h>
#include <windows.h>

#define HNS_PORT 9099

/* UTF-8 of a string, "" for NULL; free() it. */
char *utf8(const WCHAR *text);

/* *answer is always set; free() it. An unreachable service is ERROR_SERVICE_NOT_ACTIVE, which is
 * what Windows answers while the hns service is stopped. */
HRESULT request(const char *function, const char *id, const char *parent, const char *text,
                char **answer);

#endif
