/** The examples of alerts in the documents are what the service says about the facts in them. */
import { expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { dnsChange } from '../../../shared/alerts/dns-alerts.ts';
import { scoreChange, scoreThreshold } from '../../../shared/alerts/score-alerts.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { exampleOf } from '../../../shared/openapi/examples.ts';

const { components } = openApiDocument(Object.values(routes), { hostUrl: 'https://x.example', version: '1' });
const schemas = components?.schemas ?? {};
const exampleIn = (name: string) => exampleOf(schemas[name] ?? {}, schemas);

test('a dns_change', () => {
  const example = exampleIn('DnsChangeAlert');
  const { recordsAdded, recordsRemoved, findingsAdded } = Object(example).metadata;
  const change = { recordsAdded, recordsRemoved, faultsAdded: findingsAdded, faultsRemoved: [] };
  const transition = {
    before: { state: 'warning', records: recordsRemoved },
    after: { state: 'warning' },
  } as const;
  expect(example).toMatchObject(dnsChange('example.org', 'dmarc', change, transition));
});

test('a score_change and a score_threshold', () => {
  const [change] = scoreChange('example.org', { score: 85, grade: 'B' }, { score: 60, grade: 'D' });
  expect(exampleIn('ScoreChangeAlert')).toMatchObject(Object(change));
  const given = {
    baseline: { score: 85, grade: 'B' },
    facts: { score: 60, grade: 'D' },
    threshold: 70,
    crossed: 'below',
  } as const;
  expect(exampleIn('ScoreThresholdAlert')).toMatchObject(scoreThreshold('example.org', given));
});

test.each(Object.keys(schemas).filter((name) => /^(?!Alert).*Alert$/.test(name)))(
  '%s is about what its type says',
  (name) => {
    const { type, title } = Object(exampleIn(name));
    const words: Record<string, RegExp> = {
      dns_change: /^DMARC/,
      score_change: /^Score dropped/,
      score_threshold: /^Score below/,
      certificate_issuer_change: /^Certificate issuer/,
      report_failure: /failures/,
      new_report: /^New .* reporter/,
    };
    expect(title).toMatch(words[type] ?? /^$/);
  },
);
