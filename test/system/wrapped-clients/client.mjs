/** The `soap` package from the WSDL of a wrapped service: parameters and results are the fields themselves. */
import soap from 'soap';

const [wsdl, secret, version] = process.argv.slice(2);
const client = await soap.createClientAsync(wsdl, { forceSoap12Headers: version === '1.2' });
client.addHttpHeader('X-API-Key', secret);
const total = { attributes: { currency: 'EUR' }, value: '12345678.90' };
const [sent] = await client.sendInvoiceAsync({
  invoice: { attributes: { number: 'I-1', version: 2 }, issued: '2026-02-28', total },
  scan: Buffer.from([0, 1, 255]).toString('base64'),
  lines: { Line: [{ attributes: { sku: 'a "b"', discount: '0.15' } }] },
});
console.log(
  JSON.stringify({
    number: sent.invoice.attributes.number,
    issued: sent.invoice.issued instanceof Date ? sent.invoice.issued.toISOString().slice(0, 10) : sent.invoice.issued,
    currency: sent.invoice.total.attributes.currency,
    value: String(sent.invoice.total.value),
    scan: Buffer.from(sent.scan, 'base64').toString('hex'),
    sku: sent.lines.Line[0].attributes.sku,
  }),
);
