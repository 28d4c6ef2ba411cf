/** Types into fields of a page as people do: one key after the other, after pauses of chance. */
import type { Locator, Page } from 'playwright-core';
import { Random } from '../simulation/random.ts';
import { seed } from './seed.ts';

const random = new Random(seed);

/** A fast typist leaves 80 ms between two keys, and a person who thinks 200 ms. */
const pauseMsMax = 200;

/** Replaces what a field has. Dates and times are given as their value, and typed part by part. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  const page = field.page();
  const type = (await field.getAttribute('type')) ?? 'text';
  if (type === 'date' || type === 'time' || type === 'datetime-local') {
    await field.focus();
    await pressKeys(page, text === '' ? clearedParts(type) : partsOf(text));
    return;
  }
  await field.press('ControlOrMeta+a');
  if (text === '') await page.keyboard.press('Delete');
  await typeText(page, text);
}

/** Types where the focus is. */
export async function typeText(page: Page, text: string): Promise<void> {
  for (const each of text) {
    await page.waitForTimeout(random.below(pauseMsMax));
    await page.keyboard.type(each);
  }
}

/** Replaces the text of an editor, as a person does who has copied it elsewhere: the clipboard itself needs a permission. */
export async function pasteInto(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a');
  await editor.page().evaluate(`{
    const focused = (root) => root.activeElement?.shadowRoot ? focused(root.activeElement.shadowRoot) : root.activeElement;
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    focused(document).dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
}

/** Makes the CPU of a page so many times slower. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate });
}

async function pressKeys(page: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await page.waitForTimeout(random.below(pauseMsMax));
    await page.keyboard.press(key);
  }
}

/** `2099-12-31T13:05` is `12312099`, on to the hour, `0105P`: the parts of fields are in the language of Chromium itself. */
function partsOf(text: string): readonly string[] {
  const [, year, month = '', day = '', time = text] = /^(\d+)-(\d\d)-(\d\d)T?(.*)$/.exec(text) ?? [];
  const [hour = Number.NaN, minute = 0] = time.split(':').map(Number);
  const clock = `${two(hour % 12 || 12)}${two(minute)}${hour < 12 ? 'A' : 'P'}`;
  // A year may have six digits: after four of them, the field stays in it.
  const next = year === undefined || time === '' ? [] : ['ArrowRight'];
  return [...(year === undefined ? [] : `${month}${day}${year}`), ...next, ...(time === '' ? [] : clock)];
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function clearedParts(type: 'date' | 'time' | 'datetime-local'): readonly string[] {
  const parts = type === 'date' ? 3 : type === 'time' ? 3 : 6;
  return Array.from({ length: parts }, () => ['Delete', 'ArrowRight']).flat();
}
