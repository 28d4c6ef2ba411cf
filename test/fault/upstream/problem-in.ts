/** Reads the problem in an answer as clients of a format do; throws where the answer is not in that format. */
import type { NamedProtocol } from '../../../src/core/formats/wire-formats.ts';
import { formats } from '../../formats/index.ts';

export interface ToldProblem {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

export function problemIn(format: NamedProtocol, contentType: string, body: string): ToldProblem {
  const { answerType, refusalType = answerType, problemText } = formats[format];
  const [mediaType = ''] = refusalType.split(';');
  const text = contentType.startsWith(mediaType) ? problemText(body) : undefined;
  if (text === undefined) throw new Error(`no ${mediaType}: ${contentType} ${body.slice(0, 300)}`);
  if (text === '') throw new Error('no problem: an empty text');
  // The refusal of another server that has no code is in SOAP as that server wrote it.
  const [, type = '', code = '', message = ''] = /^(?:(\w+) (\w+) )?(.*)$/s.exec(text) ?? [];
  return { type, code, message };
}
