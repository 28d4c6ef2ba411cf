/* Reads the answers of all shoppers into the structures that gSOAP serializes. */
#include <search.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"

struct field {
  const char *name;
  size_t offset;
  /* gSOAP points to the pointer of a text that is optional and limited in length. The schema says which texts are. */
  enum { TEXT, LIMITED_TEXT } kind;
};

#define KIND(type, member) _Generic(((struct type *)0)->member, char *: TEXT, char **: LIMITED_TEXT)
#define FIELD(type, member) {#member, offsetof(struct type, member), KIND(type, member)}
#define END {NULL, 0, TEXT}

static const struct field address_fields[] = {
    FIELD(common__Address, city),
    FIELD(common__Address, country),
    FIELD(common__Address, houseNumberOrName),
    FIELD(common__Address, postalCode),
    FIELD(common__Address, stateOrProvince),
    FIELD(common__Address, street),
    END,
};

static const struct field card_fields[] = {
    FIELD(payment__Card, expiryMonth),
    FIELD(payment__Card, expiryYear),
    FIELD(payment__Card, holderName),
    FIELD(payment__Card, issueNumber),
    FIELD(payment__Card, number),
    FIELD(payment__Card, startMonth),
    FIELD(payment__Card, startYear),
    END,
};

static const struct field name_fields[] = {
    FIELD(common__Name, firstName),
    FIELD(common__Name, infix),
    FIELD(common__Name, lastName),
    END,
};

static const struct field detail_fields[] = {
    FIELD(recurring__RecurringDetail, acquirer),
    FIELD(recurring__RecurringDetail, acquirerAccount),
    FIELD(recurring__RecurringDetail, alias),
    FIELD(recurring__RecurringDetail, aliasType),
    FIELD(recurring__RecurringDetail, firstPspReference),
    FIELD(recurring__RecurringDetail, name),
    FIELD(recurring__RecurringDetail, paymentMethodVariant),
    FIELD(recurring__RecurringDetail, recurringDetailReference),
    FIELD(recurring__RecurringDetail, socialSecurityNumber),
    FIELD(recurring__RecurringDetail, variant),
    END,
};

static const struct field answer_fields[] = {
    FIELD(recurring__RecurringDetailsResult, lastKnownShopperEmail),
    FIELD(recurring__RecurringDetailsResult, shopperReference),
    END,
};

static void fail(const char *what, const char *which) {
  fprintf(stderr, "%s: %s\n", what, which);
  exit(1);
}

static void *zeroed(size_t size) {
  void *memory = calloc(1, size);
  if (memory == NULL) fail("out of memory", "answers");
  return memory;
}

static void *copied(const void *value, size_t size) { return memcpy(zeroed(size), value, size); }

/* Sets a text by the name of its field. */
static void set_text(void *structure, const struct field *fields, const char *name, const char *value) {
  for (; fields->name != NULL; fields++)
    if (strcmp(fields->name, name) == 0) {
      char *text = strdup(value);
      void *place = (char *)structure + fields->offset;
      if (fields->kind == TEXT)
        *(char **)place = text;
      else
        *(char ***)place = copied(&text, sizeof text);
      return;
    }
  fail("unknown field", name);
}

/* The value is in milliseconds. */
static time_t *date_of(const char *value) {
  time_t seconds = strtoll(value, NULL, 10) / 1000;
  return copied(&seconds, sizeof seconds);
}

static void add_entry(struct recurring__RecurringDetail *detail, const char *key, const char *value) {
  if (detail->additionalData == NULL) detail->additionalData = zeroed(sizeof *detail->additionalData);
  struct recurring__anyType2anyTypeMap *map = detail->additionalData;
  map->entry = realloc(map->entry, (map->__sizeentry + 1) * sizeof *map->entry);
  map->entry[map->__sizeentry].key = strdup(key);
  map->entry[map->__sizeentry].value = strdup(value);
  map->__sizeentry++;
}

static void add_contract(struct recurring__RecurringDetail *detail, const char *value) {
  if (detail->contractTypes == NULL) detail->contractTypes = zeroed(sizeof *detail->contractTypes);
  struct recurring__ArrayOfString *list = detail->contractTypes;
  list->string = realloc(list->string, (list->__sizestring + 1) * sizeof *list->string);
  list->string[list->__sizestring++] = strdup(value);
}

static void set_name(struct recurring__RecurringDetail *detail, const char *name, const char *value) {
  if (detail->shopperName == NULL) detail->shopperName = zeroed(sizeof *detail->shopperName);
  if (strcmp(name, "gender") != 0) {
    set_text(detail->shopperName, name_fields, name, value);
    return;
  }
  enum common__Gender gender;
  struct soap soap;
  soap_init(&soap);
  if (soap_s2common__Gender(&soap, value, &gender) != SOAP_OK) fail("unknown gender", value);
  soap_done(&soap);
  detail->shopperName->gender = copied(&gender, sizeof gender);
}

/* `member` is what follows the dot of a name, such as `card.number`. */
static void set_detail(struct recurring__RecurringDetail *detail, const char *name, const char *member, const char *value) {
  if (member == NULL && strcmp(name, "creationDate") == 0) {
    detail->creationDate = date_of(value);
  } else if (member == NULL && strcmp(name, "contractTypes") == 0) {
    add_contract(detail, value);
  } else if (member == NULL) {
    set_text(detail, detail_fields, name, value);
  } else if (strcmp(name, "additionalData") == 0) {
    add_entry(detail, member, value);
  } else if (strcmp(name, "billingAddress") == 0) {
    if (detail->billingAddress == NULL) detail->billingAddress = zeroed(sizeof *detail->billingAddress);
    set_text(detail->billingAddress, address_fields, member, value);
  } else if (strcmp(name, "card") == 0) {
    if (detail->card == NULL) detail->card = zeroed(sizeof *detail->card);
    set_text(detail->card, card_fields, member, value);
  } else if (strcmp(name, "shopperName") == 0) {
    set_name(detail, member, value);
  } else {
    fail("unknown field", name);
  }
}

static struct recurring__RecurringDetail *add_detail(struct recurring__RecurringDetailsResult *answer) {
  if (answer->details == NULL) answer->details = zeroed(sizeof *answer->details);
  struct recurring__ArrayOfRecurringDetail *list = answer->details;
  list->RecurringDetail = realloc(list->RecurringDetail, (list->__sizeRecurringDetail + 1) * sizeof *list->RecurringDetail);
  struct recurring__RecurringDetail *detail = &list->RecurringDetail[list->__sizeRecurringDetail++];
  memset(detail, 0, sizeof *detail);
  return detail;
}

static struct recurring__RecurringDetailsResult *add_answer(const char *reference) {
  struct recurring__RecurringDetailsResult *answer = zeroed(sizeof *answer);
  ENTRY entry = {strdup(reference), answer};
  if (hsearch(entry, ENTER) == NULL) fail("too many shoppers", reference);
  return answer;
}

void read_answers(const char *file) {
  const size_t shoppers_max = 1000000;
  FILE *input = fopen(file, "r");
  if (input == NULL || hcreate(shoppers_max) == 0) fail("cannot read", file);
  struct recurring__RecurringDetailsResult *answer = NULL;
  struct recurring__RecurringDetail *detail = NULL;
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, input) > 0) {
    line[strcspn(line, "\n")] = '\0';
    char *value = strchr(line, '\t');
    if (value == NULL) fail("no tab", line);
    *value++ = '\0';
    char *member = strchr(line, '.');
    if (member != NULL) *member++ = '\0';
    if (strcmp(line, "answer") == 0) {
      answer = add_answer(value);
      detail = NULL;
    } else if (answer == NULL) {
      fail("no answer before", line);
    } else if (strcmp(line, "detail") == 0) {
      detail = add_detail(answer);
    } else if (detail != NULL) {
      set_detail(detail, line, member, value);
    } else if (strcmp(line, "creationDate") == 0) {
      answer->creationDate = date_of(value);
    } else {
      set_text(answer, answer_fields, line, value);
    }
  }
  free(line);
  fclose(input);
}

struct recurring__RecurringDetailsResult *find_answer(const char *shopper_reference) {
  ENTRY wanted = {(char *)shopper_reference, NULL};
  ENTRY *found = hsearch(wanted, FIND);
  return found == NULL ? NULL : found->data;
}
