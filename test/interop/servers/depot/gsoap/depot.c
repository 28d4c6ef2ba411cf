/* The depot by gSOAP, one connection after the other. `depot PORT WSDL` */
#include "soapH.h"
#include "Depot.nsmap"
#include <stdlib.h>
#include <string.h>

static const char *document;
static char *notes[100];
static int count = 0;

static int serveDocument(struct soap *soap) {
  char line[1024];
  FILE *file;
  if (!strstr(soap->path, "?wsdl") || !(file = fopen(document, "r"))) return 404;
  soap->http_content = "text/xml";
  soap_response(soap, SOAP_FILE);
  while (fgets(line, sizeof line, file)) soap_send(soap, line);
  fclose(file);
  return soap_end_send(soap);
}

int ns__LogIn(struct soap *soap, char *user, struct ns__LogInResponse *answer) {
  char *id = soap_malloc(soap, strlen(user) + 3);
  soap->header = soap_malloc(soap, sizeof *soap->header);
  soap->header->ns__Session_ = soap_malloc(soap, sizeof *soap->header->ns__Session_);
  soap->header->ns__Session_->sessionId = strcat(strcpy(id, "s-"), user);
  answer->since = "today";
  return SOAP_OK;
}

int ns__GetParcel(struct soap *soap, char *id, struct ns__GetParcelResponse *answer) {
  static char *tags[] = {"a", "b & c"};
  static int lines[] = {7, 9};
  struct ns__Session *session = soap->header ? soap->header->ns__Session_ : NULL;
  soap->header = NULL;
  if (strcmp(id, "none") == 0) {
    struct ns__ParcelNotFound *missing = soap_malloc(soap, sizeof *missing);
    missing->id = id;
    missing->__sizeline = 2;
    missing->line = lines;
    soap_sender_fault(soap, "No such parcel", NULL);
    soap->fault->detail = soap_malloc(soap, sizeof *soap->fault->detail);
    memset(soap->fault->detail, 0, sizeof *soap->fault->detail);
    soap->fault->detail->ns__ParcelNotFound_ = missing;
    if (soap->version == 2) {
      soap->fault->SOAP_ENV__Detail = soap->fault->detail;
      soap->fault->detail = NULL;
    }
    return SOAP_FAULT;
  }
  if (strcmp(id, "broken") == 0) return soap_receiver_fault(soap, "Out of order", NULL);
  answer->parcel.id = id;
  answer->parcel.weight = "2.50";
  answer->parcel.pieces = 3;
  answer->parcel.sent = "2026-01-02T03:04:05Z";
  answer->parcel.__sizetag = 2;
  answer->parcel.tag = tags;
  answer->parcel.owner = session ? session->sessionId : NULL;
  return SOAP_OK;
}

int ns__Pack(struct soap *soap, struct ns__Box box, struct ns__PackResponse *answer) {
  answer->box = box;
  return SOAP_OK;
}

int ns__Notify(struct soap *soap, char *text) {
  if (count < 100) notes[count++] = strdup(text);
  return soap_send_empty_response(soap, SOAP_OK);
}

int ns__GetNotes(struct soap *soap, struct ns__GetNotesResponse *answer) {
  answer->__sizenote = count;
  answer->note = notes;
  return SOAP_OK;
}

int main(int argc, char **argv) {
  struct soap *soap = soap_new1(SOAP_C_UTFSTRING);
  if (argc < 3) return 1;
  document = argv[2];
  soap->fget = serveDocument;
  soap->bind_flags = SO_REUSEADDR;
  soap->send_timeout = soap->recv_timeout = 10;
  if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", atoi(argv[1]), 100))) return 1;
  while (soap_valid_socket(soap_accept(soap))) {
    soap_serve(soap);
    soap_destroy(soap);
    soap_end(soap);
  }
  return 1;
}
