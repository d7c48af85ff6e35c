/** Routes of notification settings and deliveries. */
import { deliveryPath } from '../../shared/api/common.ts';
import { createdDelivery, deliveriesQuery, delivery } from '../../shared/api/deliveries.ts';
import { changedNotifications, notifications } from '../../shared/api/notification-settings.ts';
import { operation as changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { operation as redeliver } from '../../shared/operations/notifications/redeliver.ts';
import { operation as testNotifications } from '../../shared/operations/notifications/test-notifications.ts';
import { operation as unsubscribe } from '../../shared/operations/notifications/unsubscribe.ts';
import { list } from '../../shared/protocol/schema.ts';
import { created, data, named, page, paged, performs, reads, v1Errors } from '../route-kinds.ts';

/** Requests come from the mail systems of recipients, and from people who follow a link in a mail. */
const ofLink = {
  access: 'public',
  path: '/unsubscribe/{organization}/{token}',
  rate: 'polls',
  timeoutSeconds: 10,
  memoryMegabytes: 256,
  request: { path: unsubscribe.on },
  errors: [...unsubscribe.refusals, 'rate_limited', 'internal'],
} as const;

export const routes = named({
  getNotifications: {
    ...reads('/api/v1/notifications', {}),
    handler: 'notifications/get-settings',
    summary: 'Get where alerts are sent',
    errorImpact: 'API clients cannot read notification settings.',
    success: data('The settings', notifications),
    uses: ['organizations:read'],
  },
  changeNotifications: {
    ...performs('PUT', '/api/v1/notifications', changeNotifications),
    handler: 'notifications/change-settings',
    errorImpact: 'API clients cannot change notification settings.',
    success: data(
      'The settings, and the secret of a new webhook, which is not shown again',
      changedNotifications,
    ),
  },
  testNotifications: {
    ...performs('POST', '/api/v1/notifications/test', testNotifications),
    handler: 'notifications/test',
    errorImpact: 'API clients cannot test their notifications.',
    success: created(
      'The deliveries, which are sent within two minutes',
      list(createdDelivery),
      '/api/v1/deliveries',
    ),
  },
  listDeliveries: {
    ...reads('/api/v1/deliveries', { query: deliveriesQuery }),
    handler: 'notifications/list-deliveries',
    summary: 'List what was sent where and with what result in the last 30 days, newest first',
    errorImpact: 'API clients cannot see whether their notifications were delivered.',
    success: paged('A page of deliveries', list(delivery)),
    errors: ['invalid_request', 'payload_too_large', ...v1Errors],
    uses: ['delivery-lists:read', 'deliveries:read', 'page-keys:renew'],
  },
  getDelivery: {
    ...reads('/api/v1/deliveries/{id}', { path: deliveryPath }),
    handler: 'notifications/get-delivery',
    summary: 'Get what was sent where and with what result',
    errorImpact: 'API clients cannot see whether a notification was delivered.',
    success: data('The delivery', delivery),
    uses: ['deliveries:read'],
  },
  redeliver: {
    ...performs('POST', '/api/v1/deliveries/{id}/redeliver', redeliver),
    handler: 'notifications/redeliver',
    errorImpact: 'API clients cannot repeat deliveries.',
    success: created(
      'The new delivery, which is sent within two minutes',
      createdDelivery,
      '/api/v1/deliveries/{id}',
    ),
  },
  getUnsubscribePage: {
    ...ofLink,
    method: 'GET',
    handler: 'notifications/unsubscribe-page',
    summary: 'Ask whether to turn a digest off',
    errorImpact: 'The link in digests that turns them off does not work.',
    success: { ...page, status: 200, description: 'The question, or that the digest is off' },
    uses: ['organizations:read'],
  },
  unsubscribe: {
    ...ofLink,
    name: unsubscribe.name,
    method: 'POST',
    handler: 'notifications/unsubscribe',
    summary: unsubscribe.summary,
    errorImpact: 'Recipients cannot turn digests off without signing in.',
    success: { ...page, status: 200, description: 'The digest is off' },
    uses: unsubscribe.uses,
  },
});
