/** The common schemas of the balance platform: ids, texts, postal addresses and pages of a list. */
import {
  boolean,
  inAnyCase,
  integer,
  map,
  object,
  oneOf,
  optional,
  required,
  type Schema,
  string,
} from '../../core/contract/index.ts';

export const text = (max: number, example: string) => string({ max, example });

const idText = (example: string) => string({ pattern: '[A-Za-z0-9_-]{1,80}', example });

export const platformId = idText('DemoPlatform');
export const holderId = idText('AH3227C223222H5J4DCLW9VBV');
export const accountId = idText('BA3227C223222H5J4DCM49VBV');
export const instrumentId = idText('PI3227C223222H5J4DCM49VCX');
export const legalEntityId = string({
  pattern: '[A-Za-z0-9_-]{1,80}',
  sensitive: true,
  searched: true,
  example: 'LE322KT223222D5FJ7THR293F',
});
export const groupId = idText('PG3227C223222B5CMD3FJFKGZ');

/** The id of the resource that a request is about, in its path. */
export const idInPath = <S extends Schema>(schema: S, what: string) =>
  required(schema, `The id of the ${what}.`, { in: 'path', invalid: 'structure' });

/** Returns 412 unless the resource still has this ETag. Without it, the last write wins. */
export const ifMatch = optional(
  string({ pattern: '[!-~]([ -~]{0,198}[!-~])?', example: '"3"' }),
  'The ETag of an earlier answer, several of them, or `*`: the request is refused (412) where the resource has changed since.',
  { in: 'header', header: 'If-Match', invalid: 'structure' },
);

export const eTag = required(
  string({ pattern: '"[0-9]{1,15}"', example: '"3"' }),
  'Names this state of the resource; for If-Match.',
  { in: 'header', header: 'ETag' },
);

export const description = optional(text(300, 'For the shop in Amsterdam'), 'Your own description.');
/** In updates: a text that is left out stays. */
export const changedDescription = optional(
  string({ max: 300, emptyString: 'present', example: 'For the shop in Amsterdam' }),
  'Your own description. An empty one removes it.',
);
export const reference = optional(text(150, 'YOUR-REFERENCE'), 'Your own reference.');
export const metadata = optional(
  map(100, { department: 'shops' }, { whenEmpty: 'present' }),
  'Your own entries of key and value. An update replaces all of them.',
);
export const timeZone = (otherwise: string) =>
  optional(
    string({ max: 96, format: 'timeZone', example: 'Europe/Amsterdam' }),
    `A name of the IANA time zone database; ${otherwise} where it is left out.`,
  );

export const country = string({ max: 2, format: 'country', example: 'NL' });
const countryOrUnknown = string({ max: 2, format: 'countryOrUnknown', example: 'NL' });
export const countryField = required(countryOrUnknown, 'Two letters, ISO 3166-1; ZZ if it is not known.');
export const currency = string({ max: 3, format: 'currency', example: 'EUR' });
export const email = string({ pattern: '[^@ ]{1,128}@[^@ ]{1,127}', example: 'anna@example.com' });
export const yesOrNo = boolean(true);

export const phone = object('PhoneNumber', {
  number: required(
    string({ pattern: '[+(]?[0-9][0-9 ()./-]{2,28}', example: '+31201234567' }),
    'With the code of the country.',
  ),
  type: required(inAnyCase(oneOf('PhoneType', 'landline', 'mobile')), 'What kind of phone it is.'),
});

export const address = object('Address', {
  city: required(text(3000, 'Amsterdam'), 'The city.'),
  country: countryField,
  houseNumberOrName: required(text(3000, '12'), 'The number or name of the house.'),
  postalCode: required(text(10, '1011 DJ'), 'The postal code.'),
  stateOrProvince: optional(text(1000, 'NH'), 'The state or province, where the country has them.'),
  street: required(text(3000, 'Simon Carmiggeltstraat'), 'The street.'),
});

export const contactDetails = object('ContactDetails', {
  address: required(address, 'Where the account holder lives or has its seat.'),
  email: required(email, 'The e-mail.'),
  phone: required(phone, 'The phone.'),
  webAddress: optional(text(255, 'https://www.example.com'), 'The address of the web site.'),
});

export const limitMax = 100;
export const limitUsual = 10;

/** The requested page of a list. */
export const paging = {
  offset: optional(integer(0, 2_147_483_647, 0), 'How many items to skip; 0 where it is left out.', { in: 'query' }),
  limit: optional(integer(1, limitMax, limitUsual), `How many items to give; ${limitUsual} where it is left out.`, {
    in: 'query',
  }),
} as const;

export const pages = {
  hasNext: required(yesOrNo, 'Whether there are items after these.'),
  hasPrevious: required(yesOrNo, 'Whether there are items before these.'),
} as const;
