/**
 * How fast report mails are authenticated if the name servers of the sender do not respond, compared with responsive
 * ones.
 */
import { openReportMail } from '../../shared/ingest/ingest-mail.ts';
import { systemClock } from '../../shared/network/clock.ts';
import { createResolver } from '../../shared/network/resolver.ts';
import { ed25519Key, signed } from '../kit/dkim-signer.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import type { BenchRow } from './row.ts';

/** Five times the wait of the first mail. */
const MILLISECONDS = 30_000;

const key = ed25519Key();

/** Measures both senders in one run, with the resolver limits of the service, one mail after the other. */
export async function benchSilentSender(): Promise<readonly BenchRow[]> {
  const server = await startDnsServer({
    '.': {},
    'answers.test': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] },
    's1._domainkey.answers.test': { TXT: [key.record] },
    '_dmarc.answers.test': { TXT: ['v=DMARC1; p=reject'] },
    'silent.test': 'TIMEOUT',
    's1._domainkey.silent.test': 'TIMEOUT',
    '_dmarc.silent.test': 'TIMEOUT',
  });
  try {
    const dns = createResolver({ servers: [server], clock: systemClock });
    const rateOf = async (domain: string, authenticated: boolean | null): Promise<number> => {
      const message = reportMail(domain);
      const raw = { read: async () => message, remove: async () => undefined };
      const started = performance.now();
      let mails = 0;
      for (; performance.now() - started < MILLISECONDS; mails += 1) {
        const mail = { messageId: ID, rawKey: ID, receivedAt: new Date() };
        const opened = await openReportMail(mail, { raw, dns });
        if (opened?.authentication?.authenticated !== authenticated) throw new Error(`wrong: ${domain}`);
      }
      return (mails * 1000) / (performance.now() - started);
    };
    const answering = await rateOf('answers.test', true);
    const silent = await rateOf('silent.test', null);
    const ratio = silent / answering;
    return [
      {
        name: 'Authenticated report mails from a domain with silent name servers, compared with responsive ones',
        value: `${silent.toFixed(1)} compared with ${answering.toFixed(1)} mails per second: ${ratio.toFixed(2)} times`,
        goal: `at least 0.7 times, in the first ${MILLISECONDS / 1000} seconds`,
        met: ratio >= 0.7,
      },
    ];
  } finally {
    await server.stop();
  }
}

const ID = 'abcdefghij';

function reportMail(domain: string): Uint8Array {
  const message = `From: reports@${domain}\r\nSubject: Report\r\n\r\nA report is attached.\r\n`;
  return Buffer.from(
    `Return-Path: <bounces@${domain}>\r\nReceived: from mx.${domain} (unknown [192.0.2.7])\r\n by inbound-smtp.localhost with SMTP id ${ID}\r\n for m@reports.test;\r\n Sun, 01 Nov 2026 00:00:00 +0000\r\n${signed(message, { domain, selector: 's1', key })}`,
  );
}
