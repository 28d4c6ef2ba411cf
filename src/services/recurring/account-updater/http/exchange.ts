/** One question to an updater behind a URL: a POST, bounded in time and in what it may answer, that follows nobody elsewhere. */
import { Buffer } from 'node:buffer';
import { errorCode } from '../../../../lib/error-code.ts';

/** What came of it; reasons are codes and names, never what was sent or received. */
export type Exchanged =
  | { readonly kind: 'answered'; readonly bytes: Buffer }
  /** It answers, and takes no such question. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It does not answer, or says that it cannot now. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface Question {
  readonly url: string;
  readonly secret: string | undefined;
  readonly id: string;
  readonly body: string;
  readonly msMax: number;
}

/** Answers have under 200 bytes. */
const answerBytesMax = 16_384;

const refused = (reason: string): Exchanged => ({ kind: 'refused', reason });
const failed = (reason: string): Exchanged => ({ kind: 'failed', reason });

const isJson = (contentType: string | null): boolean => /^application\/json\s*(;|$)/i.test(contentType ?? '');

/** Undefined where it is longer than an answer may be. */
const readBody = async (body: ReadableStream<Uint8Array> | null): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the stream, and with it the connection.
    if (length > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const read = async (response: Response): Promise<Exchanged> => {
  const { status, headers, body } = response;
  const isAnswer = status === 200 && isJson(headers.get('content-type'));
  if (isAnswer) {
    const bytes = await readBody(body);
    return bytes === undefined ? refused('answer too long') : { kind: 'answered', bytes };
  }
  await body?.cancel();
  if (status === 200) return refused('not application/json');
  return status >= 500 || status === 429 || status === 408 ? failed(`status ${status}`) : refused(`status ${status}`);
};

/** Never rejects. */
export const exchange = async ({ url, secret, id, body, msMax }: Question): Promise<Exchanged> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'idempotency-key': id,
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      body,
      // What stands elsewhere was not meant to have card numbers.
      redirect: 'manual',
      signal: AbortSignal.timeout(msMax),
    });
    return await read(response);
  } catch (thrown) {
    return failed(errorCode(thrown));
  }
};
