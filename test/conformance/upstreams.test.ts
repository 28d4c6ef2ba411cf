/** Every case of the recurring service through the gateway to another server: the caller gets the same bytes as from this program. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtIn } from '../../src/api/index.ts';
import { type StartedGateway, startGateway } from '../../src/app/create-gateway.ts';
import { type NamedProtocol, namedProtocols } from '../../src/formats/index.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import { createSqliteTemplate, openSqliteCopy } from '../support/databases.ts';
import { callers, ringText, saveFixture } from '../support/fixture.ts';
import { account, type Case, mc, visa } from './case.ts';
import { cases } from './read-cases.ts';
import {
  type ChangingUpstream,
  openChangingUpstream,
  type UpstreamSubject,
  upstreamSubjects,
} from './upstream-subjects.ts';

/** The server without our code answers callers of every format; the format of a caller of the others alternates. */
const callersOf = ({ format }: UpstreamSubject, at: number): readonly NamedProtocol[] =>
  format === 'json' ? namedProtocols : [(['json', 'soap11', 'form'] as const)[at % 3]!];

describe.each(upstreamSubjects)('$title', (subject) => {
  let upstream: ChangingUpstream;
  let started: StartedGateway;
  beforeAll(async () => {
    upstream = await openChangingUpstream();
    const { engine } = openSqliteCopy(await createSqliteTemplate(saveFixture));
    const { url } = upstream;
    started = await startGateway(
      {
        ...builtIn({ demoData: false }),
        keys: ringText,
        upstreams: { other: { url, format: subject.format, credentials: 'forward' } },
        answeredBy: { Recurring: 'other' },
      },
      { backend: { open: async () => engine } },
    );
  });
  afterAll(async () => {
    await started.gateway.close();
    await upstream.close();
  });

  test.each(cases.map((each, at) => [`${each.operation}: ${each.title}`, each, at] as const))(
    '%s',
    async (_, each, at) => {
      for (const name of callersOf(subject, at)) {
        const fresh = await subject.open();
        upstream.use(fresh);
        try {
          const { sends, answers, status = 200 } = each.wire[name];
          const response = await started.gateway.fetch(requestOf(each, name, sends));
          const compared = (text: string) => comparable(isLine(subject) ? withoutFields(text) : text);
          expect(compared(await response.text())).toBe(compared(answers));
          expect(response.status).toBe(status);
          const { leaves = [visa, mc, account] } = each;
          expect(await fresh.stored(upstream.url)).toEqual(leaves);
        } finally {
          await fresh.close();
        }
      }
    },
  );
});

function requestOf({ operation, as = 'demo' }: Case, name: NamedProtocol, body: string): Request {
  const { contentType, path } = formats[name];
  const headers = { 'content-type': contentType, soapaction: '""', ...callers[as] };
  const address = path(recurringV25, recurringV25.operations.get(operation)!);
  return new Request(`http://gateway${address}`, { method: 'POST', headers, body });
}

/** References of refusals by the gateway are random, and each server has aliases of its own. */
function comparable(text: string): string {
  return text
    .replace(/("pspReference":"|\bpspReference=)[A-Z0-9]{16}(?=["&]|$)/g, '$1REFERENCE')
    .replace(/\b[A-Z]\d{15}\b/g, 'ALIAS');
}

/** A refusal in SOAP and by the adapter is a line of text, which names no field where one is wrong. */
function isLine({ format }: UpstreamSubject): boolean {
  return !['json', 'form'].includes(format);
}

function withoutFields(text: string): string {
  return text.replace(/"invalidFields":\[.*?\],/, '').replace(/&invalidFields\.\d+\.\w+=[^&]*/g, '');
}
