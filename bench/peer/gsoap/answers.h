/* The answers that the gSOAP server holds in memory, as Triglyph gave them. */
#include "soapH.h"

/* Reads the answers of all shoppers: a line for each value, its name and a tab before it. */
void read_answers(const char *file);

/* Returns a null pointer for a reference that is not in the file. */
struct recurring__RecurringDetailsResult *find_answer(const char *shopper_reference);
