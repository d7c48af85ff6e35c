import { deliveryWorker } from '../../shared/runtime/workers/deliverer.ts';
import { triggers } from '../triggers.ts';

export const handler = deliveryWorker(triggers.deliverNotification, 'notifications');
