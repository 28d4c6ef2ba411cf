/** Writes the main program of gSOAP stubs: C has no reflection. */

/** `operations`: their names. Each request is read from the file `<name>.xml`. */
export function mainOfGsoap(operations: readonly string[]): string {
  return `/* Calls each operation with the example of its request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "soapH.h"
#include "main.nsmap"

static const char *xml(const char *name)
{
    static char text[1 << 20];
    char path[300];
    size_t length;
    FILE *file;
    snprintf(path, sizeof path, "%s.xml", name);
    file = fopen(path, "r");
    length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = 0;
    return text;
}

static void reset(void)
{
    char command[300];
    snprintf(command, sizeof command, "curl -sS -o reset.log -X POST %s/_test/reset", getenv("MOCK"));
    if (system(command) != 0) exit(1);
}

static void print(struct soap *soap, const char *name, int error)
{
    if (error == SOAP_OK || error == 202) printf("%s ok\\n", name);
    else
    {
        const char **text = (const char **)soap_faultstring(soap);
        printf("%s %d %s\\n", name, error, text && *text ? *text : "");
    }
}

int main(void)
{
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING);
    const char *address = getenv("ADDRESS");
${operations.map(callOf).join('')}    return 0;
}
`;
}

/** In C an underscore of a name in XML is `_USCORE`. */
function callOf(name: string): string {
  const symbol = `ns1__${name.replaceAll('_', '_USCORE')}`;
  return `    {
        struct _${symbol} request;
        struct _${symbol}Response response;
        int error;
        reset();
        soap_default__${symbol}(soap, &request);
        soap_default__${symbol}Response(soap, &response);
        soap->is = xml("${name}");
        error = soap_read__${symbol}(soap, &request);
        soap->is = NULL;
        if (error == SOAP_OK) error = soap_call___${symbol}(soap, address, NULL, &request, &response);
        print(soap, "${name}", error);
        soap_destroy(soap);
        soap_end(soap);
    }
`;
}
