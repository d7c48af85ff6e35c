import { gather } from '../../shared/notify/gather.ts';
import { dispatchDeliveries } from '../../shared/runtime/workers/gatherer.ts';
import { triggers } from '../triggers.ts';

export const handler = dispatchDeliveries(triggers.gatherNotifications, {
  sendsTo: 'notifications',
  gather,
});
