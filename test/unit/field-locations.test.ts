/** Compares the committed countries, currencies and time zones with those of Node's ICU and explains every difference. */
import { describe, expect, test } from '@jest/globals';
import { isCountry, isCurrency } from '../../src/core/contract/iso.ts';
import { isTimeZone } from '../../src/core/contract/time-zone.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const pairs = letters.flatMap((one) => letters.map((other) => one + other));
const triples = pairs.flatMap((pair) => letters.map((letter) => pair + letter));

describe('countries', () => {
  const ours = pairs.filter(isCountry);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const named = pairs.filter((pair) => names.of(pair) !== undefined);

  /** Codes that ICU names and ISO 3166-1 does not assign. */
  const explained = {
    withdrawn: words('AN BU CS DD DY FX HV NH RH SU TP VD YD YU ZR'),
    reserved: words('AC CP CQ DG EA EU EZ IC TA UK UN'),
    // The user-assigned codes, and one that ICU derives from them.
    invented: words('QO XA XB XK ZZ'),
  };

  test('the 249 codes are known to ICU', () => {
    expect(ours).toHaveLength(249);
    expect(ours.filter((code) => !named.includes(code))).toEqual([]);
  });
  test('further codes of ICU are withdrawn, reserved or user-assigned', () => {
    const beyond = named.filter((code) => !ours.includes(code));
    expect(beyond.filter((code) => !Object.values(explained).flat().includes(code))).toEqual([]);
    expect(Object.values(explained).flat().filter(isCountry)).toEqual([]);
  });
  test.each(['nl', 'Nl', 'NLD', '528', '', ' NL', 'NL\n', 'constructor'])('%j is no country', (code) => {
    expect(isCountry(code)).toBe(false);
  });
});

describe('currencies', () => {
  const ours = triples.filter(isCurrency);
  const platform = Intl.supportedValuesOf('currency');

  /** Currencies that ICU still names and ISO 4217 has withdrawn, with their successors. */
  const withdrawn: Readonly<Record<string, string>> = {
    ANG: 'XCG',
    BGN: 'EUR',
    CUC: 'CUP',
    HRK: 'EUR',
    SLL: 'SLE',
    ZWL: 'ZWG',
  };
  /** Units of account between funds and banks. */
  const units = words('XDR XSU');
  /** In list one since 2021 together with VES; ICU does not know it. */
  const unknownToPlatform = ['VED'];
  /** The rest of list one: funds, metals, units of account, test and none. */
  const notPaidIn = words('BOV CHE CHW CLF COU MXV USN UYI UYW XAD XAG XAU XBA XBB XBC XBD XPD XPT XTS XUA XXX');

  test('every difference from ICU is explained', () => {
    const explained = [...Object.keys(withdrawn), ...units];
    expect(platform.filter((code) => !isCurrency(code) && !explained.includes(code))).toEqual([]);
    expect(ours.filter((code) => !platform.includes(code))).toEqual(unknownToPlatform);
  });
  test('withdrawn currencies are refused, their successors accepted', () => {
    expect(Object.keys(withdrawn).filter(isCurrency)).toEqual([]);
    expect(Object.values(withdrawn).filter((code) => !isCurrency(code))).toEqual([]);
  });
  test('funds, metals and units of account are refused', () => {
    expect([...units, ...notPaidIn].filter(isCurrency)).toEqual([]);
  });
  test.each(['eur', 'Eur', 'EU', 'EURO', '978', '', 'toString'])('%j is no currency', (code) => {
    expect(isCurrency(code)).toBe(false);
  });
});

describe('time zones', () => {
  /** The older and other names of the IANA database (2025b), which ICU resolves and does not list. */
  const otherNames = words(`
    Africa/Asmara Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
    America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza
    America/Atikokan America/Atka America/Ensenada America/Fort_Wayne America/Indiana/Indianapolis
    America/Kentucky/Louisville America/Knox_IN America/Montreal America/Nipigon America/Nuuk America/Pangnirtung
    America/Porto_Acre America/Rainy_River America/Rosario America/Santa_Isabel America/Shiprock America/Thunder_Bay
    America/Virgin America/Yellowknife Antarctica/South_Pole Asia/Ashkhabad Asia/Choibalsan Asia/Chongqing
    Asia/Chungking Asia/Dacca Asia/Harbin Asia/Ho_Chi_Minh Asia/Istanbul Asia/Kashgar Asia/Kathmandu Asia/Kolkata
    Asia/Macao Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang Asia/Ulan_Bator Asia/Yangon Atlantic/Faroe
    Atlantic/Jan_Mayen Australia/ACT Australia/Canberra Australia/Currie Australia/LHI Australia/NSW Australia/North
    Australia/Queensland Australia/South Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna
    Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT Canada/Atlantic Canada/Central Canada/Eastern
    Canada/Mountain Canada/Newfoundland Canada/Pacific Canada/Saskatchewan Canada/Yukon Chile/Continental
    Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT
    Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Kyiv Europe/Nicosia Europe/Tiraspol Europe/Uzhgorod
    Europe/Zaporozhye GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan
    Kwajalein Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT
    Pacific/Chuuk Pacific/Johnston Pacific/Kanton Pacific/Pohnpei Pacific/Samoa Pacific/Yap Poland Portugal ROC ROK
    Singapore Turkey UCT US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii
    US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa UTC Universal W-SU WET Zulu`);
  const listed = Intl.supportedValuesOf('timeZone');
  const all = [...new Set([...listed, ...otherNames])];

  test('accepts every name of the database, listed by ICU or not', () => {
    expect(listed.length).toBeGreaterThan(400);
    expect(all.filter((name) => !isTimeZone(name))).toEqual([]);
    // Again, because accepted names are cached.
    expect(all.filter((name) => !isTimeZone(name))).toEqual([]);
  });
  test('refuses the names in another case', () => {
    const others = all
      .flatMap((name) => [name.toLowerCase(), name.toUpperCase()])
      .filter((name) => !all.includes(name));
    expect(others.filter(isTimeZone)).toEqual([]);
  });

  /** ICU accepts all of these. */
  const beyond = words(
    'PST IST ACT AET CTT JST NET VST SystemV/PST8 US/Pacific-New Canada/East-Saskatchewan +01:00 -0330 europe/amsterdam',
  );
  test.each(beyond)('%s is refused, though ICU accepts it', (name) => {
    expect(() => new Intl.DateTimeFormat('en', { timeZone: name })).not.toThrow();
    expect(isTimeZone(name)).toBe(false);
  });
  test.each([
    '',
    ' ',
    'Europe',
    'Europe/',
    'Europe/Atlantis',
    'Etc/Unknown',
    'Factory',
    'UTC+1',
    'Europe/Amsterdam ',
    'UTC\n',
    '__proto__',
  ])('%j is no time zone', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
