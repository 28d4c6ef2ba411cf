/** How an IBAN is built in each country of the single euro payments area (SEPA). */

export interface IbanCountry {
  /** The basic bank account number as the IBAN registry (ISO 13616) writes it: `8!n10!n`, where n is a digit, a a letter, c either. */
  readonly structure: string;
  /**
   * The numbers made here: `#` is a digit by chance, `?` a sign that the national check gives, all else stands as it is. The
   * bank is `TEST` where the structure has letters and noughts where it has digits.
   */
  readonly made: string;
}

const country = (structure: string, made: string): IbanCountry => Object.freeze({ structure, made });

const digits = (count: number): string => '#'.repeat(count);

const countries: Readonly<Record<string, IbanCountry>> = {
  AD: country('4!n4!n12!c', `00000000${digits(12)}`),
  AL: country('8!n16!c', `00000000${digits(16)}`),
  AT: country('5!n11!n', `00000${digits(11)}`),
  // Bank 000 is a bank; 985 is one of the numbers that the National Bank of Belgium had given to nobody on 1 October 2022.
  BE: country('3!n7!n2!n', `985${digits(7)}??`),
  BG: country('4!a4!n2!n8!c', `TEST000010${digits(8)}`),
  CH: country('5!n12!c', `00000${digits(12)}`),
  CY: country('3!n5!n16!c', `00000000${digits(16)}`),
  CZ: country('4!n6!n10!n', `0000000000${digits(9)}?`),
  DE: country('8!n10!n', `00000000${digits(10)}`),
  DK: country('4!n9!n1!n', `0000${digits(10)}`),
  EE: country('2!n14!n', `00${digits(13)}?`),
  ES: country('4!n4!n1!n1!n10!n', `00000000??${digits(10)}`),
  FI: country('3!n11!n', `000${digits(10)}?`),
  FR: country('5!n5!n11!c2!n', `0000000000${digits(11)}??`),
  GB: country('4!a6!n8!n', `TEST0000${digits(2)}${digits(8)}`),
  GI: country('4!a15!c', `TEST${digits(15)}`),
  GR: country('3!n4!n16!c', `0000000${digits(16)}`),
  HR: country('7!n10!n', `000000?${digits(9)}?`),
  HU: country('3!n4!n1!n15!n1!n', `00000000${digits(15)}?`),
  IE: country('4!a6!n8!n', `TEST0000${digits(2)}${digits(8)}`),
  // An account belongs to an identity number, here that of a company of 1 January 1970.
  IS: country('4!n2!n6!n10!n', `000026${digits(6)}410170${digits(2)}?9`),
  IT: country('1!a5!n5!n12!c', `?0000000000${digits(12)}`),
  LI: country('5!n12!c', `00000${digits(12)}`),
  LT: country('5!n11!n', `00000${digits(11)}`),
  LU: country('3!n13!c', `000${digits(13)}`),
  LV: country('4!a13!c', `TEST${digits(13)}`),
  MC: country('5!n5!n11!c2!n', `0000000000${digits(11)}??`),
  MD: country('2!c18!c', `00${digits(18)}`),
  ME: country('3!n13!n2!n', `000${digits(13)}??`),
  MK: country('3!n10!c2!n', `000${digits(10)}??`),
  MT: country('4!a5!n18!c', `TEST00000${digits(18)}`),
  NL: country('4!a10!n', `TEST${digits(10)}`),
  // The account starts with 1: one that starts with 00 is checked by another rule.
  NO: country('4!n6!n1!n', `00${digits(2)}1${digits(5)}?`),
  PL: country('8!n16!n', `00000000${digits(16)}`),
  PT: country('4!n4!n11!n2!n', `00000000${digits(11)}??`),
  RO: country('4!a16!c', `TEST${digits(16)}`),
  RS: country('3!n13!n2!n', `000${digits(13)}??`),
  SE: country('3!n16!n1!n', `000${digits(17)}`),
  SI: country('5!n8!n2!n', `00000${digits(8)}??`),
  SK: country('4!n6!n10!n', `0000000000${digits(9)}?`),
  SM: country('1!a5!n5!n12!c', `?0000000000${digits(12)}`),
  VA: country('3!n15!n', `000${digits(15)}`),
};

/** By country code. */
export const ibanCountries: ReadonlyMap<string, IbanCountry> = new Map(Object.entries(countries));

/** Parts of the area that have a country code and no IBAN of their own: banks there use that of another country. */
export const ibanOf: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AX: 'FI',
    BL: 'FR',
    GF: 'FR',
    GG: 'GB',
    GP: 'FR',
    IM: 'GB',
    JE: 'GB',
    MF: 'FR',
    MQ: 'FR',
    PM: 'FR',
    RE: 'FR',
    YT: 'FR',
  }),
);
