/** The problems of the Recurring service: codes and texts as callers of this interface know them. */
import { defineProblems, kind, problems } from '../../contract/problem.ts';

/** Problems of the engine are listed for their place in the documents. */
export const recurringProblems = defineProblems({
  invalidBillingDate: kind(
    422,
    '000',
    'validation',
    'Inner validation error(s) occurred: billingDate should be in yyyy-MM-dd format',
  ),
  noPaymentService: kind(422, '000', 'validation', 'No payment service is connected'),
  foreignMerchantAccount: kind(403, '901', 'security', 'Invalid Merchant Account'),
  crossSite: problems.crossSite,
  invalidMerchantAccount: kind(422, '901', 'validation', 'Invalid Merchant Account', { first: true }),
  invalidCardNumber: kind(422, '101', 'validation', 'Invalid card number'),
  unknownVariant: kind(422, '102', 'validation', 'Unable to determine variant'),
  invalidCvc: kind(422, '103', 'validation', 'CVC is not the right length'),
  invalidBankAccount: kind(422, '108', 'validation', 'Invalid bankaccount number'),
  missingBankDetails: kind(422, '110', 'validation', 'BankDetails missing'),
  missingShopperReference: kind(422, '121', 'validation', "Required field 'shopperReference' is not provided."),
  invalidRecurringContract: kind(422, '125', 'validation', 'Invalid recurring contract specified'),
  missingAccountHolder: kind(422, '127', 'validation', 'Account holder missing'),
  missingCardHolder: kind(422, '128', 'validation', "Required field 'card.holderName' is not provided."),
  invalidExpiry: kind(422, '129', 'validation', 'Expiry Date Invalid'),
  missingReference: kind(422, '130', 'validation', 'Reference Missing'),
  invalidExpiryMonth: kind(422, '141', 'validation', 'Expiry month should be between 1 and 12 inclusive: {2}', {
    blanks: ['field', 'n', 'what was given'],
  }),
  missingField: problems.missingField,
  invalidIban: kind(422, '161', 'validation', 'Invalid iban'),
  invalidBic: kind(422, '162', 'validation', 'Invalid bic'),
  invalidField: problems.invalidField,
  invalidCountry: kind(422, '200', 'validation', 'Invalid country code'),
  invalidOwnerName: kind(422, '203', 'validation', 'Invalid bank account holder name'),
  tooLong: problems.tooLong,
  contractNotFound: kind(422, '800', 'validation', 'Contract not found'),
  tooManyDetails: kind(422, '801', 'validation', 'Too many PaymentDetails defined'),
  invalidContract: kind(422, '802', 'validation', 'Invalid contract'),
  detailNotFound: kind(422, '803', 'validation', 'PaymentDetail not found'),
  keyReused: problems.keyReused,
  missingPaymentDetails: kind(422, '927', 'validation', 'Missing payment details'),
  missingCardToUpdate: kind(
    422,
    '927',
    'validation',
    'Missing card or shopperReference & selectedRecurringDetailReference',
  ),
});
