/** One attack, until the process is ended: `node bench/security/attacker.ts NAME PORT`. Prints what it got at its end. */
import { type AttackName, attacks } from './attacks.ts';
import { openConnection } from './connection.ts';

const [name, port] = process.argv.slice(2);
const attack = attacks[name as AttackName];
const from = '127.0.0.2';
const statuses = new Map<number | 'lost', number>();
const count = (what: number | 'lost') => statuses.set(what, (statuses.get(what) ?? 0) + 1);

function open(): void {
  openConnection({
    port: Number(port),
    from,
    onOpen: (connection) => {
      if (attack.request !== undefined) connection.send(attack.request());
    },
    onAnswer(status, connection) {
      count(status);
      if (attack.request !== undefined && !attack.sendsOnce) connection.send(attack.request());
    },
    onClose() {
      count('lost');
      open();
    },
  });
}

for (let opened = 0; opened < attack.connections; opened += 1) open();
console.log('started');
process.on('SIGTERM', () => {
  console.log(JSON.stringify(Object.fromEntries(statuses)));
  process.exit(0);
});
