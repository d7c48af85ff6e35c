/**
 * How many messages per second are authenticated, compared with mailauth, which only verifies their DKIM signatures.
 */
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { analyse } from '../../shared/mail-test/analyse.ts';
import type { BlocklistRole } from '../../shared/mail-test/blocklist-zones.ts';
import { rsaKey, signed } from '../kit/dkim-signer.ts';
import { zone } from '../kit/zone.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 7;
const MILLISECONDS_PER_ROUND = 200;
const NOW = new Date('2026-01-01T00:00:00Z');
const EDGE_ID = 'edge';

const key = rsaKey();
const KEY_NAME = 's._domainkey.example.org';

const dns = zone({
  'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'], MX: [[10, 'mx.example.org']] },
  'mx.example.org': { A: ['192.0.2.1'] },
  'mail.example.org': { A: ['192.0.2.7'] },
  '7.2.0.192.in-addr.arpa': { PTR: ['mail.example.org'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
  [KEY_NAME]: { TXT: [key.record] },
});
const blocklists = new Map<BlocklistRole, string>([
  ['combined', 'combined.example'],
  ['openrelay', 'openrelay.example'],
  ['reputation', 'reputation.example'],
  ['userreported', 'userreported.example'],
]);

/** Takes about six seconds. */
export async function benchMailTest(): Promise<readonly BenchRow[]> {
  return [await benchBody('2 KB', 2_000), await benchBody('1 MB', 1_000_000)];
}

async function benchBody(size: string, octets: number): Promise<BenchRow> {
  const text = signed(
    `From: a@example.org\r\nSubject: x\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\n\r\n${'A line of some text.\r\n'.repeat(octets / 22)}`,
    { domain: 'example.org', selector: 's', key },
  );
  const edge = `Return-Path: <a@example.org>\r\nReceived: from mail.example.org (x [192.0.2.7]) by inbound-smtp.bench with SMTP id ${EDGE_ID} for x; d\r\n`;
  const message = Buffer.from(`${edge}${text}`);
  const complete = () => analyse({ message, edgeId: EDGE_ID, receivedAt: NOW }, { dns, blocklists });
  const bare = () =>
    dkimVerify(message, { strict: true, curTime: NOW, resolver: async () => [[key.record]] });
  const rates: { ours: number; theirs: number }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const rate = { ours: await perSecond(complete), theirs: await perSecond(bare) };
    if (round >= 0) rates.push(rate);
  }
  const ratio = median(rates.map(({ ours, theirs }) => ours / theirs));
  const each = (who: 'ours' | 'theirs') =>
    Math.round(median(rates.map((rate) => rate[who]))).toLocaleString('en');
  return {
    name: `Complete tests per second of a message of ${size}, compared with only the DKIM verification of mailauth`,
    value: `${each('ours')} compared with ${each('theirs')}: ${ratio.toFixed(2)} times`,
    goal: 'at least 0.33 times',
    met: ratio >= 0.33,
  };
}

async function perSecond(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < MILLISECONDS_PER_ROUND; count += 1) await run();
  return (count / (performance.now() - start)) * 1000;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
