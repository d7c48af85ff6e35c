import { gatherDigests } from '../../shared/notify/gather-digests.ts';
import { gatherer } from '../../shared/runtime/workers/gatherer.ts';
import { triggers } from '../triggers.ts';

export const handler = gatherer(triggers.gatherDigests, {
  sendsTo: 'digests',
  gather: gatherDigests,
});
