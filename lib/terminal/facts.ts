/** The essential facts of a check, on one line of the terminal. */

import type { DkimResult } from '../../shared/checks/dkim/result.ts';
import type { DnssecResult } from '../../shared/checks/dnssec/result.ts';
import type { MxResult } from '../../shared/checks/mx/result.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import type { CheckName, CheckState } from '../../shared/checks/state.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { countedKeys } from '../../shared/score/credit/dkim.ts';
import { isOnlySha1 } from '../../shared/score/credit/dnssec.ts';

/** `primary` is a record or names, shortened if the line is too short; `note` is shown in full. */
export interface Facts {
  readonly primary: string;
  readonly note: string;
}

const SECONDS_PER_DAY = 86_400;

/**
 * Returns the facts of one check of `domain`. The text distinguishes failed lookups, checks that do not apply, and
 * missing records.
 */
export function factsOf(check: CheckName, results: CheckResults, domain: string): Facts {
  const { state, asOf } = results[check];
  const { primary, note } = facts[check](results, domain);
  const notes = [noteIn(state, primary, note, check), asOf === undefined ? '' : `as of ${asOf}`];
  return { primary, note: notes.filter((one) => one !== '').join(', ') };
}

/**
 * Only the MX check itself shows which of its facts are unknown, because it looks up records and hosts separately.
 */
function noteIn(state: CheckState, primary: string, note: string, check: CheckName): string {
  if (state === 'unknown') return check === 'mx' && primary !== '' ? note : 'lookup failed';
  return state === 'not-applicable' && primary === '' ? 'not applicable to this domain' : note;
}

const facts: Readonly<Record<CheckName, (results: CheckResults, domain: string) => Facts>> = {
  mx: ({ mx }) => {
    if (mx.emailReceptionCapability === 'null-mx') return { primary: 'null MX: accepts no mail', note: '' };
    if (mx.records.length === 0) return { primary: '', note: 'no MX records' };
    const reception = {
      unreachable: ['unreachable'],
      'relay-denied': ['rejects mail'],
      active: [],
      'no-mail': [],
    }[mx.emailReceptionCapability ?? 'active'];
    return {
      primary: mx.records.map(({ exchange }) => exchange).join(', '),
      note: [
        ...reception,
        `TLS ${answer(mx.tlsSupported)}${versions(mx)}`,
        `DANE ${answer(mx.daneSupported)}`,
      ].join(', '),
    };
  },
  spf: ({ spf }) => record(spf.record, `${pluralize(spf.totalLookupCount, 'lookup')} (limit 10)`),
  dkim: ({ dkim }) => {
    const keys = countedKeys({ dkim });
    if (dkim.selectors.length === 0) return { primary: '', note: 'no selector found' };
    return {
      primary: dkim.selectors.map(keyFacts).join(', '),
      note: `${keys.filter((key) => key.valid).length} of ${keys.length} valid`,
    };
  },
  dmarc: ({ dmarc }, domain) =>
    record(
      dmarc.record,
      inherits(dmarc.policyDomain, domain)
        ? `${dmarc.effectivePolicy ?? 'no policy'} from ${dmarc.policyDomain}`
        : '',
    ),
  mtaSts: ({ mtaSts }) => {
    if (!mtaSts.policyFetched) return record(mtaSts.dnsRecord, 'no policy');
    const days = Math.floor((mtaSts.policyMaxAge ?? 0) / SECONDS_PER_DAY);
    return { primary: mtaSts.policyMx.join(', '), note: `${mtaSts.policyMode ?? 'no mode'}, ${days} days` };
  },
  tlsRpt: ({ tlsRpt }) => record(tlsRpt.record, ''),
  bimi: ({ bimi }) => {
    const logo = bimi.logoValid ? 'logo valid' : 'no valid logo';
    return record(
      bimi.location ?? bimi.record,
      `${logo}, ${bimi.authority === null ? 'no' : 'with'} certificate`,
    );
  },
  dnssec: ({ dnssec }) => {
    if (dnssec.state === 'absent') return { primary: '', note: 'not signed' };
    const keys = dnssec.dsRecords.map(({ keyTag, algorithm }) => `DS ${keyTag} algorithm ${algorithm}`);
    return { primary: keys.join(', '), note: chainFacts(dnssec) };
  },
  caa: ({ caa }) => {
    const forbidden = caa.certificates.filter(({ permitted }) => permitted === false);
    const note =
      forbidden.length === 0 ? '' : `forbid the CA of ${pluralize(forbidden.length, 'certificate')}`;
    return caa.records.length === 0
      ? { primary: '', note: 'no record' }
      : { primary: caa.records.join(', '), note };
  },
};

function record(text: string | null, note: string): Facts {
  return text === null ? { primary: '', note: 'no record' } : { primary: text, note };
}

function answer(fact: boolean | null): string {
  if (fact === null) return 'unknown';
  return fact ? 'yes' : 'no';
}

/** The TLS versions of the hosts, such as ` (1.2, 1.3)`, if all of them support TLS. */
function versions({ hosts, tlsSupported }: MxResult): string {
  const known = new Set(hosts.flatMap(({ tlsVersion }) => tlsVersion?.replace(/^TLSv/, '') ?? []));
  return tlsSupported === true && known.size > 0 ? ` (${[...known].toSorted().join(', ')})` : '';
}

function inherits(policyDomain: string | null, domain: string): boolean {
  return policyDomain !== null && policyDomain !== domain;
}

function chainFacts(dnssec: DnssecResult): string {
  if (dnssec.chainValid && dnssec.valid) return 'chain valid';
  if (dnssec.valid && isOnlySha1(dnssec)) return 'only SHA-1, counts as unsigned';
  return dnssec.state === 'fail' || !dnssec.valid ? 'chain broken' : 'no chain of trust from the parent zone';
}

function keyFacts(key: DkimResult): string {
  if (key.state === 'unknown') return `${key.selector} unknown`;
  if (key.revoked) return `${key.selector} revoked`;
  if (key.state === 'not-applicable') return `${key.selector} not for DKIM`;
  if (!key.valid) return `${key.selector} invalid`;
  return [
    key.selector,
    key.keyType,
    key.keyType === 'rsa' ? key.keySize : null,
    key.testing ? 'test mode' : null,
  ]
    .filter((part) => part !== null)
    .join(' ');
}
