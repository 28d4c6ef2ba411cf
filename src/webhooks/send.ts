/** Sends a message to an endpoint, with Node's own client: connections are kept and used again. */
import { errorCode } from '../lib/error-code.ts';
import type { Message } from './message.ts';

/** What came of it. `because` is for people, and for the list of dead letters: it holds nothing of the message. */
export type Sent =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'unreachable' | 'late'; readonly because: string };

/** As much of an answer as is read, so that its connection may serve again; a longer one costs the connection. */
const answerBytesMax = 65_536;

const drop = async (body: Response['body']): Promise<void> => {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > answerBytesMax) return;
  }
};

/** Any 2xx is acceptance. Never rejects, and never takes longer than `msMax`. */
export const send = async (url: string, { body, headers }: Message, msMax: number): Promise<Sent> => {
  const signal = AbortSignal.timeout(msMax);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      // Whoever answers elsewhere has to be named there: a signed event goes where the operator has said.
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'triglyph', ...headers },
      body,
      signal,
    });
    // Of an answer its status counts, also where the rest of it does not come.
    await drop(answer.body).catch(() => {});
    return answer.ok ? { kind: 'accepted' } : { kind: 'refused', because: `it answered ${answer.status}` };
  } catch (thrown) {
    if (signal.aborted) return { kind: 'late', because: `no answer within ${msMax} ms` };
    return { kind: 'unreachable', because: `it could not be reached: ${errorCode(thrown)}` };
  }
};
