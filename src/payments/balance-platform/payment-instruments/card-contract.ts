/** The card of a payment instrument, in requests and in responses. */
import { type Fields, inAnyCase, object, oneOf, optional, required, string } from '../../../core/contract/index.ts';
import { readOnly } from '../read-only.ts';
import * as shapes from '../schemas.ts';

export const formFactor = oneOf('FormFactor', 'physical', 'unknown', 'virtual');
const cardBrand = inAnyCase(oneOf('CardBrand', 'visa', 'mc'));

/** As long for every password. */
export const maskedPassword = '******';

const authenticationFields = {
  email: optional(shapes.email, 'The e-mail of the cardholder.'),
  phone: optional(shapes.phone, 'The phone of the cardholder.'),
} as const;

const authentication = object('CardAuthentication', {
  ...authenticationFields,
  password: optional(
    string({ min: 1, max: 30, sensitive: true, neverStored: true, example: 'a-password' }),
    'The password for 3D Secure. Never stored; responses show a mask in its place.',
  ),
});
const shownAuthentication = object('CardAuthentication', {
  ...authenticationFields,
  password: optional(
    string({ pattern: '[*]{6}', example: maskedPassword }),
    'The mask of a password; absent without one.',
  ),
});

const code = (what: string) => optional(shapes.text(255, 'code-1'), what);

const bulkAddress = object('BulkAddress', {
  city: optional(shapes.text(1000, 'Amsterdam'), 'The city.'),
  company: optional(shapes.text(255, 'Demo B.V.'), 'The company.'),
  country: required(shapes.country, 'Two letters, ISO 3166-1.'),
  email: optional(shapes.email, 'The e-mail.'),
  houseNumberOrName: optional(shapes.text(1000, '12'), 'The number or name of the house.'),
  line1: optional(shapes.text(255, 'Simon Carmiggeltstraat 12'), 'The first line: street and number.'),
  line2: optional(shapes.text(255, 'Second floor'), 'The second line.'),
  line3: optional(shapes.text(255, 'Reception'), 'The third line.'),
  mobile: optional(shapes.text(40, '+31612345678'), 'The mobile phone.'),
  name: optional(shapes.text(255, 'Anna van Dijk'), 'The person who receives the cards.'),
  postalCode: optional(shapes.text(10, '1011 DJ'), 'The postal code.'),
  stateOrProvince: optional(shapes.text(1000, 'NH'), 'The state or province.'),
  street: optional(shapes.text(1000, 'Simon Carmiggeltstraat'), 'The street.'),
});

const cardConfiguration = object('CardConfiguration', {
  activation: code('The activation label.'),
  activationUrl: optional(shapes.text(255, 'https://www.example.com/activate'), 'Where the cardholder activates it.'),
  bulkAddress: optional(bulkAddress, 'Where cards are sent in bulk.'),
  cardImageId: code('The image on the card.'),
  carrier: code('The letter that carries the card.'),
  carrierImageId: code('The image on that letter.'),
  configurationProfileId: required(
    string({ pattern: '[A-Za-z0-9_-]{1,80}', example: 'CP3227C223222B5CMD278FKGS' }),
    'The profile that says how the card is made.',
  ),
  currency: optional(shapes.currency, 'The currency of the card.'),
  envelope: code('The envelope.'),
  insert: code('What is put into the envelope.'),
  language: code('The language of the card.'),
  logoImageId: code('The logo on the card.'),
  pinMailer: code('The letter with the PIN.'),
  printLine: optional(shapes.text(30, 'DEMO B.V.'), 'A line printed on the card.'),
  shipmentMethod: code('How it is sent.'),
});

const deliveryContact = object('DeliveryContact', {
  address: required(
    object('DeliveryAddress', {
      city: optional(shapes.text(3000, 'Amsterdam'), 'The city.'),
      country: shapes.countryField,
      line1: optional(shapes.text(3000, 'Simon Carmiggeltstraat 12'), 'The first line.'),
      line2: optional(shapes.text(3000, 'Second floor'), 'The second line.'),
      line3: optional(shapes.text(3000, 'Reception'), 'The third line.'),
      postalCode: optional(shapes.text(10, '1011 DJ'), 'The postal code.'),
      stateOrProvince: optional(shapes.text(1000, 'NH'), 'The state or province.'),
    }),
    'Where to.',
  ),
  company: optional(shapes.text(255, 'Demo B.V.'), 'The company.'),
  email: optional(shapes.email, 'The e-mail.'),
  fullPhoneNumber: optional(shapes.text(40, '+31612345678'), 'The phone, in one.'),
  name: required(
    object('DeliveryName', {
      firstName: required(shapes.text(80, 'Anna'), 'The first name.'),
      lastName: required(shapes.text(80, 'Dijk'), 'The last name.'),
    }),
    'To whom.',
  ),
  phoneNumber: optional(
    object('DeliveryPhone', {
      phoneCountryCode: optional(shapes.text(5, '31'), 'The code of the country.'),
      phoneNumber: optional(shapes.text(40, '612345678'), 'The number.'),
      phoneType: optional(oneOf('DeliveryPhoneType', 'Fax', 'Landline', 'Mobile', 'SIP'), 'What kind of phone it is.'),
    }),
    'The phone, in parts.',
  ),
  webAddress: optional(shapes.text(255, 'https://www.example.com'), 'The address of the web site.'),
});

const cardFields = <A extends Fields>(authenticated: ReturnType<typeof object<A>>) => ({
  authentication: optional(authenticated, 'How the cardholder is reached when a payment has to be confirmed.'),
  brand: required(cardBrand, 'The brand, in any case.'),
  brandVariant: required(
    string({ pattern: '[A-Za-z0-9_]{2,40}', example: 'visadebit' }),
    'The variant of the brand, in any case, such as visadebit, visaprepaid, mcdebit or mccredit. Each has a range of test numbers.',
  ),
  cardholderName: required(string({ min: 1, max: 26, example: 'Anna van Dijk' }), 'The name on the card.'),
  configuration: optional(cardConfiguration, 'How the card is made and sent.'),
  deliveryContact: optional(deliveryContact, 'Where the card is sent.'),
  formFactor: required(formFactor, 'Whether there is something to hold.'),
  threeDSecure: optional(shapes.text(80, 'fullySupported'), 'fullySupported or secureCorporate.'),
  usage: optional(oneOf('CardUsage', 'singleUse', 'multiUse'), 'How often it can be used.'),
});

export const cardInfo = object('CardInfo', cardFields(authentication));

/** With a masked number and without security code, except in the response that creates a virtual card for a single use. */
export const card = object('Card', {
  ...cardFields(shownAuthentication),
  bin: required(string({ pattern: '[0-9]{6,8}', example: '400005' }), 'The first digits of the number.'),
  cvc: optional(
    string({ pattern: '[0-9]{3}', sensitive: true, neverStored: true, example: '737' }),
    'The security code. Never stored: only the response that creates a virtual card for a single use contains it.',
  ),
  expiration: required(
    object('Expiration', {
      month: required(string({ pattern: '0[1-9]|1[0-2]', example: '08' }), 'The month, two digits.'),
      year: required(string({ pattern: '20[0-9]{2}', example: '2030' }), 'The year, four digits.'),
    }),
    'When it expires.',
  ),
  lastFour: required(string({ pattern: '[0-9]{4}', example: '2357' }), 'The last four digits of the number.'),
  number: required(
    string({ pattern: '[*0-9]{12}[0-9]{4}', sensitive: true, storeAs: 'last4', example: '************2357' }),
    'The number, masked; in full only in the answer that makes a virtual card for a single use.',
  ),
});

/** The card of a change, which may have what only the platform sets. A full number is never sent back. */
export const cardUpdate = object('CardUpdate', {
  ...cardInfo.fields,
  bin: readOnly(card.fields.bin),
  expiration: readOnly(card.fields.expiration),
  lastFour: readOnly(card.fields.lastFour),
  number: readOnly(required(string({ pattern: '[*]{12}[0-9]{4}', example: '************2357' }))),
});
