import { gatherDigests } from '../../shared/notify/gather-digests.ts';
import { dispatchDeliveries } from '../../shared/runtime/workers/gatherer.ts';
import { triggers } from '../triggers.ts';

export const handler = dispatchDeliveries(triggers.gatherDigests, {
  sendsTo: 'digests',
  gather: gatherDigests,
});
