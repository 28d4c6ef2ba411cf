/** Builds requests with all members that the public description of the balance platform has, and one for each of its enumerations. */
import { type PublicMember, type PublicSchema, publicSchemas } from '../support/public-schemas.ts';

type Path = readonly string[];

/** Values of members that are more than any text; otherwise a member is the text of its name. */
const samples: Readonly<Record<string, unknown>> = {
  accountHolderId: '{holder}',
  balanceAccountId: '{account}',
  balancePlatform: 'DemoPlatform',
  brand: 'visa',
  brandVariant: 'visadebit',
  country: 'NL',
  currency: 'EUR',
  defaultCurrencyCode: 'EUR',
  email: 'anna@example.com',
  formFactor: 'virtual',
  issuingCountryCode: 'NL',
  number: '(0031) 611223344',
  phoneCountryCode: '31',
  primaryBalanceAccount: '{account}',
  salesDayClosingTime: '07:00',
  threeDSecure: 'secureCorporate',
  timeZone: 'Europe/Amsterdam',
  usage: 'multiUse',
};
const dateTime = '2026-11-22T08:00:00+01:00';

/** A value with every member; an enumeration has its first value. */
export function completeValue(type: string, name = ''): unknown {
  const [, item] = /^\[(.+)\]$/.exec(type) ?? [];
  if (item !== undefined) return [completeValue(item, name)];
  const [, entry] = /^\{(.+)\}$/.exec(type) ?? [];
  if (entry !== undefined) return { issueCard: completeValue(entry, name) };
  const members = publicSchemas.get(type);
  if (members !== undefined)
    return Object.fromEntries(members.map((each) => [each.name, completeValue(each.type, each.name)]));
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
      return 1;
    case 'date-time':
      return dateTime;
    default:
      return samples[name] ?? (type === 'string' ? name : type.split('|')[0]);
  }
}

/** Each value of each enumeration, in a request with the required members and those on the way to it. */
export function enumeratedRequests(schema: PublicSchema): readonly { readonly name: string; readonly body: object }[] {
  return enumerations(schema).flatMap(({ path, values }) =>
    values.map((value) => ({ name: `${path.join('.')} ${value}`, body: leanValue(schema, path, value) as object })),
  );
}

function enumerations(
  type: string,
  above: Path = [],
): readonly { readonly path: Path; readonly values: readonly string[] }[] {
  return (publicSchemas.get(type) ?? []).flatMap(({ name, type: memberType }) => {
    const path = [...above, name];
    if (memberType.startsWith('{')) return enumerations(memberType.slice(1, -1), [...path, 'issueCard']);
    // Only the platform sets the members in lists.
    if (memberType.startsWith('[')) return [];
    return memberType.includes('|') ? [{ path, values: memberType.split('|') }] : enumerations(memberType, path);
  });
}

/** The member at the path with the value, and required members besides those on the way to it. */
function leanValue(type: string, [step, ...rest]: Path, value: string): unknown {
  if (step === undefined) return value;
  if (type.startsWith('{')) return { [step]: leanValue(type.slice(1, -1), rest, value) };
  const members = publicSchemas.get(type) ?? [];
  const chosen = members.filter(({ name, required }) => required || name === step);
  return Object.fromEntries(
    chosen.map((each) => [each.name, each.name === step ? leanValue(each.type, rest, value) : requiredValue(each)]),
  );
}

function requiredValue({ name, type }: PublicMember): unknown {
  const members = publicSchemas.get(type);
  if (members === undefined) return completeValue(type, name);
  return Object.fromEntries(members.filter(({ required }) => required).map((each) => [each.name, requiredValue(each)]));
}
