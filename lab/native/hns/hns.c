/*
 * hns.c: computenetwork.dll (Hcn*) and vmcompute.dll (HNSCall), the client side of the Host
 * Networking Service.
 *
 * Stand-ins: Wine has neither. As on Windows the DLLs hold no state; each call is one request to
 * the service, here transom_lab.hns. Only the functions that Microsoft's Go packages hcsshim/hcn
 * and hnslib/hcn call are there; registering for notifications is not. Conventions of those
 * callers:
 *
 *   - HRESULT results; Go looks only at the sign, and unwraps 0x8007xxxx to the Win32 code.
 *   - strings in are UTF-16; strings out are CoTaskMemAlloc'd UTF-16, freed by the caller.
 *   - *error (the error record) stays NULL on success: a record is an error whatever the HRESULT.
 *   - Create with a null GUID: the service makes the id up, the handle stands for the new object.
 *   - a handle is opaque; here it is the object's id as text, freed by HcnClose*.
 */
#include "client.h"

#include <objbase.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __declspec(dllexport) HRESULT WINAPI
#define GUID_SIZE 40

static WCHAR *task_string(const char *text) {
    int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    WCHAR *result = CoTaskMemAlloc(size * sizeof *result);
    if (result)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, result, size);
    return result;
}

/* What a call gives back; each may be NULL where the function has no such result. */
struct results {
    WCHAR **text;
    void **handle;
    WCHAR **error;
};

static HRESULT call(const char *function, const char *id, const char *parent, const WCHAR *text,
                    struct results out) {
    char *argument = utf8(text), *answer;
    HRESULT result = request(function, id, parent, argument, &answer);
    if (out.text)
        *out.text = NULL;
    if (out.error)
        *out.error = NULL;
    if (SUCCEEDED(result)) {
        if (out.text)
            *out.text = task_string(answer);
        if (out.handle) /* Create and Open answer with the id */
            *out.handle = strdup(answer);
    } else if (out.error && answer[0]) {
        *out.error = task_string(answer);
    }
    free(argument);
    free(answer);
    return result;
}

static HRESULT call_by_guid(const char *function, const GUID *guid, const char *parent,
                            const WCHAR *text, struct results out) {
    char id[GUID_SIZE];
    sprintf(id, "%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", guid->Data1, guid->Data2,
            guid->Data3, guid->Data4[0], guid->Data4[1], guid->Data4[2], guid->Data4[3],
            guid->Data4[4], guid->Data4[5], guid->Data4[6], guid->Data4[7]);
    return call(function, id, parent, text, out);
}

API HNSCall(const WCHAR *method, const WCHAR *path, const WCHAR *object, WCHAR **response) {
    char *verb = utf8(method), *where = utf8(path);
    HRESULT result = call("HNSCall", verb, where, object, (struct results){.text = response});
    free(verb);
    free(where);
    return result;
}

#define OBJECT(KIND, KINDS)                                                                        \
    API HcnEnumerate##KINDS(const WCHAR *query, WCHAR **text, WCHAR **error) {                     \
        struct results out = {.text = text, .error = error};                                       \
        return call("HcnEnumerate" #KINDS, "", "", query, out);                                    \
    }                                                                                              \
    API HcnOpen##KIND(const GUID *id, void **handle, WCHAR **error) {                              \
        struct results out = {.handle = handle, .error = error};                                   \
        return call_by_guid("HcnOpen" #KIND, id, "", NULL, out);                                   \
    }                                                                                              \
    API HcnModify##KIND(void *handle, const WCHAR *settings, WCHAR **error) {                      \
        return call("HcnModify" #KIND, handle, "", settings, (struct results){.error = error});    \
    }                                                                                              \
    API HcnQuery##KIND##Properties(void *handle, const WCHAR *query, WCHAR **text,                 \
                                   WCHAR **error) {                                                \
        struct results out = {.text = text, .error = error};                                       \
        return call("HcnQuery" #KIND "Properties", handle, "", query, out);                        \
    }                                                                                              \
    API HcnDelete##KIND(const GUID *id, WCHAR **error) {                                           \
        return call_by_guid("HcnDelete" #KIND, id, "", NULL, (struct results){.error = error});    \
    }                                                                                              \
    API HcnClose##KIND(void *handle) {                                                             \
        free(handle);                                                                              \
        return S_OK;                                                                               \
    }

#define CREATE(KIND)                                                                               \
    API HcnCreate##KIND(const GUID *id, const WCHAR *settings, void **handle, WCHAR **error) {     \
        struct results out = {.handle = handle, .error = error};                                   \
        return call_by_guid("HcnCreate" #KIND, id, "", settings, out);                             \
    }

OBJECT(Network, Networks)
OBJECT(Endpoint, Endpoints)
OBJECT(Namespace, Namespaces)
OBJECT(LoadBalancer, LoadBalancers)
OBJECT(SdnRoute, SdnRoutes)
CREATE(Network)
CREATE(Namespace)
CREATE(LoadBalancer)
CREATE(SdnRoute)

API HcnCreateEndpoint(void *network, const GUID *id, const WCHAR *settings, void **handle,
                      WCHAR **error) {
    struct results out = {.handle = handle, .error = error};
    return call_by_guid("HcnCreateEndpoint", id, network, settings, out);
}
