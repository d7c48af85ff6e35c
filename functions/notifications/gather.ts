import { gather } from '../../shared/notify/gather.ts';
import { gatherer } from '../../shared/runtime/workers/gatherer.ts';
import { triggers } from '../triggers.ts';

export const handler = gatherer(triggers.gatherNotifications, {
  sendsTo: 'notifications',
  gather,
});
