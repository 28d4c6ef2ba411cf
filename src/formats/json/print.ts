/** Prints canonical values as JSON: members in the order of the contract, absent ones left out, times without milliseconds. */
import type { ScalarSchema, Schema } from '../../contract/schema.ts';
import { walk } from '../../contract/walk.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';

export function compilePrint(schema: Schema, formatDateTime: FormatDateTime): Print {
  return walk<Print>(schema, {
    scalar: (scalar) => compileScalar(scalar, formatDateTime),
    joined: () => (value) => JSON.stringify((value as string[]).join(',')),
    list({ wrapped, itemName }, item) {
      const [before, after] = wrapped ? [`{${JSON.stringify(itemName)}:`, '}'] : ['', ''];
      return (value) => `[${(value as unknown[]).map((each) => before + item(each) + after).join(',')}]`;
    },
    map: (_, item) => {
      if (item === undefined) return JSON.stringify;
      return (value) => {
        const entries = Object.entries(value as Readonly<Record<string, unknown>>);
        return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${item(each)}`).join(',')}}`;
      };
    },
    object(_, members) {
      const parts = members.map(({ name, part }) => ({ name, part, label: `${JSON.stringify(name)}:` }));
      return (value) => {
        const object = value as Readonly<Record<string, unknown>>;
        let text = '';
        for (const { name, part, label } of parts) {
          const member = object[name];
          if (member !== undefined) text += (text === '' ? '{' : ',') + label + part(member);
        }
        return text === '' ? '{}' : `${text}}`;
      };
    },
  });
}

function compileScalar(schema: ScalarSchema, formatDateTime: FormatDateTime): Print {
  switch (schema.kind) {
    case 'string':
    case 'enum':
      return (value) => quote(value as string);
    case 'integer':
    case 'boolean':
      return String;
    case 'dateTime':
      return (value) => `"${formatDateTime(value as number, 's')}"`;
    default:
      return schema satisfies never;
  }
}

// Quotes, backslashes and controls, and surrogates, which may be unpaired.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON must escape
const special = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Almost no text has a special character, and this test costs half as much as `JSON.stringify`. */
function quote(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`;
}
