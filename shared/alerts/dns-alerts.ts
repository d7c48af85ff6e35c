/** Alerts about the published records of a domain and their faults. */

import { checkTitles } from '../checks/checks.ts';
import { isInEffect } from '../checks/outcome.ts';
import { type CheckName, type CheckState, harmlessChecks } from '../checks/state.ts';
import { catalogue, isTakeover, saysHowItEnded } from '../protocol/findings/catalogue.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { endOf, type Finding, messageOf } from '../protocol/findings/finding.ts';
import type { AlertDraft, AlertSeverity } from './alert.ts';
import { type CheckChange, showChange, solvedFaults, type Transition, weakeningBy } from './changes.ts';
import { isNameServer } from './facts.ts';
import type { Weakening } from './weakening.ts';

/**
 * One alert about everything that changed in one check: `critical` if it worked and now fails or is absent, and that can refuse
 * mail, or if a DMARC policy of reject is now none, `info` if problems were resolved and nothing is weaker, `warning` for any
 * other change, because it may not have been made by the owner, and for missing records that only one source reports.
 */
export function dnsChange(
  domain: string,
  check: CheckName,
  change: CheckChange,
  transition: Transition,
): AlertDraft {
  const name = checkTitles[check];
  const weakening = weakeningBy(check, change, transition);
  const solved = solvedFaults(check, change, transition);
  const severity = severityOf(check, change, transition, { weakening, solved });
  const isWeaker = (weakening?.says ?? []).length > 0 && !fails(transition.after.state);
  const { recordsAdded, recordsRemoved, faultsAdded } = change;
  const message = [
    listed('Weaker:', weakening?.says ?? []),
    listed('Removed:', recordsRemoved),
    listed('Added:', recordsAdded),
    faultList(isBack(transition) ? 'Problems found:' : 'New problems:', faultsAdded.map(saysNow)),
    faultList('Resolved problems:', solved.filter((fault) => !saysHowItEnded(fault)).map(saysNow)),
    faultList(
      'No longer problems:',
      solved.filter(saysHowItEnded).map((fault) => endOf(fault, catalogue, recordsAdded)),
    ),
    transition.after.unconfirmed ? UNCONFIRMED : '',
  ].filter((one) => one !== '');
  return {
    type: 'dns_change',
    severity,
    title: `${headlineOf(name, severity, change, { isWeaker, solved, transition })}: ${domain}`,
    message:
      message.join(' ') ||
      `The state of the check changed from ${transition.before.state} to ${transition.after.state}.`,
    metadata: showChange(check, change, transition),
  };
}

const UNCONFIRMED =
  'Only one resolver reports this: no name server of the zone and no other resolver could be asked.';

const fails = (state: CheckState): boolean => state === 'fail' || state === 'absent';

/** A check that is in effect again. Its faults are not called new: they may be older than the failure. */
const isBack = ({ before, after }: Transition): boolean => fails(before.state) && isInEffect(after);

/** A check that was in effect, and fails or has no record any more. */
const isLost = ({ before, after }: Transition): boolean => isInEffect(before) && fails(after.state);

function severityOf(
  check: CheckName,
  change: CheckChange,
  transition: Transition,
  { weakening, solved }: { readonly weakening: Weakening | undefined; readonly solved: readonly Finding[] },
): AlertSeverity {
  const { recordsAdded, faultsAdded } = change;
  const isUnconfirmed = transition.after.unconfirmed === true;
  const wasLost = isLost(transition);
  if (wasLost || weakening?.severity === 'critical') {
    // What was found is no doubt there; what is missing may be missing from one source.
    const isDoubtful = isUnconfirmed && (wasLost || recordsAdded.length === 0);
    return isDoubtful || harmlessChecks.has(check) ? 'warning' : 'critical';
  }
  if (faultsAdded.some(isTakeover))
    return isUnconfirmed && recordsAdded.length === 0 ? 'warning' : 'critical';
  if (weakening !== undefined) return 'warning';
  if (isBack(transition)) return 'info';
  return faultsAdded.length === 0 && solved.length > 0 ? 'info' : 'warning';
}

interface Told {
  readonly isWeaker: boolean;
  readonly solved: readonly Finding[];
  readonly transition: Transition;
}

function headlineOf(
  name: string,
  severity: AlertSeverity,
  { recordsAdded, recordsRemoved, faultsAdded }: CheckChange,
  { isWeaker, solved, transition }: Told,
): string {
  const records = [...recordsAdded, ...recordsRemoved];
  if (records.length > 0 && faultsAdded.length === 0 && records.every(isNameServer))
    return 'Name servers changed';
  if (isWeaker) return `${name} weakened`;
  if (faultsAdded.some(isTakeover)) return `${name} relies on a domain that nobody owns`;
  const { after } = transition;
  if (isLost(transition) && after.unconfirmed !== true)
    // A record that nobody recognizes any more is still there.
    return after.state === 'absent' && recordsAdded.length === 0 && recordsRemoved.length > 0
      ? `${name} record removed`
      : `${name} check now fails`;
  // Nobody did anything about it.
  if (severity === 'info' && recordsAdded.length === 0 && solved.length > 0 && solved.every(saysHowItEnded))
    return `${name} problems ended`;
  if (severity === 'info')
    return faultsAdded.length > 0 ? `${name} improved, with problems left` : `${name} problems resolved`;
  return faultsAdded.length > 0 ? `New ${name} problems` : `${name} changed`;
}

/** The maximum number of items per list and of characters per record in a message. */
const SHOWN = 3;
const MAX_RECORD = 120;
/** Of a finding's message; some quote long lists. */
const MAX_MESSAGE = 200;

/** `Added: a; b; c; and 2 more.`; the empty string if there is nothing to list. */
function listed(begin: string, records: readonly string[]): string {
  if (records.length === 0) return '';
  const shown = records.slice(0, SHOWN).map((record) => excerpt(record, MAX_RECORD));
  const more = records.length - SHOWN;
  return `${begin} ${[...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}.`;
}

const saysNow = (fault: Finding): string => messageOf(fault, catalogue);

/** `New problems: First sentence. Second sentence. And 2 more.`; the empty string if there are none. */
function faultList(begin: string, faults: readonly string[]): string {
  if (faults.length === 0) return '';
  const shown = faults.slice(0, SHOWN).map((text) => excerpt(text, MAX_MESSAGE));
  const more = faults.length - SHOWN;
  return [begin, ...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
