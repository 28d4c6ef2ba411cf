/** What the operations of the view of callers refuse. */
import { defineProblems, kind } from '../../contract/problem.ts';

export const callerProblems = defineProblems({
  callerNotFound: kind(422, '1301', 'validation', 'No caller has this id'),
  noRequestStored: kind(422, '1302', 'validation', 'The caller has sent no request that could be read and stored'),
  noLongerServed: kind(422, '1303', 'validation', 'The operation is no longer served'),
  invalidDeprecation: kind(422, '1304', 'validation', 'The deprecation has faults'),
  deprecationNotFound: kind(422, '1305', 'validation', 'No deprecation, credential or exemption has this id'),
  deprecationChanged: kind(422, '1306', 'validation', 'The deprecation was changed meanwhile'),
  tooManyDeprecations: kind(422, '1307', 'validation', 'The store holds no more deprecations or exemptions'),
});
