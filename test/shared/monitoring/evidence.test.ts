import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { type RecordingJson, toJson } from '../../../shared/checks/recording/recorded.ts';
import { repeatChecks } from '../../../shared/checks/recording/replay.ts';
import { performCheckRun } from '../../../shared/monitoring/run-checks.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { evidenceStore } from '../../../shared/store/check-runs/evidence.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { checkRunStores } from '../../kit/check-runs.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';
import { checkContextOf } from '../fixes/check-and-plan.ts';

const DAY = 86_400_000;
const start = Date.parse('2026-06-01T00:00:00Z');
const after = (days: number) => new Date(start + days * DAY);

const RETENTION_DAYS = 30;

let domain: Domain;
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table, 'example.org');
});

const published: ZoneLiteral = {
  'example.org': { MX: [[10, 'mx.example.org']], TXT: ['v=spf1 mx -all'] },
  'mx.example.org': { A: ['192.0.2.1'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
};

const authority = createAuthority();

/** A check run on a day, with a certificate of that name at the MX host. */
async function check(days: number, zones: ZoneLiteral, certificate = 'mx.example.org'): Promise<void> {
  const context = checkContextOf(domain.domain, zone(zones));
  const { der } = certificates.get(certificate) ?? issue(certificate);
  const probed = {
    validFrom: after(-30),
    validTo: after(90),
    chain: [der],
    trusted: true,
    matchesName: true,
  };
  const network = {
    ...context.network,
    clock: { now: () => after(days) },
    smtp: {
      probe: async ({ hostname, address }: { hostname: string; address: string }) => ({
        status: 'found' as const,
        starttls: {
          ...{ status: 'established' as const, protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' },
          certificate: probed,
        },
        recipient: 'not-asked' as const,
        evidence: { hostname, address, milliseconds: 0 },
      }),
    },
  };
  await performCheckRun(domain, checkRunStores(table, { RETENTION_DAYS }), {
    checkContext: { ...context, network },
    now: after(days),
  });
}

const certificates = new Map<string, { readonly der: Uint8Array }>();
function issue(name: string): { readonly der: Uint8Array } {
  const made = authority.issue([name]);
  certificates.set(name, made);
  return made;
}

const evidence = () => evidenceStore(table, { retentionDays: RETENTION_DAYS });
const at = async (days: number, now = days) =>
  (await evidence().at(domain.id, after(days).toISOString(), after(now)))?.at;

test('is stored by check runs that change something, and tells how the domain stood at a time', async () => {
  await check(0, published);
  await check(1, published);
  await check(2, { ...published, '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } });
  await check(3, { ...published, '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } });
  const [first, second] = [after(0).toISOString(), after(2).toISOString()];
  expect([await at(-1), await at(0), await at(1), await at(2), await at(9)]).toEqual([
    ...[undefined, first, first, second, second],
  ]);
});

test('is kept for the retention period after another one replaced it; the latest one is kept as long as it holds', async () => {
  await check(0, published);
  expect(await at(1, 400)).toBe(after(0).toISOString());
  await check(10, { ...published, '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } });
  expect(await at(1, 39)).toBe(after(0).toISOString());
  expect(await at(1, 42)).toBeUndefined();
  expect(await at(11, 400)).toBe(after(10).toISOString());
});

test('names certificates, which are stored once and can be had with each evidence', async () => {
  await check(0, published);
  await check(2, { ...published, '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } });
  await check(4, { ...published, '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } }, 'other.example.org');
  await check(6, published, 'other.example.org');
  for (const day of [1, 3, 7]) {
    const stored = await evidence().at(domain.id, after(day).toISOString(), after(8));
    const found = await evidence().certificates(domain.id, stored?.certificates ?? []);
    expect(found.size).toBe(1);
    const { recording, results } = stored?.content ?? {};
    if (recording === undefined) throw new Error('no answers are kept');
    const repeated = await repeatChecks(recording, found);
    expect(repeated.missing).toEqual([]);
    expect(repeated.results).toEqual(results);
  }
  await expect(evidence().certificates(domain.id, ['gone'])).rejects.toThrow(
    'the certificate gone of evidence',
  );
});

test('is replaced only by later results', async () => {
  await check(0, published);
  const latest = await checkStore(table).latest(domain.id);
  await check(5, published);
  expect((await checkStore(table).latest(domain.id))?.evidence).toEqual(latest?.evidence);
});

/** A run like the stored one, with other certificates and an answer more. */
async function runWith(count: number, text: string) {
  await check(0, published);
  const stored = await evidence().at(domain.id, undefined, after(1));
  const recording = toJson(stored?.content.recording) as RecordingJson;
  const answer = { status: 'found' as const, ttl: 1, records: [text] };
  const dns = [...recording.answers.dns, { name: 'more.example.org', type: 'TXT' as const, answer }];
  const certificates = new Map(
    Array.from({ length: count }, (_, n) => [n.toString(16).padStart(64, '0'), new Uint8Array([n])] as const),
  );
  const run = { recording: { ...recording, answers: { ...recording.answers, dns } }, certificates };
  const { usageType, content } = stored ?? {};
  if (usageType === undefined || content === undefined) throw new Error('nothing is stored');
  return { at: after(2).toISOString(), release: '1', usageType, results: content.results, run };
}

test('has no more writes than there is room for, with as many certificates that expire', async () => {
  const known = Array.from({ length: 60 }, (_, n) => n.toString(16).padStart(64, 'f'));
  const former = { at: after(0).toISOString(), certificates: known };
  for (const [count, room, writes] of [
    [3, 90, 65],
    [60, 90, 90],
    [89, 90, 62],
    [3, 2, 2],
  ] as const)
    expect(evidence().writesOf(domain.id, await runWith(count, ''), former, room).writes).toHaveLength(
      writes,
    );
});

test('does without the answers of a domain that has too many', async () => {
  const large = randomBytes(800_000).toString('hex');
  const given = await runWith(1, large);
  const { reference, writes } = evidence().writesOf(domain.id, given, undefined, 90);
  expect([reference?.certificates, writes.length]).toEqual([[], 1]);
});
