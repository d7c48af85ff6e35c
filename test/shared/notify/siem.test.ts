import { expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Event } from '../../../shared/alerts/event.ts';
import type { SiemFormat } from '../../../shared/alerts/notification.ts';
import { siemBody } from '../../../shared/notify/siem.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const hostUrl = 'https://monitor.example.net';

const below = storedAlert({ severity: 'warning', title: 'Score below 70\u202e: example.org' });
const above = storedAlert({
  ...({ severity: 'info', title: 'Score no longer below 70: example.org' } as Partial<Alert>),
  metadata: { threshold: 70, previousScore: 60, newScore: 80, direction: 'above' },
} as Partial<Alert>);

const about = {
  id: '018f0000-0000-7000-8000-00000000000a',
  createdAt: '2026-03-01T10:00:00.500Z',
  ...{ domainId: below.domainId, domainName: 'example.org' },
};
const unknown: Event = { ...about, type: 'checks.completed', score: null, grade: null };
const scored: Event = { ...about, type: 'checks.completed', score: 85, grade: 'B' };

const bodyOf = (format: SiemFormat) =>
  siemBody(madeDelivery({ channel: 'webhook', events: [unknown, scored] }), [below, above], format, {
    hostUrl,
  });

/** Attributes of a Detection Finding that OCSF 1.3 requires, and the values of those that it enumerates. */
const required = {
  ...{ activity_id: [1, 2, 3], category_uid: [2], class_uid: [2004], type_uid: [200401, 200402, 200403] },
  ...{ severity_id: [0, 1, 2, 3, 4, 5, 6, 99], status_id: [0, 1, 2, 3, 4, 5, 6, 99] },
};

test('findings of OCSF have what it requires, in its values, with one for what is unknown', () => {
  const findings = JSON.parse(bodyOf('ocsf'));
  for (const finding of findings) {
    for (const [name, values] of Object.entries(required)) expect(values).toContain(finding[name]);
    expect(finding).toMatchObject({
      time: expect.any(Number),
      metadata: { version: '1.4.0', product: { vendor_name: expect.any(String) } },
      finding_info: { uid: expect.any(String), title: expect.any(String) },
    });
    expect(finding.type_uid).toBe(finding.class_uid * 100 + finding.activity_id);
  }
});
