/** What operations on attention items need. */
import type { PutOffDependencies } from '../../operations/attention/put-off.ts';
import { attentionStore } from '../../store/attention.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { clock, table } from './services.ts';

export const putOffDependencies = (): PutOffDependencies => ({
  domains: domainStore(table()),
  attention: attentionStore(table()),
  clock,
});
