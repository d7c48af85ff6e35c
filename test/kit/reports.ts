/** Reports as the parsers hand them to the store, built from a few values. */
import { createHash } from 'node:crypto';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type {
  DmarcRecordRow,
  DmarcReportHeader,
  ReportIdentity,
  TlsReport,
  TlsReportPolicy,
} from '../../shared/reports/report.ts';
import { type Domain, domainStore, type NewDomain } from '../../shared/store/domains/domains.ts';
import { domainPartition } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import type { Arrival, CommitOutcome } from '../../shared/store/reports/commit.ts';
import type { DmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import type { TlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import type { Table } from '../../shared/store/table.ts';

const DAY = 86_400_000;

export interface DmarcSample {
  readonly header: DmarcReportHeader;
  readonly rows: readonly DmarcRecordRow[];
  readonly identity: ReportIdentity;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const row = (given: Partial<DmarcRecordRow> = {}): DmarcRecordRow => ({
  sourceIp: '192.0.2.1',
  count: 1,
  disposition: 'none',
  dkim: 'pass',
  spf: 'pass',
  reasons: [],
  headerFrom: 'example.org',
  envelopeFrom: null,
  envelopeTo: null,
  dkimResults: [{ domain: 'example.org', result: 'pass', selector: 's1' }],
  spfResults: [{ domain: 'example.org', result: 'pass', scope: 'mfrom' }],
  ...given,
});

/** Rows that hardly compress, so that few of them fill a chunk. */
export const noisyRows = (count: number): DmarcRecordRow[] =>
  Array.from({ length: count }, (_, n) =>
    row({
      sourceIp: `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
      reasons: [
        {
          type: 'other',
          comment: Buffer.from(crypto.getRandomValues(new Uint8Array(600))).toString('base64'),
        },
      ],
    }),
  );

/** A report of one day from `begin`; its identity is that of its id and begin, its content that of its rows. */
export function dmarcReport(
  begin: string,
  rows: readonly DmarcRecordRow[] = [row()],
  given: Partial<DmarcReportHeader> = {},
): DmarcSample {
  const dateRangeBegin = new Date(begin).toISOString();
  const header: DmarcReportHeader = {
    kind: 'dmarc',
    reportId: 'report-1',
    orgName: 'Reporter',
    email: 'reports@reporter.example',
    extraContactInfo: null,
    dateRangeBegin,
    dateRangeEnd: new Date(Date.parse(begin) + DAY - 1000).toISOString(),
    policyDomain: 'example.org',
    policyP: 'reject',
    policySp: null,
    policyNp: null,
    policyAdkim: 'r',
    policyAspf: 'r',
    policyPct: 100,
    testing: false,
    discoveryMethod: null,
    specification: 'RFC 7489',
    generator: null,
    ...given,
  };
  return {
    header,
    rows,
    identity: {
      key: sha256(`${header.reportId} ${dateRangeBegin}`),
      contentHash: sha256(JSON.stringify(rows.map((one) => JSON.stringify(one)).toSorted())),
    },
  };
}

export const arrival: Arrival = {
  receivedAt: new Date('2026-03-01T06:00:00Z'),
  authenticated: true,
  authenticatedDomain: 'reporter.example',
  warnings: 0,
  rawKey: 'reports/raw/1',
};

/**
 * Stores a report as the parser does, with its rows in pieces. `now` is the current time; pending chunks expire later.
 */
export function storeDmarc(
  store: DmarcReportStore,
  domain: Domain,
  { header, rows, identity }: DmarcSample,
  now: Date = new Date(),
  given: Partial<Parameters<DmarcReportStore['begin']>[2]> = {},
): Promise<CommitOutcome> {
  const writer = store.begin(domain, header, { identity, arrival, ...given });
  for (let at = 0; at < rows.length; at += 500) writer.add(rows.slice(at, at + 500));
  return writer.commit(now);
}

export const policy = (given: Partial<TlsReportPolicy> = {}): TlsReportPolicy => ({
  policyType: 'sts',
  policyDomain: 'example.org',
  policyString: ['version: STSv1', 'mode: enforce'],
  mxHost: ['mx.example.org'],
  successCount: 10,
  failureCount: 0,
  failureDetails: [],
  ...given,
});

export function tlsReport(
  begin: string,
  policies: readonly TlsReportPolicy[] = [policy()],
  given: Partial<TlsReport> = {},
): { report: TlsReport; identity: ReportIdentity } {
  const report: TlsReport = {
    kind: 'tls',
    reportId: 'tls-1',
    organizationName: 'Reporter',
    contactInfo: 'smtp@reporter.example',
    dateRangeBegin: new Date(begin).toISOString(),
    dateRangeEnd: new Date(Date.parse(begin) + DAY - 1000).toISOString(),
    policies,
    ...given,
  };
  return {
    report,
    identity: {
      key: sha256(`${report.reportId} ${report.dateRangeBegin}`),
      contentHash: sha256(JSON.stringify(policies)),
    },
  };
}

export function storeTls(
  store: TlsReportStore,
  domain: Domain,
  { report, identity }: ReturnType<typeof tlsReport>,
  now: Date = new Date(),
): Promise<CommitOutcome> {
  return store.store(domain, report, { identity, arrival }, now);
}

/** Everything that is stored about a domain. */
export async function itemsOf(table: Table, { id }: Pick<Domain, 'id'>): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': domainPartition(id) },
    },
  );
  for await (const { Items = [] } of pages) found.push(...Items);
  return found;
}

/** Registers a domain in a new organization. */
export async function registeredDomain(table: Table, domain = 'example.org'): Promise<Domain> {
  const now = new Date('2026-01-01T00:00:00Z');
  const { id } = await organizationStore(table).create('An organization', now, crypto.randomUUID());
  return registerDomain(table, id, domain, now);
}

/** Registers a domain of an organization, which is parked unless it is given otherwise. */
export async function registerDomain(
  table: Table,
  organization: string,
  domain: string,
  now: Date,
  given: Partial<NewDomain> = {},
): Promise<Domain> {
  const all = { domain, usageType: 'parked', testEmailLocalPart: null, ...given } as const;
  const outcome = await domainStore(table).register(organization, all, 10_000, now);
  if (outcome.status !== 'registered') throw new Error(outcome.status);
  return outcome.domain;
}

/** The same, whose ownership is verified. */
export async function verifiedDomain(table: Table, at: Date): Promise<Domain> {
  const verified = await domainStore(table).markVerified(await registeredDomain(table), at);
  if (verified === undefined) throw new Error('gone');
  return verified;
}

/** Returns pseudorandom integers from 0 to below `below`, the same ones for the same seed (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
