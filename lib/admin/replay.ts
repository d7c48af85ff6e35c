/** `replay`: reads stored report mails again. */
import { replayReportMail } from '../../shared/ingest/replay-mail.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import {
  type MailOutcome,
  type MailOutcomeKind,
  mailOutcomeKinds,
  type ReportMail,
} from '../../shared/store/reports/mail-outcomes.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies, Options } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { storedKinds, Tally } from './tally.ts';

const EVERY_OUTCOME = 'all';

/**
 * `replay <domain> [--outcome <kind>]`. The new results of a mail replace its earlier ones; reports that their owner
 * deleted stay away. To continue after an interruption, run the same command again.
 */
export async function replay(
  [name]: readonly string[],
  { outcome: wanted, org }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const isWanted = selection(wanted);
  const domain = await domainNamed(name, org, deps);
  const [stores, unauthenticated] = [deps.stores(), deps.unauthenticated()];
  const [raw, dns] = [deps.raw(), deps.dns()];
  const mails: ReportMail[] = [];
  for await (const mail of stores.outcomes.all(domain.id)) {
    if (mail.outcomes.some(({ kind }) => isWanted(kind))) mails.push(mail);
  }
  const tally = new Tally();
  let changed = 0;
  for (const [at, mail] of mails.entries()) {
    deps.progress.show(at, mails.length);
    const now = deps.clock.now();
    const outcomes = await replayReportMail(mail, { raw, dns }, { domain, unauthenticated }, { stores, now });
    if (outcomes === 'message-gone') {
      tally.miss(mail.rawKey);
      continue;
    }
    if (outcomes === 'domain-gone') throw new CommandError(`${domain.domain} was removed in the meantime`);
    if (kindsOf(outcomes) !== kindsOf(mail.outcomes)) changed += 1;
    for (const outcome of outcomes) tally.add(mail.rawKey, outcome);
  }
  deps.progress.end();
  return [
    `${domain.domain}: ${counted(mails.length, 'mail')} read again, ${changed} with a different outcome`,
    ...tally.lines(),
  ];
}

function selection(wanted: string | undefined): (kind: MailOutcomeKind) => boolean {
  if (wanted === undefined) return (kind) => !storedKinds.has(kind);
  if (wanted === EVERY_OUTCOME) return () => true;
  if (!mailOutcomeKinds.some((kind) => kind === wanted)) {
    const known = [...mailOutcomeKinds, EVERY_OUTCOME].join(', ');
    throw new CommandError(`unknown outcome: ${wanted}; available: ${known}`);
  }
  return (kind) => kind === wanted;
}

const kindsOf = (outcomes: readonly MailOutcome[]): string => outcomes.map(({ kind }) => kind).join(' ');
