/** A caller by the `soap` package, which sends the bytes as a part: `vault-client.mjs URL BYTES`. */
import { createClientAsync } from 'soap';

const [, , url, bytes] = process.argv;
const content = Buffer.from(Array.from({ length: Number(bytes) }, (_, at) => (at * 7 + Math.floor(at / 256)) % 256));
const client = await createClientAsync(`${url}?wsdl`, {
  endpoint: url,
  forceMTOM: true,
  parseReponseAttachments: true,
});
const xop = { 'xmlns:xop': 'http://www.w3.org/2004/08/xop/include', href: 'cid:scan@soap' };
const [answer] = await client.StoreAsync(
  { Name: 'from node', Data: { 'xop:Include': { attributes: xop } } },
  { attachments: [{ mimetype: 'application/octet-stream', contentId: 'scan@soap', name: 'scan', body: content }] },
);
const [part] = client.lastResponseAttachments?.parts ?? [];
const returned = part?.body ?? Buffer.from(String(answer.Data), 'base64');
console.log(
  `size=${answer.Size} attached=${Number(answer.WasAttached)} returned=${part === undefined ? 'text' : 'part'} same=${Number(Buffer.compare(Buffer.from(returned), content) === 0)}`,
);
