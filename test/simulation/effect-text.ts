/** The text form of effects: the model predicts it, and the auditor compares it with what was written. */
const jsonByValue = new WeakMap<object, string>();

/** JSON with sorted members. Each object is serialized once. */
export function canonicalJson(value: object): string {
  const known = jsonByValue.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted())
      : part,
  );
  jsonByValue.set(value, text);
  return text;
}

/** `subject`: the shopper or the id of the resource; `what`: the reference of the detail, or created or updated. */
export function eventText(kind: string, subject: string, what: string, pspReference: string, record?: object): string {
  const parts = ['event', kind, subject, what, pspReference];
  return [...parts, ...(record === undefined ? [] : [canonicalJson(record)])].join(' ');
}

export const jobText = (kind: string): string => `job ${kind}`;

export const isEvent = (effect: string): boolean => effect.startsWith('event ');
/** Events of one subject are delivered in order. */
export const subjectOf = (event: string): string => event.split(' ')[2]!;
export const pspReferenceOf = (event: string): string => event.split(' ')[4]!;
