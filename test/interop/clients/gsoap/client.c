/* A caller in C with the stubs of gSOAP. VERSION1: those of version 1. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "RecurringHttpBinding.nsmap"
#include "soapH.h"

static const char *endpoint, *shopper;
#ifndef VERSION1
static char *contract = "RECURRING, ONECLICK";
#else
static char *contract = "RECURRING";
#endif

/* The library forgets credentials and headers after each call. */
static struct soap *prepare(struct soap *soap, const char *password, const char *key)
{
    static char header[200];
    soap->userid = "ws@Company.Demo";
    soap->passwd = password;
    snprintf(header, sizeof header, "Idempotency-Key: %s", key ? key : "");
    soap->http_extra_header = key ? header : NULL;
    return soap;
}

static struct soap *ready(struct soap *soap)
{
    return prepare(soap, "demo-password", NULL);
}

static void say(const char *name, const char *value)
{
    printf("%s=%s\n", name, value ? value : "nil");
}

static void say_date(const char *name, const time_t *date)
{
    char text[16];
    if (date) strftime(text, sizeof text, "%Y-%m-%d", gmtime(date));
    say(name, date ? text : NULL);
}

static const char *fault_text(struct soap *soap)
{
    static char text[500];
    soap_set_fault(soap);
    const char *reason = soap_fault_string(soap);
    const char *detail = soap_fault_detail(soap);
    snprintf(text, sizeof text, "%s%s%s", reason ? reason : "", detail ? " " : "", detail ? detail : "");
    for (char *at = text; *at; at++)
        if (*at == '\n') *at = ' ';
    return text;
}

static void need(struct soap *soap, int status)
{
    if (status == SOAP_OK) return;
    fprintf(stderr, "error %d: %s\n", status, fault_text(soap));
    exit(1);
}

static void fault(const char *name, struct soap *soap, int status)
{
    char full[40];
    snprintf(full, sizeof full, "fault.%s", name);
    say(full, status == SOAP_OK ? "none" : fault_text(soap));
}

static int store(struct soap *soap, char *month, struct ns1__StoreTokenResult **result)
{
    struct ns3__Card card;
    struct ns3__Recurring recurring;
#ifndef VERSION1
    struct ns1__anyType2anyTypeMap map;
    struct _ns1__anyType2anyTypeMap_entry entry;
#endif
    struct ns1__StoreTokenRequest request;
    struct _ns1__storeToken message;
    struct _ns1__storeTokenResponse answer;
    char *cvc = "737";
    soap_default_ns3__Card(soap, &card);
    card.number = "4111111111111111";
    card.expiryMonth = month;
    card.expiryYear = "2031";
    card.holderName = "Zoë <&> Ω";
    card.cvc = &cvc;
    soap_default_ns3__Recurring(soap, &recurring);
    recurring.contract = contract;
#ifndef VERSION1
    soap_default__ns1__anyType2anyTypeMap_entry(soap, &entry);
    /* A value of any type is XML text. */
    entry.key = "a.b";
    entry.value = "ä &amp; ö";
    soap_default_ns1__anyType2anyTypeMap(soap, &map);
    map.__sizeentry = 1;
    map.entry = &entry;
#endif
    soap_default_ns1__StoreTokenRequest(soap, &request);
    request.merchantAccount = "DemoMerchant";
    request.shopperReference = (char *)shopper;
    request.shopperEmail = "stack@example.com";
    request.card = &card;
    request.recurring = &recurring;
#ifndef VERSION1
    request.additionalData = &map;
#endif
    message.request = &request;
    int status = soap_call___ns1__storeToken(soap, endpoint, "", &message, &answer);
    if (status == SOAP_OK) *result = answer.result;
    return status;
}

static int list(struct soap *soap, char *merchant, const char *reference, struct ns1__RecurringDetailsResult **result)
{
    struct ns1__RecurringDetailsRequest request;
    struct _ns1__listRecurringDetails message;
    struct _ns1__listRecurringDetailsResponse answer;
    soap_default_ns1__RecurringDetailsRequest(soap, &request);
    request.merchantAccount = merchant;
    request.shopperReference = (char *)reference;
    message.request = &request;
    int status = soap_call___ns1__listRecurringDetails(soap, endpoint, "", &message, &answer);
    if (status == SOAP_OK) *result = answer.result;
    return status;
}

static int disable(struct soap *soap, char *reference, struct ns1__DisableResult **result)
{
    struct ns1__DisableRequest request;
    struct _ns1__disable message;
    struct _ns1__disableResponse answer;
    soap_default_ns1__DisableRequest(soap, &request);
    request.merchantAccount = "DemoMerchant";
    request.shopperReference = (char *)shopper;
    request.recurringDetailReference = reference;
    message.request = &request;
    int status = soap_call___ns1__disable(soap, endpoint, "", &message, &answer);
    if (status == SOAP_OK) *result = answer.result;
    return status;
}

#ifndef VERSION1
/* Replaces the one entity of our value, in place. */
static char *unescaped(char *xml)
{
    char *entity = strstr(xml, "&amp;");
    if (entity) memmove(entity + 1, entity + 5, strlen(entity + 5) + 1);
    return xml;
}
#else
/* The request of the operations that only version 1 has. */
static struct ns1__RecurringRequest *account(struct soap *soap)
{
    static struct ns1__RecurringRequest request;
    soap_default_ns1__RecurringRequest(soap, &request);
    request.merchantAccount = "DemoMerchant";
    request.shopperReference = (char *)shopper;
    return &request;
}
#endif

int main(int count, char **arguments)
{
    if (count < 4) return 2;
    endpoint = arguments[2];
    shopper = arguments[3];
    char text[200];

    struct soap *soap = soap_new1(SOAP_C_UTFSTRING | SOAP_IO_KEEPALIVE);
    soap_set_namespaces(soap, namespaces);
    struct ns1__StoreTokenResult *stored, *again;
    need(soap, store(prepare(soap, "demo-password", shopper), "08", &stored));
    need(soap, store(prepare(soap, "demo-password", shopper), "08", &again));
    say("store.result", stored->result);
    say("store.reference", stored->recurringDetailReference);
#ifndef VERSION1
    say("store.pspReference", stored->pspReference);
    say("again.pspReference", again->pspReference);
#else
    say("store.rechargeReference", stored->rechargeReference);
    say("again.rechargeReference", again->rechargeReference);
#endif

    struct ns1__RecurringDetailsResult *listed, *demo, *unknown;
    need(soap, list(ready(soap), "DemoMerchant", shopper, &listed));
    say("list.shopper", listed->shopperReference);
    say("list.email", listed->lastKnownShopperEmail);
    say_date("list.date", listed->creationDate);
    printf("list.count=%d\n", listed->details->__sizeRecurringDetail);
    struct ns1__RecurringDetail *detail = listed->details->RecurringDetail;
    say("detail.reference", detail->recurringDetailReference);
    say("detail.holder", detail->card->holderName);
    say("detail.number", detail->card->number);
    snprintf(text, sizeof text, "%s/%s", detail->card->expiryMonth, detail->card->expiryYear);
    say("detail.expiry", text);
    say("detail.variant", detail->variant);
#ifndef VERSION1
    *text = 0;
    for (int at = 0; at < detail->contractTypes->__sizestring; at++) {
        if (at > 0) strcat(text, ",");
        strcat(text, detail->contractTypes->string[at]);
    }
    say("detail.contracts", text);
#endif
    say_date("detail.date", detail->creationDate);
#ifndef VERSION1
    for (int at = 0; at < detail->additionalData->__sizeentry; at++) {
        snprintf(text, sizeof text, "detail.map.%s", detail->additionalData->entry[at].key);
        say(text, unescaped(detail->additionalData->entry[at].value));
    }
#endif
    say("detail.bank", detail->bank ? "present" : NULL);
    say("detail.elv", detail->elv ? "present" : NULL);
    say("detail.cvc", detail->card->cvc ? *detail->card->cvc : NULL);

    need(soap, list(ready(soap), "DemoMerchant", "shopper-1", &demo));
    struct ns1__RecurringDetail *bank = &demo->details->RecurringDetail[2];
    say("bank.iban", bank->bank->iban);
    say("bank.card", bank->card ? "present" : NULL);

#ifndef VERSION1
    struct ns3__BankAccount account;
    struct ns1__TokenLookupRequest lookup;
    struct _ns1__tokenLookup question;
    struct _ns1__tokenLookupResponse holders;
    soap_default_ns3__BankAccount(soap, &account);
    account.iban = "NL13TEST0123456789";
    account.ownerName = "Anna";
    soap_default_ns1__TokenLookupRequest(soap, &lookup);
    lookup.merchantAccount = "DemoMerchant";
    lookup.bank = &account;
    question.request = &lookup;
    need(soap, soap_call___ns1__tokenLookup(ready(soap), endpoint, "", &question, &holders));
    say("lookup.shopper", holders.result->tokens->TokenDetail->shopperReference);

#endif
    need(soap, list(ready(soap), "DemoMerchant", "unknown-shopper", &unknown));
    printf("unknown.count=%d\n", unknown->details ? unknown->details->__sizeRecurringDetail : 0);
    say("unknown.email", unknown->lastKnownShopperEmail);
    say_date("unknown.date", unknown->creationDate);

#ifndef VERSION1
    struct ns1__ScheduleAccountUpdaterRequest check;
    struct _ns1__scheduleAccountUpdater message;
    struct _ns1__scheduleAccountUpdaterResponse update;
    soap_default_ns1__ScheduleAccountUpdaterRequest(soap, &check);
    check.merchantAccount = "DemoMerchant";
    check.shopperReference = (char *)shopper;
    check.reference = "check-1";
    check.selectedRecurringDetailReference = stored->recurringDetailReference;
    message.request = &check;
    need(soap, soap_call___ns1__scheduleAccountUpdater(ready(soap), endpoint, "", &message, &update));
    say("update.result", update.result->result);
    say("update.pspReference", update.result->pspReference);

#endif
    struct ns1__DisableResult *disabled;
    need(soap, disable(ready(soap), stored->recurringDetailReference, &disabled));
    say("disable.response", disabled->response);

#ifdef VERSION1
    struct _ns1__deactivateRecurring end;
    struct _ns1__deactivateRecurringResponse ended;
    need(soap, store(ready(soap), "08", &again));
    end.recurringRequest = account(soap);
    need(soap, soap_call___ns1__deactivateRecurring(ready(soap), endpoint, "", &end, &ended));
    say("deactivate.response", ended.recurringResult->response);
    say("deactivate.pspReference", ended.recurringResult->pspReference);

#endif
    fault("contract", soap, disable(ready(soap), NULL, &disabled));
    fault("merchant", soap, list(ready(soap), "OtherMerchant", shopper, &unknown));
    fault("field", soap, store(ready(soap), "13", &again));
#ifdef VERSION1
    struct _ns1__submitRecurring submit;
    struct _ns1__submitRecurringResponse submitted;
    submit.recurringRequest = account(soap);
    fault("payment", soap, soap_call___ns1__submitRecurring(ready(soap), endpoint, "", &submit, &submitted));
#endif
    fault("credentials", soap, list(prepare(soap, "wrong", NULL), "DemoMerchant", shopper, &unknown));
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return 0;
}
