import { expect, test } from '@jest/globals';
import { operatorFor } from '../../../../shared/operations/operation.ts';
import { replayReportMails } from '../../../../shared/operations/reports/replay-report-mails.ts';
import { reportStores } from '../../../../shared/runtime/dependencies/report-stores.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { done } from '../../../kit/operations.ts';
import { dmarcXml, reportMail, yesterday } from '../../../kit/report-mails.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';
import { zone } from '../../../kit/zone.ts';

const table = await useTable();
const now = new Date((yesterday + 86_400 + 3_600) * 1000);

test('a mail whose message is gone keeps its outcomes, and the others are read again', async () => {
  const domain = await registeredDomain(table);
  const stores = reportStores(table, { retentionDays: 0 });
  const content = reportMail({
    ...{ from: 'dmarc@reporter.test', subject: 'Report', date: now },
    attachments: [{ name: 'report.xml', bytes: Buffer.from(dmarcXml({ domain: domain.domain })) }],
  });
  const outcomes = [{ kind: 'not-read', source: 'mail', reason: 'it failed', report: null }] as const;
  const mail = { receivedAt: now, alsoFor: [], authentication: null, from: null, subject: null, outcomes };
  const read = { kind: 'duplicate', source: 'other.xml', reason: 'stored before', report: null } as const;
  for (const [id, known] of [
    ['gone', outcomes],
    // Of its two attachments, one was read.
    ['kept', [...outcomes, read]],
  ] as const)
    await stores.outcomes.store(domain, { ...mail, outcomes: known, messageId: id, rawKey: `raw/${id}` });
  const progress: (readonly [number, number])[] = [];
  const replayed = done(
    await replayReportMails(
      operatorFor(domain.organization),
      { id: domain.id },
      {
        ...{ domains: domainStore(table), stores, dns: zone({}), clock: { now: () => now } },
        raw: {
          read: async (key) => (key === 'raw/kept' ? Buffer.from(content) : undefined),
          remove: async () => {},
        },
        unauthenticated: 'count',
        onProgress: (done, total) => progress.push([done, total]),
      },
    ),
  );
  expect(progress).toEqual([
    [0, 2],
    [1, 2],
  ]);
  expect(replayed.map((one) => [one.mail.messageId, one.outcomes?.map(({ kind }) => kind)])).toEqual([
    ['gone', undefined],
    ['kept', ['accepted']],
  ]);
  const stored = [];
  for await (const one of stores.outcomes.all(domain.id)) stored.push(one.outcomes.map(({ kind }) => kind));
  expect(stored).toEqual([['not-read'], ['accepted']]);
});
