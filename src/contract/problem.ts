/** Problems: everything a caller can be refused for, in one table, and the one error class that carries it. */
import type { Path } from './path.ts';

export type ErrorType = 'validation' | 'security' | 'internal';

interface Kind {
  /** HTTP status in the formats that show it. */
  readonly status: number;
  /** Text, three digits or more; zero-padded. */
  readonly code: string;
  readonly type: ErrorType;
  /** `{0}` is the field in dotted form, `{1}` a limit, `{2}` what stands in the field; never of a sensitive one. */
  readonly message: string;
  /** Whether the same request with the same key may be sent again; callers read it in a header (wire practice). */
  readonly transient?: boolean;
  /** Where the problem has a code and a name of its own in problem details (RFC 9457), rather than those of its status. */
  readonly details?: ProblemType;
}

/** How problem details name a kind of problem. */
export interface ProblemType {
  /** The end of its address: `general/not-found`. */
  readonly type: string;
  readonly title: string;
}

const kind = (status: number, code: string, type: ErrorType, message: string, transient?: boolean): Kind =>
  Object.freeze({ status, code, type, message, ...(transient !== undefined && { transient }) });

/** What an operation on resources is refused for, beside what any operation is: 422, said in problem details. */
const refused = (code: string, type: string, title: string, message: string): Kind =>
  Object.freeze({ ...kind(422, code, 'validation', message), details: Object.freeze({ type, title }) });

const invalidValue = 'general/invalid-field-value';
const notAllowedNow = 'validation/not-allowed';

/** Of operations on resources; codes that callers know (30_001 to 30_031), and ours where none is known (30_201 on). */
export const resourceProblems = Object.freeze({
  emptyRequest: kind(400, '000', 'validation', 'Empty input which would have resulted in a null result.'),
  changedMeanwhile: kind(412, '000', 'validation', 'If-Match names another state of the resource than its present one'),
  resourceNotFound: refused(
    '30_002',
    'not-found',
    'Entity not found',
    'There is no such resource on this balance platform',
  ),
  platformNotActive: refused(
    '30_003',
    notAllowedNow,
    'Balance platform not active',
    'The balance platform is not active',
  ),
  accountNotActive: refused('30_004', notAllowedNow, 'Balance account not active', 'The balance account is not active'),
  accountClosed: refused('30_005', notAllowedNow, 'Balance account closed', 'The balance account is closed'),
  instrumentNotMovable: refused(
    '30_031',
    invalidValue,
    'Invalid Payment Instrument information provided',
    'The balanceAccountId can only be changed when the status is Inactive or Requested',
  ),
  illegalMove: refused('30_201', notAllowedNow, 'Status cannot change', 'The status cannot go from {0} to {1}'),
  holderNotActive: refused('30_202', notAllowedNow, 'Account holder not active', 'The account holder is not active'),
  holderInUse: refused(
    '30_203',
    notAllowedNow,
    'Account holder has balance accounts',
    'An account holder can only be closed when all of its balance accounts are closed',
  ),
  accountInUse: refused(
    '30_204',
    notAllowedNow,
    'Balance account has payment instruments',
    'A balance account can only be closed when all of its payment instruments are closed',
  ),
  accountNotEmpty: refused(
    '30_205',
    notAllowedNow,
    'Balance account not empty',
    'A balance account can only be closed when its balances are zero',
  ),
  instrumentInUse: refused(
    '30_206',
    notAllowedNow,
    'Payment instrument in use',
    'Once a payment instrument was active, only its status can change',
  ),
  alreadyReplaced: refused(
    '30_207',
    notAllowedNow,
    'Payment instrument already replaced',
    'The payment instrument has a replacement already',
  ),
  accountHolderClosed: refused('30_208', notAllowedNow, 'Account holder closed', 'The account holder is closed'),
  finallyClosed: refused('30_209', notAllowedNow, 'Closed for good', 'What is closed cannot be changed any more'),
});

/** Codes and texts as callers of this interface know them; the table is printed in the reference. */
const commonProblems = Object.freeze({
  unauthorized: kind(401, '000', 'security', 'HTTP Status Response - Unauthorized'),
  notAllowed: kind(403, '010', 'security', 'Not allowed'),
  foreignMerchantAccount: kind(403, '901', 'security', 'Invalid Merchant Account'),
  crossSite: kind(403, '010', 'security', 'Not allowed'),
  notFound: kind(404, '000', 'validation', 'Service not found'),
  unknownVersion: kind(404, '000', 'validation', 'Version not found; served here: {0}'),
  unknownOperation: kind(404, '000', 'validation', 'Operation not found; served here: {0}'),
  methodNotAllowed: kind(405, '000', 'validation', 'Method not allowed'),
  timeout: kind(408, '000', 'validation', 'Request timed out'),
  tooLarge: kind(413, '29_100', 'validation', 'Request larger than the maximum of {0} bytes'),
  unsupportedMedia: kind(415, '000', 'validation', 'Unsupported media type'),
  badRequest: kind(400, '000', 'validation', 'Bad request'),
  undecodable: kind(400, '702', 'validation', 'Problem parsing request'),
  unreadable: kind(400, '702', 'validation', 'Problem parsing request'),
  structure: kind(400, '702', 'validation', 'Problem parsing request: {0}'),
  unknownField: kind(400, '702', 'validation', 'Structure of {0} contains the following unknown fields: [{1}]'),
  mustUnderstand: kind(500, '702', 'validation', 'Header not understood'),
  versionMismatch: kind(500, '702', 'validation', 'Envelope version not understood'),
  invalidMerchantAccount: kind(422, '901', 'validation', 'Invalid Merchant Account'),
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
  invalidExpiryMonth: kind(422, '141', 'validation', 'Expiry month should be between 1 and 12 inclusive: {2}'),
  missingField: kind(422, '158', 'validation', 'Required field {0} not specified'),
  invalidIban: kind(422, '161', 'validation', 'Invalid iban'),
  invalidBic: kind(422, '162', 'validation', 'Invalid bic'),
  invalidField: kind(422, '192', 'validation', 'Invalid field {0}'),
  invalidCountry: kind(422, '200', 'validation', 'Invalid country code'),
  invalidOwnerName: kind(422, '203', 'validation', 'Invalid bank account holder name'),
  tooLong: kind(422, '29_001', 'validation', "Field '{0}' may not exceed {1} characters"),
  contractNotFound: kind(422, '800', 'validation', 'Contract not found'),
  tooManyDetails: kind(422, '801', 'validation', 'Too many PaymentDetails defined'),
  invalidContract: kind(422, '802', 'validation', 'Invalid contract'),
  detailNotFound: kind(422, '803', 'validation', 'PaymentDetail not found'),
  inProgress: kind(409, '704', 'validation', 'Request already processed or in progress', true),
  keyReused: kind(422, '704', 'validation', 'Idempotency-Key already used for another request', false),
  missingPaymentDetails: kind(422, '927', 'validation', 'Missing payment details'),
  missingCardToUpdate: kind(
    422,
    '927',
    'validation',
    'Missing card or shopperReference & selectedRecurringDetailReference',
  ),
  internal: kind(500, '701', 'internal', 'Server could not process request'),
  unavailable: kind(503, '703', 'internal', 'Required resource temporarily unavailable', true),
});

/** Every problem there is, by name. */
export const problems: Readonly<Record<keyof typeof commonProblems | keyof typeof resourceProblems, Kind>> =
  Object.freeze({ ...commonProblems, ...resourceProblems });

export type ProblemName = keyof typeof problems;

/** One thing that is wrong with a request, at a canonical path that each protocol prints in its own coordinates. */
export interface Issue {
  readonly path: Path;
  readonly problem: ProblemName;
  readonly message: string;
  /** What stands there, where the format of the answer shows it; never of a sensitive field. */
  readonly value?: string;
}

/** The text of a problem with its blanks filled. */
export const describe = (name: ProblemName, ...blanks: readonly string[]): string =>
  problems[name].message.replace(/\{(\d)\}/g, (_, index) => blanks[Number(index)] ?? '');

export const issue = (path: Path, problem: ProblemName, ...blanks: readonly string[]): Issue => ({
  path,
  problem,
  message: describe(problem, ...blanks),
});

/** Structure first, then the merchant account, then the fields in the contract's order. */
const rank = (name: ProblemName): number => {
  if (problems[name].status === 400) return 0;
  return name === 'invalidMerchantAccount' ? 1 : 2;
};

interface Details {
  readonly issues?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Where the request broke, for metrics and logs; never shown to the caller. */
  readonly reason?: string;
}

/** The only error that reaches a protocol. `message` is safe to show. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly problem: ProblemName;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;

  constructor(problem: ProblemName, message = describe(problem), details: Details = {}) {
    super(message, { cause: details.cause });
    this.problem = problem;
    this.issues = details.issues ?? [];
    this.headers = details.headers ?? {};
    this.reason = details.reason ?? problem;
  }

  get status(): number {
    return problems[this.problem].status;
  }
  get code(): string {
    return problems[this.problem].code;
  }
  get type(): ErrorType {
    return problems[this.problem].type;
  }

  /** All that is wrong at once; the first issue names the problem. */
  static of(issues: readonly Issue[]): Problem {
    const ordered = issues.toSorted((a, b) => rank(a.problem) - rank(b.problem));
    const [first] = ordered;
    if (first === undefined) throw new TypeError('a problem needs an issue');
    return new Problem(first.problem, first.message, { issues: ordered });
  }

  /** One field that the domain refuses. */
  static at(path: Path, problem: ProblemName, ...blanks: readonly string[]): Problem {
    return Problem.of([issue(path, problem, ...blanks)]);
  }

  /** What was thrown, as something that may be shown: anything unforeseen is `internal` and says nothing. */
  static from(thrown: unknown): Problem {
    return thrown instanceof Problem ? thrown : new Problem('internal', undefined, { cause: thrown });
  }
}

/** Throws where there are any. */
export const throwIssues = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw Problem.of(issues);
};
