/** Alerts on what a domain publishes, and on what is wrong with it. */
import type { CheckName, CheckState } from '../checks/results.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { AlertDraft, AlertSeverity } from './alert.ts';
import { type CheckChange, showChange } from './changes.ts';
import type { CheckFacts, Fault } from './facts.ts';

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
  { before, after }: { before: CheckFacts; after: CheckFacts },
): AlertDraft {
  const name = nameOf[check];
  const severity = severityOf(change, before.state, after.state);
  const { recordsAdded, recordsRemoved, faultsAdded, faultsRemoved } = change;
  return {
    type: 'dns_change',
    severity,
    title: `${name} of ${domain} ${verbOf(severity, change)}`,
    message: [
      sentence('No longer published: ', recordsRemoved),
      sentence('Now published: ', recordsAdded),
      sentence('New problems: ', faultsAdded.map(label)),
      sentence('Problems solved: ', faultsRemoved.map(label)),
    ]
      .filter((one) => one !== '')
      .join(' '),
    metadata: { ...showChange(check, change, { before, after }) },
    occasion: `dns_change#${check}`,
  };
}

const works = (state: CheckState): boolean => state === 'pass' || state === 'warning';
const fails = (state: CheckState): boolean => state === 'fail' || state === 'absent';

function severityOf(
  { faultsAdded, faultsRemoved }: CheckChange,
  before: CheckState,
  after: CheckState,
): AlertSeverity {
  if (works(before) && fails(after)) return 'critical';
  if (fails(before) && works(after)) return 'info';
  return faultsAdded.length === 0 && faultsRemoved.length > 0 ? 'info' : 'warning';
}

function verbOf(severity: AlertSeverity, { recordsAdded, recordsRemoved, faultsAdded }: CheckChange): string {
  if (severity === 'critical')
    return recordsAdded.length === 0 && recordsRemoved.length > 0 ? 'is gone' : 'broke';
  if (severity === 'info') return 'was repaired';
  return faultsAdded.length > 0 ? 'has new problems' : 'changed';
}

const SHOWN = 3;

/** `Now published: a; b; c; and 2 more.`; nothing where there is nothing. */
function sentence(begin: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, SHOWN).map((item) => excerpt(item, 120));
  const more = items.length > SHOWN ? `; and ${items.length - SHOWN} more` : '';
  return `${begin}${shown.join('; ')}${more}.`;
}

const label = ({ id, subject }: Fault): string => (subject === undefined ? id : `${id} (${subject})`);
