/** `send-test`: sends a message to the service on this machine, for people without a mail program that can. */
import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { pendingTest, testSession } from '../../shared/api/mail-tests.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import { localSenderDomain } from '../local/example-internet/zone-data.ts';
import type { AdminDependencies, Options } from './command.ts';
import { asking, type LocalService } from './local-service.ts';
import { sendTestMessage } from './smoke/send-message.ts';

/** A sender that may send from this machine. */
export const LOCAL_SENDER = `me@${localSenderDomain}`;

const SESSIONS = '/api/inbound-tester/sessions';
const PATIENCE_MILLISECONDS = 30_000;
const EVERY_MILLISECONDS = 250;

/** `send-test [<address>] [--from <sender>]`. Any other recipient than a test address gets the message, and no verdict. */
export async function sendTest(
  [address]: readonly string[],
  { from = LOCAL_SENDER }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const service = deps.service();
  const [, testerDomain] = deps.ownDomains();
  return asking(async () => {
    const to = address ?? (await service.api.read(pendingTest, 'POST', SESSIONS, 201, { token: null })).email;
    await sendTestMessage(service.smtp, { from, to, subject: 'Hello', mailFrom: from });
    const sent = `sent     from ${from} to ${to}`;
    if (domainOf(to) !== testerDomain) return [sent];
    return [sent, ...shown(await resultOf(to.slice(0, to.indexOf('@')), service))];
  });
}

async function resultOf(testId: string, { api }: LocalService): Promise<z.output<typeof testSession>> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const session = await api.read(testSession, 'GET', `${SESSIONS}/${testId}`, 200, { token: null });
    if (session.status === 'completed' || performance.now() > until) return session;
    await pause(EVERY_MILLISECONDS);
  }
}

function shown(session: z.output<typeof testSession>): string[] {
  const page = `page     ${session.url}`;
  if (session.status === 'pending') return ['verdict  none yet: see the page', page];
  const { verdict, spamScore, scoreBreakdown, results } = session;
  return [
    ...(results.receivers ?? []).map(({ receiver, delivery, broken }) => {
      const [first] = broken.filter(({ senders }) => senders === 'all');
      return `${receiver.padEnd(10)}${delivery}${first === undefined ? '' : `: ${first.rule}`}`;
    }),
    `verdict  ${verdict}, spam score ${spamScore}`,
    ...scoreBreakdown.map(({ rule, score }) => `${String(score).padStart(15)}  ${rule}`),
    page,
  ];
}
