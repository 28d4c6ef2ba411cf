/** What befalls a machine of the cluster, and how it comes back. */
import { setTimeout } from 'node:timers/promises';
import type { Cluster, Member } from '../../support/patroni.ts';
import { until } from '../../support/until.ts';

export interface Fault {
  readonly name: string;
  /** Chooses the machine; nothing happens yet. */
  prepare(cluster: Cluster): Promise<PreparedFault>;
}

export interface PreparedFault {
  strike(): void | Promise<void>;
  /** Resolves when the cluster has reacted. */
  isOver(): Promise<void>;
  /** Lets the machine come back. */
  repair(): void;
}

export const primaryKilled = ofPrimary('the primary is killed', {
  strike: (primary) => primary.kill(),
  repair: (primary) => primary.start(),
});
export const switchedOver = ofPrimary('patronictl switchover', {
  strike: (_, cluster) => cluster.switchOver(),
  repair: () => {},
});
export const primaryCutOff = ofPrimary('the primary is cut off from all', {
  strike: (primary) => primary.cutOff(),
  repair: (primary) => primary.reconnect(),
});
export const primaryCutOffFromOthers = ofPrimary('the primary is cut off from the other two', {
  strike: (primary, { members }) => primary.cutOffFrom(members.filter((each) => each !== primary)),
  repair: (primary) => primary.reconnect(),
});
export const primaryHangs = ofPrimary('the primary hangs', {
  strike: (primary) => primary.signal('SIGSTOP'),
  repair: (primary) => primary.signal('SIGCONT'),
});
export const standbyHangs: Fault = {
  name: 'the synchronous standby hangs',
  async prepare(cluster) {
    const standby = await cluster.synchronousStandby();
    return {
      strike: () => standby.signal('SIGSTOP'),
      isOver: () => another(() => cluster.synchronousStandby(), standby),
      repair: () => standby.signal('SIGCONT'),
    };
  },
};

export const faults: readonly Fault[] = [
  switchedOver,
  primaryKilled,
  primaryCutOff,
  primaryCutOffFromOthers,
  primaryHangs,
  standbyHangs,
];

interface Blow {
  strike(primary: Member, cluster: Cluster): void | Promise<void>;
  repair(primary: Member): void;
}

function ofPrimary(name: string, { strike, repair }: Blow): Fault {
  return {
    name,
    async prepare(cluster) {
      const primary = await cluster.primary();
      return {
        strike: () => strike(primary, cluster),
        isOver: () => another(() => cluster.primary(), primary),
        repair: () => repair(primary),
      };
    },
  };
}

function another(find: () => Promise<Member>, before: Member): Promise<void> {
  return until(`another than ${before.name}`, async () => {
    await setTimeout(200);
    return (await find()).name !== before.name;
  });
}
