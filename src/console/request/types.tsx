/** What the operations of a request return. */
import type { Answer } from '../page/api.ts';
import type { getTrafficRequest } from './contract.ts';

export type TrafficRequest = Answer<typeof getTrafficRequest>;
export type TrafficDetails = NonNullable<TrafficRequest['details']>;
