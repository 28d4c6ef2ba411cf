/** What the balance platform answers, as data: a request, and what has to be in its answer. */
import { cardInfo } from '../support/seeded-platform.ts';

/** Ids that the test has made: `{holder}` and so on stand for them in paths and bodies. */
export interface Ids {
  readonly holder: string;
  readonly account: string;
  readonly instrument: string;
}

export interface ResourceCase {
  readonly name: string;
  /** `POST /accountHolders`; a path that opens with `/bcl` stands as it is. */
  readonly asks: string;
  /** JSON; a text stands as it is, and nothing where it is left out. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  /** As far as it matters. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** The names of all invalid fields, in their order. */
  readonly fields?: readonly string[];
}

const contact = {
  address: { city: 'A', country: 'NL', houseNumberOrName: '1', postalCode: '1011', street: 'S' },
  email: 'anna@example.com',
  phone: { number: '+31201234567', type: 'mobile' },
};
const card = { type: 'card', issuingCountryCode: 'NL', balanceAccountId: '{account}', card: cardInfo };
const bank = { type: 'bankAccount', issuingCountryCode: 'NL', balanceAccountId: '{account}' };

const notFound = { status: 404, answer: { errorCode: '00_404', title: 'Not found' } } as const;
const notAllowed = (Allow: string) =>
  ({ status: 405, answer: { errorCode: '00_405' }, headersOut: { Allow } }) as const;

export const addresses: readonly (ResourceCase & { readonly headersOut?: Readonly<Record<string, string>> })[] = [
  { name: 'version 1', asks: 'GET /bcl/v1/balancePlatforms/DemoPlatform', status: 200 },
  { name: 'the version in capitals', asks: 'GET /bcl/V2/balancePlatforms/DemoPlatform', status: 200 },
  { name: 'a trailing slash', asks: 'GET /balancePlatforms/DemoPlatform/', status: 200 },
  { name: 'an id with percent-encoded letters', asks: 'GET /balancePlatforms/%44emoPlatform', status: 200 },
  { name: 'version 3', asks: 'GET /bcl/v3/balancePlatforms/DemoPlatform', ...notFound },
  { name: 'version 0', asks: 'GET /bcl/v0/balancePlatforms/DemoPlatform', ...notFound },
  { name: 'no version', asks: 'GET /bcl/balancePlatforms/DemoPlatform', ...notFound },
  { name: 'nothing at all', asks: 'GET /bcl', ...notFound },
  { name: 'another word', asks: 'GET /accountholders/{holder}', ...notFound },
  { name: 'a word too many', asks: 'GET /accountHolders/{holder}/balanceAccounts/{account}', ...notFound },
  { name: 'an empty id', asks: 'GET /accountHolders//balanceAccounts', ...notFound },
  { name: 'DELETE', asks: 'DELETE /accountHolders/{holder}', ...notAllowed('GET, PATCH, HEAD') },
  { name: 'PUT', asks: 'PUT /balanceAccounts/{account}', ...notAllowed('GET, PATCH, HEAD') },
  { name: 'GET of what is only made', asks: 'GET /paymentInstruments', ...notAllowed('POST') },
  { name: 'GET of a cancel', asks: 'GET /paymentInstruments/{instrument}/cancel', ...notAllowed('POST') },
  { name: 'PATCH of a platform', asks: 'PATCH /balancePlatforms/DemoPlatform', body: {}, ...notAllowed('GET, HEAD') },
];

const bad = { status: 400, answer: { errorCode: '00_400', title: 'Bad request' } } as const;
const media = { status: 415, answer: { errorCode: '00_415' } } as const;
const refused = { status: 422, answer: { errorCode: '00_422', title: 'Invalid information provided' } } as const;

type Body = Readonly<Record<string, unknown>>;
/** Refused, each for all its wrong fields in their order: as a message, or for its values. */
const malformed = (name: string, asks: string, body: Body, fields: readonly string[]): ResourceCase => ({
  name,
  asks,
  body,
  ...bad,
  fields,
});
const invalid = (name: string, asks: string, body: Body, fields: readonly string[]): ResourceCase => ({
  name,
  asks,
  body,
  ...refused,
  fields,
});
const accepted = (name: string, asks: string, body: Body, answer: Body): ResourceCase => ({
  name,
  asks,
  body,
  status: 200,
  answer,
});
const type = (contentType: string | undefined) => ({ headers: { 'content-type': contentType } });

export const bodies: readonly ResourceCase[] = [
  { name: 'no body', asks: 'POST /accountHolders', ...bad, answer: { detail: /null result/ } },
  { name: 'null', asks: 'POST /accountHolders', body: 'null', ...bad, answer: { detail: /null result/ } },
  { name: 'an empty object', asks: 'POST /accountHolders', body: {}, status: 422, fields: ['legalEntityId'] },
  { name: 'a list', asks: 'POST /accountHolders', body: [], ...bad },
  { name: 'a text', asks: 'POST /accountHolders', body: '""', ...bad },
  { name: 'a number', asks: 'PATCH /accountHolders/{holder}', body: '1', ...bad },
  { name: 'a name twice', asks: 'POST /accountHolders', body: '{"reference":"a","reference":"b"}', ...bad },
  { name: 'no JSON', asks: 'POST /accountHolders', body: '{"legalEntityId":}', ...bad },
  { name: 'half of a surrogate', asks: 'POST /accountHolders', body: '{"legalEntityId":"\\ud800"}', ...bad },
  { name: 'XML', asks: 'POST /accountHolders', body: '<a/>', ...type('text/xml'), ...media },
  { name: 'a form', asks: 'POST /accountHolders', body: 'a=b', ...type('application/x-www-form-urlencoded'), ...media },
  {
    name: 'another charset',
    asks: 'POST /accountHolders',
    body: {},
    ...type('application/json; charset=utf-7'),
    ...media,
  },
  { name: 'a body that does not say what it is', asks: 'POST /accountHolders', body: {}, ...type(undefined), ...media },
  { name: 'a GET of any type', asks: 'GET /accountHolders/{holder}', ...type('text/plain'), status: 200 },
  { name: 'a PATCH without a body', asks: 'PATCH /accountHolders/{holder}', status: 200 },
  malformed('a misspelt field', 'PATCH /paymentInstruments/{instrument}', { statsu: 'closed' }, ['statsu']),
  accepted('the id of the path again in the body', 'PATCH /accountHolders/{holder}', { id: '{holder}' }, {}),
  invalid('a currency does not change', 'PATCH /balanceAccounts/{account}', { defaultCurrencyCode: 'USD' }, [
    'defaultCurrencyCode',
  ]),
  accepted(
    'what the platform says is taken and ignored',
    'POST /accountHolders',
    {
      legalEntityId: 'LE1',
      migratedAccountHolderCode: 'X',
      capabilities: { useCard: { requested: true, allowed: false, verificationStatus: 'rejected', problems: [{}] } },
    },
    { capabilities: { useCard: { allowed: true, requested: true, verificationStatus: 'valid' } } },
  ),
  accepted(
    'unknown members that are null or empty are ignored',
    'POST /accountHolders',
    { legalEntityId: 'LE1', colour: null, size: '', shapes: [{}], primaryBalanceAccount: null },
    { legalEntityId: 'LE1' },
  ),
  { name: 'an id that no id looks like', asks: 'GET /accountHolders/a%20b', ...bad, fields: ['id'] },
  { name: 'an id with a slash in it', asks: 'GET /accountHolders/a%2Fb', ...bad, fields: ['id'] },
  { name: 'an id that is not encoded soundly', asks: 'GET /accountHolders/%E0%A4', ...bad },
  {
    name: 'an If-Match that no header holds',
    asks: 'PATCH /accountHolders/{holder}',
    body: {},
    headers: { 'if-match': '"é"' },
    ...bad,
    fields: ['ifMatch'],
  },
];

const limited = '/balancePlatforms/DemoPlatform/accountHolders?';

export const fields: readonly ResourceCase[] = [
  {
    name: 'what only the platform can tell is wrong, at once too',
    asks: 'POST /paymentInstruments',
    body: { ...card, card: { ...cardInfo, brandVariant: 'mcdebit' }, statusReason: 'other' },
    ...refused,
    answer: {
      invalidFields: [
        { name: 'card.brandVariant', message: 'Invalid field card.brandVariant', value: 'mcdebit' },
        { name: 'statusComment', message: 'Required field statusComment not specified', value: '' },
      ],
    },
  },
  invalid(
    'all that is wrong at once',
    'POST /accountHolders',
    {
      capabilities: { issueCard: { requestedLevel: 'highest' } },
      contactDetails: {
        ...contact,
        address: { ...contact.address, country: 'XX' },
        email: 'anna',
        phone: { type: 'fax' },
      },
      description: 'x'.repeat(301),
      reference: 'x'.repeat(151),
      timeZone: 'Amsterdam',
    },
    [
      'capabilities.issueCard.requestedLevel',
      ...['contactDetails.address.country', 'contactDetails.email', 'contactDetails.phone.number'],
      ...['contactDetails.phone.type', 'description', 'legalEntityId', 'reference', 'timeZone'],
    ],
  ),
  invalid('a country in small letters', 'POST /paymentInstruments', { ...card, issuingCountryCode: 'nl' }, [
    'issuingCountryCode',
  ]),
  invalid(
    'a currency that is none',
    'POST /balanceAccounts',
    { accountHolderId: '{holder}', defaultCurrencyCode: 'XXX' },
    ['defaultCurrencyCode'],
  ),
  invalid(
    'a time that is none',
    'PATCH /balanceAccounts/{account}',
    { platformPaymentConfiguration: { salesDayClosingTime: '24:00' } },
    ['platformPaymentConfiguration.salesDayClosingTime'],
  ),
  invalid('an id that no id looks like', 'POST /balanceAccounts', { accountHolderId: 'a b' }, ['accountHolderId']),
  invalid('a card that is not there', 'POST /paymentInstruments', { ...card, card: undefined }, ['card']),
  invalid('a bank account with a card', 'POST /paymentInstruments', { ...bank, card: cardInfo }, ['card']),
  invalid(
    'a card and a bank account',
    'POST /paymentInstruments',
    { ...card, bankAccount: { formFactor: 'virtual' } },
    ['bankAccount'],
  ),
  invalid(
    'a variant of another brand',
    'POST /paymentInstruments',
    { ...card, card: { ...cardInfo, brandVariant: 'mcdebit' } },
    ['card.brandVariant'],
  ),
  invalid(
    'a name that no card holds',
    'POST /paymentInstruments',
    { ...card, card: { ...cardInfo, cardholderName: 'x'.repeat(27) } },
    ['card.cardholderName'],
  ),
  invalid('a bank account where none are made', 'POST /paymentInstruments', { ...bank, issuingCountryCode: 'JP' }, [
    'issuingCountryCode',
  ]),
  accepted(
    'an instrument that begins closed, with its reason',
    'POST /paymentInstruments',
    { ...card, status: 'closed', statusReason: 'lost' },
    { status: 'closed', statusReason: 'lost' },
  ),
  accepted(
    'an instrument that begins suspended, without a reason',
    'POST /paymentInstruments',
    { ...bank, status: 'suspended' },
    { status: 'suspended' },
  ),
  accepted(
    'brand and variant in capitals',
    'POST /paymentInstruments',
    { ...card, card: { ...cardInfo, brand: 'MC', brandVariant: 'McCorporate' } },
    { card: { brand: 'mc', brandVariant: 'mccorporate', bin: '222241' } },
  ),
  accepted(
    'a corporate card of Visa',
    'POST /paymentInstruments',
    { ...card, card: { ...cardInfo, brandVariant: 'visacorporate' } },
    { card: { brand: 'visa', brandVariant: 'visacorporate', bin: '400159' } },
  ),
  invalid(
    'a variant that no brand has',
    'POST /paymentInstruments',
    { ...card, card: { ...cardInfo, brandVariant: 'visagold' } },
    ['card.brandVariant'],
  ),
  invalid(
    'a delivery to a country that is not known, and to one that is none',
    'POST /paymentInstruments',
    {
      ...card,
      card: {
        ...cardInfo,
        configuration: { configurationProfileId: 'CP1', bulkAddress: { country: 'ZZ' } },
        deliveryContact: { address: { country: 'ZZ' }, name: { firstName: 'A', lastName: 'B' } },
      },
    },
    ['card.configuration.bulkAddress.country'],
  ),
  accepted(
    'a password, which is shown as a mask of one length',
    'POST /paymentInstruments',
    { ...card, card: { ...cardInfo, authentication: { password: 'open-sesame-17' } } },
    { card: { authentication: { password: '******' } } },
  ),
  invalid('a reason that says nothing', 'POST /paymentInstruments/{instrument}/cancel', { statusReason: 'other' }, [
    'statusComment',
  ]),
  invalid(
    'a card of a bank account',
    'PATCH /paymentInstruments/{instrument}',
    { card: { ...cardInfo, brand: 'mc' } },
    ['card.brand'],
  ),
  { name: 'no items', asks: `GET ${limited}limit=0`, ...refused, fields: ['limit'] },
  { name: 'too many items', asks: `GET ${limited}limit=101`, ...refused, fields: ['limit'] },
  { name: 'before the first', asks: `GET ${limited}offset=-1`, ...refused, fields: ['offset'] },
  {
    name: 'beyond all',
    asks: `GET ${limited}offset=2147483647`,
    status: 200,
    answer: { accountHolders: [], hasNext: false },
  },
  { name: 'no number', asks: `GET ${limited}limit=ten`, ...bad, fields: ['limit'] },
  { name: 'a parameter that is not there', asks: `GET ${limited}page=2`, ...bad, fields: ['page'] },
  { name: 'a parameter twice', asks: `GET ${limited}limit=1&limit=2`, ...bad },
  { name: 'a parameter on what has none', asks: 'GET /accountHolders/{holder}?limit=1', ...bad, fields: ['limit'] },
  {
    name: 'a status that is none',
    asks: 'GET /balanceAccounts/{account}/paymentInstruments?status=Active',
    ...refused,
    fields: ['status'],
  },
];

export const made: readonly ResourceCase[] = [
  accepted(
    'a physical card of the United States waits',
    'POST /paymentInstruments',
    { ...card, issuingCountryCode: 'US', card: { ...cardInfo, formFactor: 'physical' } },
    { status: 'inactive' },
  ),
  accepted(
    'unless it is asked for otherwise',
    'POST /paymentInstruments',
    { ...card, issuingCountryCode: 'US', status: 'active', card: { ...cardInfo, formFactor: 'physical' } },
    { status: 'active' },
  ),
  accepted(
    'a virtual card of the United States does not',
    'POST /paymentInstruments',
    { ...card, issuingCountryCode: 'US' },
    { status: 'active' },
  ),
  accepted('an IBAN of the Netherlands', 'POST /paymentInstruments', bank, {
    bankAccount: { type: 'iban', iban: /^NL\d\dTEST\d{10}$/, formFactor: 'physical' },
  }),
  accepted(
    'sort code and account number in the United Kingdom',
    'POST /paymentInstruments',
    { ...bank, issuingCountryCode: 'GB', bankAccount: { formFactor: 'virtual' } },
    {
      bankAccount: {
        type: 'ukLocal',
        sortCode: /^\d{6}$/,
        accountNumber: /^\d{8}$/,
        iban: /^GB/,
        formFactor: 'virtual',
      },
    },
  ),
  accepted(
    'routing number and account number in the United States',
    'POST /paymentInstruments',
    { ...bank, issuingCountryCode: 'US' },
    {
      bankAccount: { type: 'usLocal', routingNumber: /^\d{9}$/, accountNumber: /^\d{9}$/, accountType: 'checking' },
    },
  ),
  accepted(
    'an account in the currency that is asked for',
    'POST /balanceAccounts',
    { accountHolderId: '{holder}', defaultCurrencyCode: 'USD', timeZone: 'America/New_York' },
    {
      balances: [{ available: 0, balance: 0, currency: 'USD', reserved: 0 }],
      defaultCurrencyCode: 'USD',
      timeZone: 'America/New_York',
    },
  ),
  accepted(
    'an account in euro otherwise, in the time zone of its holder',
    'POST /balanceAccounts',
    { accountHolderId: '{holder}' },
    { defaultCurrencyCode: 'EUR', timeZone: 'Europe/Amsterdam', status: 'active' },
  ),
  accepted(
    'null says nothing',
    'PATCH /accountHolders/{holder}',
    { description: null, metadata: null, status: null },
    { status: 'active' },
  ),
];
