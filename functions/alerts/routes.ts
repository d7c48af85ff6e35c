/** Routes of alerts. */
import { alert } from '../../shared/alerts/alert.ts';
import { alertsQuery } from '../../shared/api/alerts.ts';
import { operation as markAlertRead } from '../../shared/operations/alerts/mark-alert-read.ts';
import { list } from '../../shared/protocol/schema.ts';
import { data, named, paged, performs, reads, v1Errors } from '../route-kinds.ts';

export const routes = named({
  listAlerts: {
    ...reads('/api/v1/alerts', { query: alertsQuery }),
    handler: 'alerts/list',
    summary: 'List alerts, newest first',
    errorImpact: 'API clients cannot read alerts.',
    success: paged('A page of alerts', list(alert)),
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'alerts:list', 'page-keys:renew'],
  },
  markAlertRead: {
    ...performs('PATCH', '/api/v1/alerts/{id}', markAlertRead),
    handler: 'alerts/mark-read',
    errorImpact: 'API clients cannot mark alerts as read.',
    success: data('The alert, marked as read', alert),
  },
});
