/** Routes of notification settings and deliveries. */
import { deliveryPath } from '../../shared/api/common.ts';
import { createdDelivery, deliveriesQuery, delivery } from '../../shared/api/deliveries.ts';
import {
  changedNotifications,
  notifications,
  notificationsBody,
  testBody,
} from '../../shared/api/notification-settings.ts';
import { unsubscribePathParameters } from '../../shared/api/unsubscribe.ts';
import { list } from '../../shared/protocol/schema.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { page, v1, v1Errors, v1PostErrors } from '../route-kinds.ts';

/** Requests come from the mail systems of recipients, and from people who follow a link in a mail. */
const unsubscribe = {
  access: 'public',
  path: '/unsubscribe/{organization}/{token}',
  rate: 'polls',
  timeoutSeconds: 10,
  memoryMegabytes: 256,
  request: { path: unsubscribePathParameters },
  errors: ['not_found', 'rate_limited', 'internal'],
} as const;

export const routes = {
  getNotifications: {
    ...v1,
    name: 'getNotifications',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/notifications',
    handler: 'notifications/get-settings',
    summary: 'Get where alerts are sent',
    errorImpact: 'API clients cannot read notification settings.',
    request: {},
    success: { status: 200, description: 'The settings', envelope: 'data', schema: notifications },
    errors: [...v1Errors],
    uses: ['organizations:read'],
  },
  changeNotifications: {
    ...v1,
    name: 'changeNotifications',
    scope: 'write',
    method: 'PUT',
    path: '/api/v1/notifications',
    handler: 'notifications/change-settings',
    summary: 'Set where alerts are sent',
    errorImpact: 'API clients cannot change notification settings.',
    request: { body: notificationsBody },
    success: {
      status: 200,
      description: 'The settings, and the secret of a new webhook, which is not shown again',
      envelope: 'data',
      schema: changedNotifications,
    },
    errors: ['invalid_request', 'precondition_failed', 'payload_too_large', ...v1Errors],
    uses: ['organizations:write', 'secrets:write'],
  },
  testNotifications: {
    ...v1,
    name: 'testNotifications',
    scope: 'write',
    method: 'POST',
    path: '/api/v1/notifications/test',
    handler: 'notifications/test',
    summary: 'Send a test notification on every channel, or on one',
    errorImpact: 'API clients cannot test their notifications.',
    request: { body: testBody },
    success: {
      status: 201,
      description: 'The deliveries, which are sent within two minutes',
      envelope: 'data',
      schema: list(createdDelivery),
    },
    errors: ['payload_too_large', ...v1PostErrors],
    uses: ['organizations:read', 'deliveries:write', 'delivery-lists:write'],
  },
  listDeliveries: {
    ...v1,
    name: 'listDeliveries',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/deliveries',
    handler: 'notifications/list-deliveries',
    summary: 'List what was sent where and with what result in the last 30 days, newest first',
    errorImpact: 'API clients cannot see whether their notifications were delivered.',
    request: { query: deliveriesQuery },
    success: { status: 200, description: 'A page of deliveries', envelope: 'page', schema: list(delivery) },
    errors: ['invalid_request', ...v1Errors],
    uses: ['delivery-lists:read', 'deliveries:read'],
  },
  redeliver: {
    ...v1,
    name: 'redeliver',
    scope: 'write',
    method: 'POST',
    path: '/api/v1/deliveries/{id}/redeliver',
    handler: 'notifications/redeliver',
    summary: 'Send the content of a delivery again, as a new delivery to where notifications are sent now',
    errorImpact: 'API clients cannot repeat deliveries.',
    request: { path: deliveryPath },
    success: {
      status: 201,
      description: 'The new delivery, which is sent within two minutes',
      envelope: 'data',
      schema: createdDelivery,
    },
    errors: ['not_found', ...v1PostErrors],
    uses: ['deliveries:write', 'delivery-lists:write'],
  },
  getUnsubscribePage: {
    ...unsubscribe,
    name: 'getUnsubscribePage',
    method: 'GET',
    handler: 'notifications/unsubscribe-page',
    summary: 'Ask whether to turn a digest off',
    errorImpact: 'The link in digests that turns them off does not work.',
    success: { ...page, status: 200, description: 'The question, or that the digest is off' },
    uses: ['organizations:read'],
  },
  unsubscribe: {
    ...unsubscribe,
    name: 'unsubscribe',
    method: 'POST',
    handler: 'notifications/unsubscribe',
    summary: 'Turn a digest off, with the link in it (RFC 8058)',
    errorImpact: 'Recipients cannot turn digests off without signing in.',
    success: { ...page, status: 200, description: 'The digest is off' },
    uses: ['organizations:renew'],
  },
} as const satisfies Record<string, Route>;
