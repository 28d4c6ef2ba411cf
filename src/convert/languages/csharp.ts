/** C#, for .NET and Mono, without packages. */
import { credentialVariables, keyComment, type Language, type SourceCall, textOf } from './language.ts';
import { asciiLiteral, asciiPieces } from './literal.ts';

export const csharp: Language = Object.freeze<Language>({ title: 'C#', file: 'Call.cs', print });

const { apiKey, user, password } = credentialVariables;

/** HttpClient takes these as headers of the content. */
const contentHeaders = /^content-/i;

function print({ method, url, headers, body, credential, hasKey }: SourceCall): string {
  const isBasic = credential === 'basic';
  const variable = (name: string) => `Environment.GetEnvironmentVariable("${name}")`;
  const add = ([name, value]: readonly [string, string]) =>
    `${contentHeaders.test(name) ? 'request.Content' : 'request'}.Headers.TryAddWithoutValidation(${asciiLiteral(name)}, ${asciiLiteral(value)});`;
  const lines = [
    ...(isBasic
      ? [
          `string credential = ${variable(user)} + ":" + ${variable(password)};`,
          'request.Headers.Add("Authorization", "Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes(credential)));',
        ]
      : credential === 'none'
        ? []
        : [`request.Headers.Add("X-API-Key", ${variable(apiKey)});`]),
    ...(hasKey ? [`// ${keyComment}`, 'request.Headers.Add("Idempotency-Key", Guid.NewGuid().ToString());'] : []),
    ...(body === undefined ? [] : ['request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));']),
    ...headers.filter(([name]) => body !== undefined || !contentHeaders.test(name)).map(add),
    'HttpResponseMessage response = client.SendAsync(request).Result;',
    'Console.WriteLine((int)response.StatusCode + " " + response.Content.ReadAsStringAsync().Result);',
  ];
  return `using System;
using System.Net.Http;
using System.Text;

public static class Call
{
    public static void Main()
    {
${body === undefined ? '' : `        string body = string.Concat(\n${asciiPieces(textOf(body))});\n`}        using (var client = new HttpClient())
        using (var request = new HttpRequestMessage(new HttpMethod("${method}"), ${asciiLiteral(url)}))
        {
${lines.map((line) => `            ${line}\n`).join('')}        }
    }
}
`;
}
