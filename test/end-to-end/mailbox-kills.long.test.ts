/**
 * Reports of many domains in one mailbox, while the whole process group is killed again and again. More of both:
 * `MAILBOX_REPORTS=10000 MAILBOX_KILLS=20`, with 400 domains.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../kit/describe-with.ts';
import { missingForDovecot, ownerOf } from '../kit/dovecot.ts';
import { fullMailbox, MAILBOX_PASSWORD, MAILBOX_USER } from '../kit/full-mailbox.ts';
import { KillableService } from '../kit/killable-service.ts';
import { until } from '../kit/until.ts';
import { atEnd, use, useFolder } from '../kit/use.ts';

const REPORTS = Number(process.env.MAILBOX_REPORTS ?? 2_000);
const DOMAINS = Math.min(400, REPORTS / 20);
const OTHERS = 10;
const KILLS = Number(process.env.MAILBOX_KILLS ?? 8);
/** Longer than the lease of a run that was killed, and than the time between two runs. */
const AHEAD_MILLISECONDS = 600_000;

describeWith(missingForDovecot(), 'a full mailbox', () => {
  test('is read once, whatever ends its runs', async () => {
    const folder = useFolder('clock');
    const CLOCK_FILE = join(folder, 'ahead');
    writeFileSync(CLOCK_FILE, '0');
    const mailbox = await use(
      fullMailbox({
        ...{ reports: REPORTS, domains: DOMAINS, others: OTHERS, after: 'mark-read' },
      }),
    );
    const service = await KillableService.start({
      ...{ ...mailbox.environment, DOMAIN_LIMIT: String(DOMAINS), CLOCK_FILE },
      NODE_OPTIONS: `--import=${new URL('../kit/shifted-clock.mjs', import.meta.url)}`,
    });
    atEnd(() => service.remove());
    for (let at = 0; at < DOMAINS; at += 100) {
      const domains = mailbox.domains.slice(at, at + 100).map((domain) => ({ domain, usageType: 'parked' }));
      await service.api('POST', '/domains/batch', { domains });
    }
    const { id } = (await service.api('POST', '/mailboxes', mailbox.request)).data;
    const state = async () => (await service.api('GET', `/mailboxes/${id}`)).data;
    await service.api('POST', `/mailboxes/${id}/runs`, {});
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const { read } = await state();
      await until(async () => (await state()).read > read, {
        ...{ timeoutMilliseconds: 240_000, intervalMilliseconds: 5 },
      });
      await service.kill();
      writeFileSync(CLOCK_FILE, String(kill * AHEAD_MILLISECONDS));
      await service.start();
      await service.api('POST', `/mailboxes/${id}/runs`, {});
    }
    const total = REPORTS + REPORTS / OTHERS;
    await until(
      async () => {
        const { read, remaining, lastRunAt } = await state();
        return lastRunAt !== null && remaining === 0 && read >= total;
      },
      { timeoutMilliseconds: 240_000 },
    );
    let counted = 0;
    for (const page of await service.pages('/domains'))
      for (const { id: domain } of page) {
        const { totalReports } = await service.sumsOf({ id: domain, domain: '', address: '' });
        expect(totalReports).toBe(REPORTS / DOMAINS);
        counted += totalReports;
      }
    expect(counted).toBe(REPORTS);
    expect(await service.deadLetters()).toEqual([]);
    const owner = await ownerOf(mailbox.dovecot, MAILBOX_USER, MAILBOX_PASSWORD);
    await owner.mailboxOpen('INBOX', { readOnly: true });
    const seen = await owner.search({ seen: true });
    await owner.logout();
    expect(seen).toHaveLength(REPORTS);
  }, 900_000);
});
