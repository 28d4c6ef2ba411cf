/** The deprecations of a serving process: what it takes over from the store, and what it does while the store is away. */
import { describe, expect, test } from '@jest/globals';
import { type DeprecationEvent, LiveDeprecations } from '../../src/backend/deprecations/live.ts';
import type { DeprecationRule } from '../../src/insight/callers/deprecation.ts';
import { configuredIds, mergeDeprecations } from '../../src/insight/callers/known-deprecations.ts';
import type { StoredDeprecations } from '../../src/insight/callers/stored-deprecation.ts';

const noStoredDeprecations: StoredDeprecations = { revision: 0, deprecations: [], exemptions: [] };

const since = { deprecatedSince: '2026-01-01' };
const soap: DeprecationRule = { format: ['soap11', 'soap12'], ...since };
const stored = { revision: 1, changedAt: 0, changedBy: 'user anna' };
const form = { id: 'dp_form', rule: { format: 'form', ...since, sunset: '2026-09-01' }, ...stored };
const exemption = (deprecation: string, credential: string) => ({
  ...{ deprecation, credential, exemptedAt: 0, exemptedBy: 'user anna' },
});

function open(configured: readonly DeprecationRule[], first: Partial<StoredDeprecations> = {}) {
  const state = {
    content: { ...noStoredDeprecations, ...first },
    isAway: false,
    loads: 0,
    now: Date.parse('2026-06-01T12:00:00Z'),
  };
  const events: DeprecationEvent[] = [];
  const live = new LiveDeprecations({
    configured,
    store: {
      async revision() {
        if (state.isAway) throw new Error('the store is away');
        return state.content.revision;
      },
      async load() {
        state.loads += 1;
        return state.content;
      },
    },
    clock: { now: () => state.now },
    report: (event) => void events.push(event),
  });
  const find = (format: string, credential = 'cr_a') =>
    live.current?.find({ format, service: 'Recurring', operation: 'disable', version: 25, credential });
  const put = (content: Partial<StoredDeprecations>) => {
    state.content = { ...state.content, ...content, revision: state.content.revision + 1 };
  };
  return { live, state, events, find, put };
}

describe('a serving process', () => {
  test('has the rules of the configuration before the store answers, and none where there are none', () => {
    expect(open([]).live.current).toBeUndefined();
    expect(open([soap]).find('soap11')?.notice).toBeDefined();
  });

  test('takes over what the store holds, and asks for it only after a change', async () => {
    const { live, state, events, find, put } = open([soap], { revision: 1, deprecations: [form] });
    expect(find('form')).toBeUndefined();
    await live.refresh();
    expect(find('form')?.headers.Sunset).toBe('Tue, 01 Sep 2026 00:00:00 GMT');
    expect(find('soap12')?.notice).toBeDefined();
    await live.refresh();
    expect(state.loads).toBe(1);
    expect(events).toEqual([]);
    put({ deprecations: [] });
    await live.refresh();
    expect(find('form')).toBeUndefined();
    expect(find('soap12')?.notice).toBeDefined();
    expect(events).toEqual([{ kind: 'changed', revision: 2 }]);
  });

  test('a brown-out begins and ends by the clock', async () => {
    const brownOuts = [{ from: '2026-06-01T13:00:00Z', to: '2026-06-01T14:00:00Z' }];
    const { live, state, find } = open([], {
      revision: 1,
      deprecations: [{ ...form, rule: { ...form.rule, brownOuts } }],
    });
    await live.refresh();
    const outcomes = ['12:59:59.999', '13:00:00', '13:59:59.999', '14:00:00'].map((time) => {
      state.now = Date.parse(`2026-06-01T${time}Z`);
      return find('form')?.refusal?.problem;
    });
    expect(outcomes).toEqual([undefined, 'brownOut', 'brownOut', undefined]);
  });

  test('exemptions of the store hold for its own rules and for those of the configuration', async () => {
    const [id] = configuredIds([soap]) as [string];
    const { live, find } = open([{ ...soap, except: ['cr_b'] }], {
      revision: 1,
      deprecations: [form],
      exemptions: [exemption(id, 'cr_a'), exemption('dp_form', 'cr_c'), exemption('dp_gone', 'cr_d')],
    });
    await live.refresh();
    const exempt = (format: string) =>
      ['cr_a', 'cr_b', 'cr_c', 'cr_d'].filter((credential) => find(format, credential)?.notice === undefined);
    expect(exempt('soap11')).toEqual(['cr_a', 'cr_b']);
    expect(exempt('form')).toEqual(['cr_c']);
  });

  test('keeps the last known rules while the store is away, and says so once', async () => {
    const { live, state, events, find, put } = open([], { revision: 1, deprecations: [form] });
    await live.refresh();
    state.isAway = true;
    put({ deprecations: [] });
    for (let poll = 0; poll < 3; poll += 1) await live.refresh().catch(live.failed);
    expect(find('form')?.notice).toBeDefined();
    expect(events).toMatchObject([
      { kind: 'failed', isRepeated: false },
      { kind: 'failed', isRepeated: true },
      { kind: 'failed', isRepeated: true },
    ]);
    state.isAway = false;
    await live.refresh();
    expect(find('form')).toBeUndefined();
    state.isAway = true;
    await live.refresh().catch(live.failed);
    expect(events.at(-1)).toMatchObject({ kind: 'failed', isRepeated: false });
  });

  test('a rule that cannot be applied is reported, and the others hold', async () => {
    const broken = [
      '{"format"',
      { ...since },
      { format: 'soap13', ...since },
      { format: 'json', ...since, brownOuts: 1 },
    ];
    const { live, events, find, put } = open([soap], {
      revision: 1,
      deprecations: [...broken.map((rule, index) => ({ id: `dp_${index}`, rule, ...stored })), form],
    });
    await live.refresh();
    expect(find('form')?.notice).toBeDefined();
    expect(find('json')).toBeUndefined();
    expect(events.map((event) => 'deprecation' in event && event.deprecation.faults.length > 0)).toEqual(
      broken.map(() => true),
    );
    expect(live.invalidCount).toBe(broken.length);
    put({ deprecations: [form] });
    await live.refresh();
    expect(live.invalidCount).toBe(0);
  });

  test('a rule whose service is no longer served is applied to its other calls', async () => {
    const rule = { operation: ['disable', 'ofAnEarlierRelease'], ...since };
    const { live, events, find } = open([], { revision: 1, deprecations: [{ id: 'dp_1', rule, ...stored }] });
    await live.refresh();
    expect(find('json')?.notice).toBeDefined();
    expect(events).toEqual([]);
  });
});

describe('the ids of deprecations of a configuration', () => {
  test('depend on the calls alone', () => {
    const ids = (...rules: readonly DeprecationRule[]) => configuredIds(rules);
    expect(ids(soap)).toEqual([expect.stringMatching(/^config_[0-9a-f]{10}$/)]);
    expect(ids({ ...soap, format: ['soap12', 'soap11'], sunset: '2027-01-01', except: ['cr_a'] })).toEqual(ids(soap));
    expect(ids({ ...soap, version: 12 })).not.toEqual(ids(soap));
    const [one, two] = ids(soap, { ...soap, sunset: '2027-01-01' });
    expect(two).toBe(`${one}_2`);
  });

  test('the configuration comes first, and is marked by having no revision', () => {
    const { valid } = mergeDeprecations([soap], { ...noStoredDeprecations, deprecations: [form] }, () => []);
    expect(valid.map(({ rule, stored: saved }) => [rule.format, saved?.changedBy])).toEqual([
      [['soap11', 'soap12'], undefined],
      ['form', 'user anna'],
    ]);
  });
});
