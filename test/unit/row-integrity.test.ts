/** Tests the MACs of rows: what was verified before does not let a changed, moved or exchanged row pass. */
import { describe, expect, test } from '@jest/globals';
import { type MacFields, RowAltered, RowIntegrity } from '../../src/stores/row-integrity.ts';

const keys = (digit: string) => ({ inner: digit.repeat(64), outer: digit.repeat(64) });
const row: MacFields = ['Company', 'shopper-1', 'R1', 1_700_000_000, null, '{"lastFour":"1111"}'];
const other: MacFields = ['Company', 'shopper-2', 'R2', 1_700_000_000, null, '{"lastFour":"4444"}'];

function open() {
  const integrity = new RowIntegrity();
  integrity.use(keys('1'));
  return {
    integrity,
    verify:
      (fields: MacFields, mac: string | null, table = 'detail') =>
      () =>
        integrity.verify(table, 'id', fields, mac),
  };
}

describe('a row that was verified before', () => {
  test('is verified again', () => {
    const { integrity, verify } = open();
    const mac = integrity.sign('detail', row);
    for (let time = 0; time < 3; time += 1) expect(verify([...row], mac)).not.toThrow();
  });

  test.each(row.map((_, at) => at))('is refused with another value in field %i', (at) => {
    const { integrity, verify } = open();
    const mac = integrity.sign('detail', row);
    expect(verify(row, mac)).not.toThrow();
    expect(verify(row.with(at, 'other'), mac)).toThrow(RowAltered);
    if (row[at] !== null) expect(verify(row.with(at, null), mac)).toThrow(RowAltered);
  });

  test('is refused with the MAC of another row, in another table, with more or fewer fields, and without a MAC', () => {
    const { integrity, verify } = open();
    const [mac, otherMac] = [integrity.sign('detail', row), integrity.sign('detail', other)];
    expect(verify(row, mac)).not.toThrow();
    expect(verify(other, otherMac)).not.toThrow();
    expect(verify(row, otherMac)).toThrow(RowAltered);
    expect(verify(row, mac, 'credential')).toThrow(RowAltered);
    expect(verify([...row, null], mac)).toThrow(RowAltered);
    expect(verify(row.slice(0, -1), mac)).toThrow(RowAltered);
    expect(verify(row, null)).toThrow(RowAltered);
  });

  test('is refused under other keys', () => {
    const { integrity, verify } = open();
    const mac = integrity.sign('detail', row);
    expect(verify(row, mac)).not.toThrow();
    integrity.use(keys('2'));
    expect(verify(row, mac)).toThrow(RowAltered);
  });

  test('is verified also among more rows than are remembered', () => {
    const { integrity, verify } = open();
    const rows = Array.from({ length: 20_000 }, (_, at): MacFields => ['Company', `shopper-${at}`]);
    const macs = rows.map((fields) => integrity.sign('detail', fields));
    for (const _ of [1, 2]) rows.forEach((fields, at) => void verify(fields, macs[at]!)());
    expect(verify(rows[0]!, macs[1]!)).toThrow(RowAltered);
  });
});
