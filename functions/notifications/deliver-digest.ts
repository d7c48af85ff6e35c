import { digestWriter } from '../../shared/notify/write-digest.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { retention, table } from '../../shared/runtime/dependencies/services.ts';
import { deliveryWorker } from '../../shared/runtime/workers/deliverer.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { triggers } from '../triggers.ts';

export const handler = deliveryWorker(triggers.deliverDigest, 'digests', () =>
  digestWriter({
    domains: domainStore(table()),
    alerts: alertStore(table(), retention()),
    attention: attentionStore(table()),
    sums: organizationSumsStores(),
  }),
);
