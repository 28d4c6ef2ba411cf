/** A second service whose operation is named as one of the recurring service. */
import { operation } from '../../src/core/contract/operation.ts';
import { object, required, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { type Implementation, implement } from '../../src/stores/handlers.ts';

export const alarmsV1 = service({
  name: 'Alarms',
  version: 1,
  answers: { from: 1, to: 1 },
  doc: 'Alarms of a building.',
  address: '/alarms',
  legacy: { adapter: '/alarms/form' },
  namespaces: { own: 'alarms', uris: { alarms: 'urn:example:alarms' } },
  roles: ['alarms'],
  operations: [
    operation({
      name: 'disable',
      doc: 'Disables an alarm.',
      effect: 'writes',
      role: 'alarms',
      problems: [],
      // The same fields as in the other `disable`, so that one message is valid for both.
      input: object('DisableRequest', {
        merchantAccount: required(string({ min: 1, max: 80, example: 'building' }), 'The building.'),
        shopperReference: required(string({ min: 1, max: 80, example: 'alarm-1' }), 'The alarm.'),
      }),
      output: object('Disabled', { alarm: required(string({ max: 80, example: 'alarm-1' }), 'The alarm.') }),
    }),
  ],
});

/** `disabled` gets each alarm that is disabled. */
export const implementAlarms = (disabled: string[]): Implementation =>
  implement(alarmsV1, {
    async disable({ input: { shopperReference: alarm } }) {
      disabled.push(alarm);
      return { alarm };
    },
  });
