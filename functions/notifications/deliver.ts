import { deliverer } from '../../shared/runtime/workers/deliverer.ts';
import { triggers } from '../triggers.ts';

export const handler = deliverer(triggers.deliverNotification, 'notifications');
