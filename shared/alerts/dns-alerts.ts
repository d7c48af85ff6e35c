/** Alerts on what a domain publishes, and on what is wrong with it. */
import type { CheckName, CheckState } from '../checks/results.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { AlertDraft, AlertSeverity } from './alert.ts';
import { type CheckChange, showChange, solvedFaults, type Transition, works } from './changes.ts';
import type { SeenFault } from './facts.ts';

const nameOf: Readonly<Record<CheckName, string>> = {
  mx: 'MX',
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  mtaSts: 'MTA-STS',
  tlsRpt: 'TLS-RPT',
  bimi: 'BIMI',
  dnssec: 'DNSSEC',
};

/**
 * One alert on everything that changed in one check: `critical` where it worked and is now broken or gone, `info`
 * where problems were solved, `warning` for any other change, for whoever made it may not have been the owner.
 */
export function dnsChange(
  domain: string,
  check: CheckName,
  change: CheckChange,
  transition: Transition,
): AlertDraft {
  const name = nameOf[check];
  const severity = severityOf(change, transition);
  const { recordsAdded, recordsRemoved, faultsAdded } = change;
  const message = [
    listed('No longer published:', recordsRemoved),
    listed('Now published:', recordsAdded),
    told(isBack(transition) ? 'Problems found:' : 'New problems:', faultsAdded),
    told('Problems solved:', solvedFaults(change, transition)),
  ].filter((one) => one !== '');
  return {
    type: 'dns_change',
    severity,
    title: `${name} of ${domain} ${verbOf(severity, change)}`,
    message:
      message.join(' ') || `The state was ${transition.before.state} and is now ${transition.after.state}.`,
    metadata: { ...showChange(check, change, transition) },
    occasion: `dns_change#${check}`,
  };
}

const fails = (state: CheckState): boolean => state === 'fail' || state === 'absent';

/** What is wrong with a record that came into force may have been so before it was broken. */
const isBack = ({ before, after }: Transition): boolean => fails(before.state) && works(after.state);

function severityOf(change: CheckChange, transition: Transition): AlertSeverity {
  const [before, after] = [transition.before.state, transition.after.state];
  if (works(before) && fails(after)) return 'critical';
  if (isBack(transition)) return 'info';
  return change.faultsAdded.length === 0 && solvedFaults(change, transition).length > 0 ? 'info' : 'warning';
}

function verbOf(severity: AlertSeverity, { recordsAdded, recordsRemoved, faultsAdded }: CheckChange): string {
  if (severity === 'critical')
    return recordsAdded.length === 0 && recordsRemoved.length > 0 ? 'is gone' : 'broke';
  if (severity === 'info') return 'was repaired';
  return faultsAdded.length > 0 ? 'has new problems' : 'changed';
}

/** Items of each list, and characters of a record, that a message shows. */
const SHOWN = 3;
const MAX_RECORD = 120;

/** `Now published: a; b; c; and 2 more.`; nothing where there is nothing. */
function listed(begin: string, records: readonly string[]): string {
  if (records.length === 0) return '';
  const shown = records.slice(0, SHOWN).map((record) => excerpt(record, MAX_RECORD));
  const more = records.length - SHOWN;
  return `${begin} ${[...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}.`;
}

/** `New problems: This is so. That is so. And 2 more.`; nothing where there is nothing. */
function told(begin: string, faults: readonly SeenFault[]): string {
  if (faults.length === 0) return '';
  const shown = faults.slice(0, SHOWN).map(({ sentence, id }) => sentence ?? `${id}.`);
  const more = faults.length - SHOWN;
  return [begin, ...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
