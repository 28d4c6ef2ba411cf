/* A server in C with the skeletons of gSOAP: it speaks MTOM. `vault-server PORT [text]`; with `text` it answers in base64. */
#include <stdlib.h>
#include <string.h>
#include "VaultSoap.nsmap"
#include "soapH.h"

static int answers_in_text;

int main(int count, char **arguments)
{
    struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING);
    soap->bind_flags = SO_REUSEADDR;
    answers_in_text = count > 2;
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", atoi(arguments[1]), 100))) return 1;
    for (;;) {
        if (!soap_valid_socket(soap_accept(soap))) return 2;
        /* The mode of an answer stays. */
        soap_clr_omode(soap, SOAP_ENC_MTOM);
        if (!answers_in_text) soap_set_omode(soap, SOAP_ENC_MTOM);
        soap_serve(soap);
        soap_destroy(soap);
        soap_end(soap);
    }
}

int __ns1__Store(struct soap *soap, struct _ns1__Store *request, struct _ns1__StoreResponse *response)
{
    (void)soap;
    if (strcmp(request->Name, "refused") == 0) return soap_receiver_fault(soap, "The vault is closed", NULL);
    response->Size = request->Data.__size;
    response->WasAttached = request->Data.id != NULL;
    response->Data = request->Data;
    if (!answers_in_text) {
        response->Data.id = "cid:stored@gsoap";
        response->Data.type = "application/octet-stream";
        response->Data.options = NULL;
    } else
        response->Data.id = response->Data.type = response->Data.options = NULL;
    return SOAP_OK;
}
