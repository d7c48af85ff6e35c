import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Event } from '../../../shared/alerts/event.ts';
import type { SiemFormat } from '../../../shared/alerts/notification.ts';
import { problemWithSiem, siemBody, siemTarget } from '../../../shared/notify/siem.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const hostUrl = 'https://monitor.example.net';
const TOKEN = 'eb243592-faa2-4ba2-a551-1afdf565c889';

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

describe('Splunk', () => {
  const events = () =>
    bodyOf('splunk')
      .split('\n')
      .map((line) => JSON.parse(line));

  test('gets an event for each alert and event, with the time in seconds and what it is about', () => {
    expect(events()[0]).toEqual({
      time: Date.parse(below.createdAt) / 1000,
      host: 'monitor.example.net',
      source: 'email-domain-security-monitor',
      sourcetype: 'email_domain_security',
      event: { ...below, read: false },
      fields: { event_type: below.type, outcome: 'failure', severity: 'warning' },
    });
    expect(events().map(({ fields: { outcome, severity } }) => [outcome, severity])).toEqual([
      ['failure', 'warning'],
      ['success', 'info'],
      ['unknown', 'unknown'],
      ['success', 'unknown'],
    ]);
    expect(events()[2].time).toBe(Date.parse(about.createdAt) / 1000);
  });

  test('gets its token in a header, and is refused without one', () => {
    const url = `https://splunk.example.org:8088/services/collector/event?token=${TOKEN}`;
    expect(siemTarget(url, 'splunk')).toEqual({
      url: 'https://splunk.example.org:8088/services/collector/event',
      headers: { Authorization: `Splunk ${TOKEN}` },
    });
    expect(problemWithSiem(url, 'splunk')).toBeUndefined();
    expect(problemWithSiem('https://splunk.example.org/?token=x', 'splunk')).toContain(
      'token of the collector',
    );
    expect(problemWithSiem('https://elastic.example.org/', 'ecs')).toBeUndefined();
  });
});

test('documents of the Elastic Common Schema have its values, with one for what is unknown', () => {
  const documents = JSON.parse(bodyOf('ecs'));
  expect(documents[0]).toMatchObject({
    '@timestamp': below.createdAt,
    event: {
      kind: 'alert',
      category: ['email'],
      type: ['info'],
      outcome: 'failure',
      severity: 2,
      id: below.id,
    },
    organization: { id: expect.any(String) },
    related: { hosts: ['example.org'] },
  });
  expect(documents[0].message).not.toContain('\u202e');
  expect(
    documents.map(({ event }: { event: Record<string, unknown> }) => [event.kind, event.outcome]),
  ).toEqual([
    ['alert', 'failure'],
    ['alert', 'success'],
    ['event', 'unknown'],
    ['event', 'success'],
  ]);
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
  const shown = findings.map((one: Record<string, unknown>) => [one.activity_name, one.severity, one.status]);
  expect(shown).toEqual([
    ['Create', 'Medium', 'New'],
    ['Close', 'Informational', 'Resolved'],
    ['Create', 'Unknown', 'Unknown'],
    ['Create', 'Unknown', 'New'],
  ]);
});

test('a test is written, too', () => {
  const [finding] = JSON.parse(
    siemBody(madeDelivery({ channel: 'webhook', kind: 'test' }), [], 'ocsf', { hostUrl }),
  );
  expect(finding).toMatchObject({ message: 'Test notification', finding_info: { types: ['test'] } });
});
