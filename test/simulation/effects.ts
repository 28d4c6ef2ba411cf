/** Reads from the committed statements what a request wrote, as text. */
import { resources } from '../resources/index.ts';
import type { StoredEvent } from '../resources/resource.ts';
import type { Entry } from './sim-database.ts';

/** A statement that enqueues events has five parameters for each after the company; the fourth one is the payload. */
const eventColumns = 5;
const payloadColumn = 4;

export function effectsOf(entry: Entry): readonly string[] {
  const { statement, parameters } = entry;
  if (statement.name.startsWith('enqueue-events-'))
    return parameters.flatMap((parameter, index) =>
      index % eventColumns === payloadColumn ? [eventTextOf(String(parameter))] : [],
    );
  return resources.flatMap((resource) => resource.effectsOf(entry));
}

const eventTexts = new Map<string, string>();

/** The text of a stored event. Each payload is parsed once: the runs store the same ones again and again. */
export function eventTextOf(payload: string): string {
  const text = eventTexts.get(payload) ?? parseEvent(payload);
  eventTexts.set(payload, text);
  return text;
}

function parseEvent(payload: string): string {
  const event: StoredEvent = JSON.parse(payload);
  for (const { eventTextOf } of resources) {
    const text = eventTextOf(event);
    if (text !== undefined) return text;
  }
  throw new Error(`no resource has the event ${payload}`);
}
