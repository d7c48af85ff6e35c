/** Routes of alerts. */
import { alert } from '../../shared/alerts/alert.ts';
import { alertsQuery } from '../../shared/api/alerts.ts';
import { operation as markAlertRead } from '../../shared/operations/alerts/mark-alert-read.ts';
import { list } from '../../shared/protocol/schema.ts';
import { named, performs, v1Errors, v1Read } from '../route-kinds.ts';

export const routes = named({
  listAlerts: {
    ...v1Read,
    path: '/api/v1/alerts',
    handler: 'alerts/list',
    summary: 'List alerts, newest first',
    errorImpact: 'API clients cannot read alerts.',
    request: { query: alertsQuery },
    success: { status: 200, description: 'A page of alerts', envelope: 'page', schema: list(alert) },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'alerts:list', 'page-keys:renew'],
  },
  markAlertRead: {
    ...performs('PATCH', markAlertRead),
    path: '/api/v1/alerts/{id}',
    handler: 'alerts/mark-read',
    errorImpact: 'API clients cannot mark alerts as read.',
    request: { path: markAlertRead.on, body: markAlertRead.input },
    success: { status: 200, description: 'The alert, marked as read', envelope: 'data', schema: alert },
  },
});
