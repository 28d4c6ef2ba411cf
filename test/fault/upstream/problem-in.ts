/** Reads the problem in an answer as clients of a format do; throws where the answer is not in that format. */

export interface ToldProblem {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

/** The formats in which the tests of upstreams call. */
export type CallerFormat = 'soap11' | 'soap12' | 'json' | 'form' | 'adapter';

export function problemIn(format: CallerFormat, contentType: string, body: string): ToldProblem {
  switch (format) {
    case 'soap11':
      return fromText(require(/<faultstring>(.*)<\/faultstring>/s, body, contentType, 'text/xml'));
    case 'soap12':
      return fromText(require(/<env:Text[^>]*>(.*)<\/env:Text>/s, body, contentType, 'application/soap+xml'));
    case 'adapter':
      return fromText(require(/^(.*)$/s, body, contentType, 'text/plain'));
    case 'json': {
      require(/^\{/, body, contentType, 'application/json');
      return members(JSON.parse(body));
    }
    case 'form': {
      require(/=/, body, contentType, 'application/x-www-form-urlencoded');
      return members(Object.fromEntries(new URLSearchParams(body)));
    }
    default:
      return format satisfies never;
  }
}

function require(pattern: RegExp, body: string, contentType: string, mediaType: string): string {
  const found = contentType.startsWith(mediaType) ? pattern.exec(body) : null;
  if (found === null) throw new Error(`no ${mediaType}: ${contentType} ${body.slice(0, 300)}`);
  return found[1] ?? '';
}

/** `{type} {code} {message}` */
function fromText(text: string): ToldProblem {
  const [, type = '', code = '', message = ''] = /^(\w+) (\w+) (.*)$/s.exec(text) ?? [];
  if (type === '') throw new Error(`no problem: ${text}`);
  return { type, code, message };
}

function members({ errorType, errorCode, message }: Readonly<Record<string, unknown>>): ToldProblem {
  return { type: String(errorType), code: String(errorCode), message: String(message) };
}
