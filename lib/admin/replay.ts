/** `replay`: reads stored report mails again. */
import { operation, replayReportMails } from '../../shared/operations/reports/replay-report-mails.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import type { MailOutcome } from '../../shared/store/reports/mail-outcomes.ts';
import type { AdminDependencies, Options } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { inputFor, perform } from './perform.ts';
import { Tally } from './tally.ts';

/** `replay <domain> [--outcome <kind>]`. The new results of a mail replace its earlier ones. */
export async function replay(
  [name]: [string],
  { outcome, org }: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const input = inputFor(operation.input, { outcome });
  const { id, domain, organization } = await domainNamed(name, org, deps);
  const { domains, clock, progress } = deps;
  const reading = {
    stores: deps.stores(),
    unauthenticated: deps.setting('UNAUTHENTICATED_REPORTS'),
    raw: deps.raw(),
    dns: deps.dns(),
  };
  const replayed = await perform(operation, organization, deps, (caller) =>
    replayReportMails(caller, { id, ...input }, { domains, clock, ...reading, onProgress: progress.show }),
  );
  progress.end();
  const tally = new Tally();
  for (const { mail, outcomes } of replayed) {
    if (outcomes === undefined) tally.miss(mail.rawKey);
    for (const one of outcomes ?? []) tally.add(mail.rawKey, one);
  }
  const changed = replayed.filter(
    ({ mail, outcomes }) => outcomes !== undefined && kindsOf(outcomes) !== kindsOf(mail.outcomes),
  );
  return [
    `${domain}: ${pluralize(replayed.length, 'mail')} read again, ${changed.length} with a different outcome`,
    ...tally.lines(),
  ];
}

const kindsOf = (outcomes: readonly MailOutcome[]): string => outcomes.map(({ kind }) => kind).join(' ');
