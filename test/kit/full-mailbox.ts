/** A mailbox on a real Dovecot that is full of report mails about many domains, and of other mail. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from './certificates.ts';
import { startDnsServer } from './dns-server.ts';
import { type Dovecot, startDovecot } from './dovecot.ts';
import { dmarcMail } from './report-mails.ts';

export interface FullMailbox {
  readonly dovecot: Dovecot;
  /** Names of the domains. */
  readonly domains: readonly string[];
  /** What makes a service reach the server. */
  readonly environment: Readonly<Record<string, string>>;
  /** The request that adds the mailbox. */
  readonly request: object;
  stop(): Promise<void>;
}

export const MAILBOX_USER = 'reports';
export const MAILBOX_PASSWORD = 'correct-horse-battery-staple';
const HOST = 'imap.example';

/** @param reports How many, about each domain in turn. @param others One mail more after as many reports. */
export async function fullMailbox({
  reports,
  domains: count,
  others,
  after,
}: {
  readonly reports: number;
  readonly domains: number;
  readonly others: number;
  readonly after: 'keep' | 'mark-read';
}): Promise<FullMailbox> {
  const folder = mkdtempSync(join(tmpdir(), 'full-mailbox-'));
  const authority = createAuthority();
  const { chain, key } = authority.issue([HOST]);
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const dovecot = await startDovecot({
    ...{ users: { [MAILBOX_USER]: MAILBOX_PASSWORD }, certificate: { cert: chain, key } },
    lifetimeSeconds: 1_200,
  });
  // Nothing of the senders is on record, and the answer comes at once.
  const dns = await startDnsServer({});
  const domains = Array.from({ length: count }, (_, n) => `d${n}.example`);
  function* mails() {
    for (let n = 0; n < reports; n += 1) {
      yield dmarcMail({ domain: domains[n % count] ?? '', id: `r${n}` });
      if (n % others === 0) yield 'From: a@b.test\r\nSubject: Lunch\r\n\r\nAt noon?\r\n';
    }
  }
  dovecot.fill(MAILBOX_USER, mails());
  return {
    dovecot,
    domains,
    environment: {
      DNS_SERVERS: `${dns.address}:${dns.port}`,
      DIAL_MAP: `${HOST}:993=127.0.0.1:${dovecot.tlsPort}`,
      EXTRA_CA_FILE: ca,
    },
    request: {
      ...{ name: 'Full', host: HOST, user: MAILBOX_USER, after, everySeconds: 300 },
      signIn: { kind: 'password', password: MAILBOX_PASSWORD },
    },
    async stop() {
      await dovecot.stop();
      await dns.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
