/**
 * Report mails from a domain whose name servers do not respond, with the real resolver and a DNS server on loopback.
 */
import { expect, test } from '@jest/globals';
import { openReportMail } from '../../../shared/ingest/ingest-mail.ts';
import { createResolver } from '../../../shared/network/resolver.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { ed25519Key, signed } from '../../kit/dkim-signer.ts';
import { type DnsServer, startDnsServer } from '../../kit/dns-server.ts';
import { until } from '../../kit/until.ts';
import { use } from '../../kit/use.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

let server: DnsServer;

let now = Date.UTC(2026, 10, 1);
const clock = { now: () => new Date(now) };

const key = ed25519Key();
const records: ZoneLiteral = {
  'reporter.test': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] },
  's1._domainkey.reporter.test': { TXT: [key.record] },
  '_dmarc.reporter.test': { TXT: ['v=DMARC1; p=reject'] },
};
const silence: ZoneLiteral = Object.fromEntries(Object.keys(records).map((name) => [name, 'TIMEOUT']));

/** A mail as our edge stores it, with a signature and an envelope of the same domain. */
function reportMail(messageId: string): Uint8Array {
  const message = `From: reports@reporter.test\r\nSubject: Report ${messageId}\r\n\r\nA report is attached.\r\n`;
  return Buffer.from(
    `Return-Path: <bounces@reporter.test>\r\nReceived: from mx.reporter.test (unknown [192.0.2.7])\r\n by inbound-smtp.localhost with SMTP id ${messageId}\r\n for m@reports.test;\r\n Sun, 01 Nov 2026 00:00:00 +0000\r\n${signed(message, { domain: 'reporter.test', selector: 's1', key })}`,
  );
}

/** Ingests mails one after the other, one second apart. */
function reader(limits: { isFlooded: boolean; lookupMilliseconds?: number }) {
  const { isFlooded, ...options } = limits;
  const resolver = createResolver({ servers: [server], clock, retryMilliseconds: 100, ...options });
  const raw = { read: async (messageId: string) => reportMail(messageId), remove: async () => undefined };
  return async (messageId: string) => {
    const fromCache: boolean[] = [];
    const dns: Dns = {
      async lookup(name, ...question) {
        const position = name.endsWith('reporter.test') ? fromCache.push(false) - 1 : undefined;
        const answer = await resolver.lookup(name, ...question);
        if (position !== undefined) fromCache[position] = answer.evidence.fromCache === true;
        return answer;
      },
    };
    const mail = { messageId, rawKey: messageId, receivedAt: clock.now() };
    const opened = await openReportMail(mail, { raw, dns, isFlooded });
    now += 1000;
    return {
      authenticated: opened?.authentication?.authenticated,
      /** Whether it did not wait for any lookup in the sender's domain. */
      atOnce: fromCache.length > 0 && !fromCache.includes(false),
    };
  };
}

test('50 mails from a silent domain cost only the queries of the back-off, and only the first mail waits', async () => {
  server = await use(startDnsServer({ '.': {}, ...silence }));
  const read = reader({ isFlooded: false, lookupMilliseconds: 500 });
  expect(await read('first')).toEqual({ authenticated: null, atOnce: false });
  for (let mail = 1; mail < 50; mail += 1) {
    expect(await read(`mail${mail}`)).toEqual({ authenticated: null, atOnce: true });
  }
  // Each of the three lookups at seconds 0, 3, 9, 21 and 45 at most, with three queries each.
  const ofDomain = server.queries.filter((query) => query.endsWith('reporter.test TXT'));
  expect(new Set(ofDomain).size).toBe(3);
  expect(ofDomain.length).toBeLessThanOrEqual(3 * 5 * 3);
});

test('in a flood, where mails wait less than a lookup takes, the second mail does not wait either', async () => {
  server = await use(startDnsServer({ '.': {}, ...silence }));
  const read = reader({ isFlooded: true, lookupMilliseconds: 3000 });
  expect(await read('first')).toEqual({ authenticated: null, atOnce: false });
  expect(await read('second')).toEqual({ authenticated: null, atOnce: true });
});

test('a domain that responds again is authenticated again', async () => {
  const failing = Object.fromEntries(Object.keys(records).map((name) => [name, 'SERVFAIL' as const]));
  server = await use(startDnsServer({ '.': {}, ...failing }));
  const { port } = server;
  const read = reader({ isFlooded: false });
  for (let mail = 0; mail < 10; mail += 1) expect((await read(`mail${mail}`)).authenticated).toBe(null);
  await server.stop();
  server = await use(startDnsServer({ '.': {}, ...records }, { port }));
  await until(async () => (await read('recovered')).authenticated === true);
});
