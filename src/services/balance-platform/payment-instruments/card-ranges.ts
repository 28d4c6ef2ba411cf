/** The number ranges of issued cards, by brand and variant. */

/** First six digits of a card number (ISO/IEC 7812-1); nine random digits and a check digit follow. */
export interface CardRange {
  readonly brand: string;
  readonly brandVariant: string;
  readonly bin: string;
}

/**
 * Each range is that of a published test number, in the comment of its line: no bank issues cards here, and an issued number
 * must never be sent to a live network. Where the published lists name the product (debit, prepaid, corporate), the variant
 * follows them; no published Visa number is marked prepaid. Not used: `400000`, the range of the account updater's test
 * cards, and `411111` and `555544`, the ranges of the demo's stored cards.
 */
export const cardRanges: readonly CardRange[] = Object.freeze([
  range('visa', 'visa', '401288'), // 4012 8888 8888 1881
  range('visa', 'visacorporate', '400159'), // 4001 5900 0000 0001, corporate
  range('visa', 'visacredit', '424242'), // 4242 4242 4242 4242
  range('visa', 'visadebit', '400005'), // 4000 0566 5566 5556, debit
  range('visa', 'visaprepaid', '450060'), // 4500 6000 0000 0061
  range('mc', 'mc', '555555'), // 5555 5555 5555 4444
  range('mc', 'mccredit', '222300'), // 2223 0000 4841 0010, credit
  range('mc', 'mccommercialcredit_b2b', '510118'), // 5101 1800 0000 0007, commercial
  range('mc', 'mccorporate', '222241'), // 2222 4107 4036 0010, corporate
  range('mc', 'mcdebit', '520082'), // 5200 8282 8282 8210, debit
  range('mc', 'mcbusinessdebit', '550000'), // 5500 0000 0000 0004, debit
  range('mc', 'mcbusinessworlddebit', '222352'), // 2223 5204 4356 0010, debit
  range('mc', 'mcprepaid', '510510'), // 5105 1051 0510 5100, prepaid
  range('mc', 'mcmaestro', '677179'), // 6771 7980 2100 0008
]);

function range(brand: string, brandVariant: string, bin: string): CardRange {
  return Object.freeze({ brand, brandVariant, bin });
}
