/** Routes of alerts. */
import { alert } from '../../shared/alerts/alert.ts';
import { alertsQuery, markReadBody } from '../../shared/api/alerts.ts';
import { alertPath } from '../../shared/api/common.ts';
import { list } from '../../shared/protocol/schema.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { v1, v1Errors } from '../route-kinds.ts';

export const routes = {
  listAlerts: {
    ...v1,
    name: 'listAlerts',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/alerts',
    handler: 'alerts/list',
    summary: 'List alerts, newest first',
    errorImpact: 'API clients cannot read alerts.',
    request: { query: alertsQuery },
    success: { status: 200, description: 'A page of alerts', envelope: 'page', schema: list(alert) },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'alerts:list'],
  },
  markAlertRead: {
    ...v1,
    name: 'markAlertRead',
    scope: 'write',
    method: 'PATCH',
    path: '/api/v1/alerts/{id}',
    handler: 'alerts/mark-read',
    summary: 'Mark an alert as read',
    description: 'An alert cannot be marked as unread again.',
    errorImpact: 'API clients cannot mark alerts as read.',
    request: { path: alertPath, body: markReadBody },
    success: { status: 200, description: 'The alert, marked as read', envelope: 'data', schema: alert },
    errors: ['invalid_request', 'not_found', 'precondition_failed', 'payload_too_large', ...v1Errors],
    uses: ['domain-data:write', 'alerts:list'],
  },
} as const satisfies Record<string, Route>;
