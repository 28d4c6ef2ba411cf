/** A peer: node:http alone sends JSON texts that are printed already, which is the least that a server on Node does. For measurements on loopback only. */
import { createServer } from 'node:http';
import { answersOf } from './answers.ts';

const known = new Map([...answersOf('json')].map(([reference, answer]) => [reference, JSON.stringify(answer)]));

createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const sent = pieces.length === 0 ? {} : JSON.parse(String(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
    const answer = known.get(sent.shopperReference) ?? '{}';
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) });
    response.end(answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
