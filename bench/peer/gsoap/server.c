/* A peer: a gSOAP server on Triglyph's WSDL answers from memory. For measurements on loopback only. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "RecurringHttpBinding.nsmap"
#include "answers.h"

static void *serve_connection(void *soap);
static int free_request(struct soap *soap);
static int answer_get(struct soap *soap);
static void end(int signal);

int main(void) {
  signal(SIGTERM, end);
  /* The load generator closes connections while they are answered. */
  signal(SIGPIPE, SIG_IGN);
  read_answers(getenv("ANSWERS_TEXT"));
  /* A tree has no two references to one node, so gSOAP need not look for them. Chunks need no count of bytes before. */
  struct soap *soap = soap_new2(SOAP_IO_KEEPALIVE | SOAP_XML_TREE, SOAP_IO_KEEPALIVE | SOAP_XML_TREE | SOAP_IO_CHUNK);
  soap->max_keep_alive = 0;
  soap->bind_flags = SO_REUSEADDR;
  soap->fserveloop = free_request;
  soap->fget = answer_get;
  if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", atoi(getenv("PORT")), 128))) {
    soap_print_fault(soap, stderr);
    return 1;
  }
  while (soap_valid_socket(soap_accept(soap))) {
    pthread_t thread;
    pthread_create(&thread, NULL, serve_connection, soap_copy(soap));
    pthread_detach(thread);
  }
  soap_print_fault(soap, stderr);
  return 1;
}

static void *serve_connection(void *of_connection) {
  struct soap *soap = of_connection;
  soap_serve(soap);
  soap_destroy(soap);
  soap_end(soap);
  soap_free(soap);
  return NULL;
}

static int free_request(struct soap *soap) {
  soap_destroy(soap);
  soap_end(soap);
  return SOAP_OK;
}

/* Tells that the server is ready. */
static int answer_get(struct soap *soap) {
  soap_response(soap, SOAP_HTML);
  soap_send(soap, "ready");
  return soap_end_send(soap);
}

static void end(int signal) {
  (void)signal;
  _exit(0);
}

int __recurring__listRecurringDetails(struct soap *soap, struct _recurring__listRecurringDetails *input,
                                      struct _recurring__listRecurringDetailsResponse *output) {
  (void)soap;
  output->result = find_answer(input->request->shopperReference);
  return SOAP_OK;
}

/* The WSDL has a port for SOAP 1.2, too. */
int __recurring__listRecurringDetails_(struct soap *soap, struct _recurring__listRecurringDetails *input,
                                       struct _recurring__listRecurringDetailsResponse *output) {
  return __recurring__listRecurringDetails(soap, input, output);
}

#define REFUSE(operation)                                                                                \
  int __recurring__##operation(struct soap *soap, struct _recurring__##operation *input,                 \
                               struct _recurring__##operation##Response *output) {                       \
    (void)soap, (void)input, (void)output;                                                               \
    return SOAP_NO_METHOD;                                                                               \
  }                                                                                                      \
  int __recurring__##operation##_(struct soap *soap, struct _recurring__##operation *input,              \
                                  struct _recurring__##operation##Response *output) {                    \
    return __recurring__##operation(soap, input, output);                                                \
  }

REFUSE(disable)
REFUSE(notifyShopper)
REFUSE(scheduleAccountUpdater)
REFUSE(storeToken)
REFUSE(tokenLookup)
