/** The processes of a PostgreSQL server: the CPU time that all of them have used. */
import { readFileSync } from 'node:fs';
import type { Postgres } from '../../test/support/postgres.ts';
import { cpuUs } from '../server.ts';

export interface DatabaseProcesses {
  /** Since their start; processes that have ended do not count. */
  cpuUs(): number;
}

export async function databaseProcesses(postgres: Postgres): Promise<DatabaseProcesses> {
  const [row] = await postgres.ask(`select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid`);
  const pid = String(row?.pid);
  return {
    cpuUs() {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
      return children.map(Number).reduce((sum, child) => sum + used(child), 0);
    },
  };
}

function used(pid: number): number {
  try {
    return cpuUs(pid);
  } catch {
    return 0;
  }
}
