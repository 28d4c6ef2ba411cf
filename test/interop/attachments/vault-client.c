/* A caller in C with the stubs of gSOAP: `vault-client URL BYTES [text]` sends bytes in MTOM, or in base64 with `text`, and compares the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "VaultHttpBinding.nsmap"
#include "soapH.h"

int main(int count, char **arguments)
{
    int size = atoi(arguments[2]);
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING);
    struct _ns1__Store request;
    struct _ns1__StoreResponse response;
    memset(&request, 0, sizeof request);
    request.Name = "from C";
    request.Data.__size = size;
    request.Data.__ptr = soap_malloc(soap, size);
    for (int at = 0; at < size; at++) request.Data.__ptr[at] = (unsigned char)(at * 7 + at / 256);
    if (count <= 3) {
        soap_set_mode(soap, SOAP_ENC_MTOM);
        request.Data.id = "cid:sent@gsoap";
        request.Data.type = "application/octet-stream";
    }
    if (soap_call___ns1__Store(soap, arguments[1], NULL, &request, &response) != SOAP_OK) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    printf("size=%d attached=%d returned=%s same=%d\n", response.Size, (int)response.WasAttached,
           response.Data.id ? "part" : "text",
           response.Data.__size == size && memcmp(response.Data.__ptr, request.Data.__ptr, size) == 0);
    return 0;
}
