/** How fast a full mailbox on a real Dovecot is read, compared with parsedmarc, and the memory that this takes. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingForDovecot } from '../kit/dovecot.ts';
import { type FullMailbox, fullMailbox, MAILBOX_PASSWORD, MAILBOX_USER } from '../kit/full-mailbox.ts';
import { memoryOf } from '../kit/peak-memory.ts';
import { bootService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { call, secondsOf } from './measuring.ts';
import { installParsedmarc, runParsedmarc } from './parsedmarc.ts';
import type { BenchRow } from './row.ts';

const REPORTS = 10_000;
const DOMAINS = 400;
const MOST_MEGABYTES = 256;
/** Longer than both take. */
const PATIENCE_MILLISECONDS = 900_000;

export async function benchMailboxes(): Promise<readonly BenchRow[]> {
  const name = 'Mailbox with report mails on Dovecot, compared with the command of parsedmarc';
  const goal = `at least as fast, in ${MOST_MEGABYTES} MB`;
  const lacking = missingForDovecot();
  if (lacking !== undefined) return [{ name, value: lacking, goal, met: null }];
  const folder = mkdtempSync(join(tmpdir(), 'bench-mailboxes-'));
  const mailbox = await fullMailbox({ reports: REPORTS, domains: DOMAINS, others: 10, after: 'keep' });
  try {
    const parsedmarc = await installParsedmarc();
    const ours = await readByService(mailbox);
    const theirs =
      parsedmarc === undefined
        ? undefined
        : await secondsOf(() => readByParsedmarc(parsedmarc, folder, mailbox));
    const what = `${REPORTS.toLocaleString('en')} mails in ${ours.seconds.toFixed(1)} s with ${ours.megabytes.toFixed(0)} MB more than at rest (${ours.peak.toFixed(0)} MB in all)`;
    const isSmall = ours.megabytes <= MOST_MEGABYTES;
    return [
      {
        ...{ name, goal },
        value:
          theirs === undefined
            ? `${what}; parsedmarc cannot be installed here`
            : `${what}, parsedmarc in ${theirs.toFixed(1)} s: ${(theirs / ours.seconds).toFixed(1)} times`,
        met: theirs === undefined ? null : isSmall && theirs >= ours.seconds,
      },
    ];
  } finally {
    await mailbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readByService({ domains, environment, request }: FullMailbox) {
  const service = await bootService({ ...environment, DOMAIN_LIMIT: String(DOMAINS), LOG_LEVEL: 'error' });
  const api = (method: string, path: string, json?: object) => call(service, method, path, json);
  try {
    for (let at = 0; at < DOMAINS; at += 100)
      await api('POST', '/domains/batch', {
        domains: domains.slice(at, at + 100).map((domain) => ({ domain, usageType: 'parked' })),
      });
    // A service that monitors domains has the code of checks in memory.
    const [first] = await api('GET', '/domains?limit=1');
    await api('POST', `/domains/${first.id}/checks`, {});
    await until(async () => (await api('GET', `/domains/${first.id}`)).lastCheckedAt !== null);
    const before = memoryOf(service.pid).now;
    const { id } = await api('POST', '/mailboxes', request);
    const seconds = await secondsOf(async () => {
      await api('POST', `/mailboxes/${id}/runs`, {});
      await until(async () => (await api('GET', `/mailboxes/${id}`)).accepted >= REPORTS, {
        timeoutMilliseconds: PATIENCE_MILLISECONDS,
        intervalMilliseconds: 200,
      });
    });
    const { peak } = memoryOf(service.pid);
    return { seconds, megabytes: peak - before, peak };
  } finally {
    await service.remove();
  }
}

async function readByParsedmarc(python: string, folder: string, { dovecot }: FullMailbox): Promise<void> {
  const output = join(folder, 'output');
  mkdirSync(output);
  const imap = `[imap]\nhost = 127.0.0.1\nport = ${dovecot.tlsPort}\nuser = ${MAILBOX_USER}\npassword = ${MAILBOX_PASSWORD}\nskip_certificate_verification = True\n`;
  const mailbox = '[mailbox]\nreports_folder = INBOX\ntest = True\nbatch_size = 0\n';
  const settings = `save_aggregate = True\noutput = ${output}\n${imap}${mailbox}`;
  await runParsedmarc(python, folder, settings);
}
