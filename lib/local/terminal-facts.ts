/** The essential facts of a check on one line of a terminal. */
import type {
  CheckName,
  CheckResults,
  CheckState,
  DkimResult,
  DnssecResult,
} from '../../shared/checks/results.ts';

/** What to show: a record or names, cut where the line is short; and a note that is shown in full. */
export interface Facts {
  readonly primary: string;
  readonly note: string;
}

const SECONDS_PER_DAY = 86_400;

/** The facts of one check of `domain`. Not asked, not needed and not there never read alike. */
export function factsOf(check: CheckName, results: CheckResults, domain: string): Facts {
  const { state, asOf } = results[check];
  const { primary, note } = facts[check](results, domain);
  const notes = [noteIn(state, primary, note, check), asOf === undefined ? '' : `as of ${asOf}`];
  return { primary, note: notes.filter((one) => one !== '').join(', ') };
}

/** Only the MX check says by itself which of its facts are unknown: records and hosts are asked apart. */
function noteIn(state: CheckState, primary: string, note: string, check: CheckName): string {
  if (state === 'unknown') return check === 'mx' && primary !== '' ? note : 'could not be asked';
  return state === 'not-applicable' && primary === '' ? 'not needed here' : note;
}

const facts: Readonly<Record<CheckName, (results: CheckResults, domain: string) => Facts>> = {
  mx: ({ mx }) => {
    if (mx.emailReceptionCapability === 'null-mx') return { primary: 'null MX: takes no mail', note: '' };
    if (mx.records.length === 0) return { primary: '', note: 'no MX records' };
    const reception = {
      unreachable: ['unreachable'],
      'relay-denied': ['refuse mail'],
      active: [],
      'no-mail': [],
    }[mx.emailReceptionCapability ?? 'active'];
    return {
      primary: mx.records.map(({ exchange }) => exchange).join(', '),
      note: [...reception, `TLS ${answer(mx.tlsSupported)}`, `DANE ${answer(mx.daneSupported)}`].join(', '),
    };
  },
  spf: ({ spf }) => record(spf.record, `${spf.totalLookupCount} of 10 look-ups`),
  dkim: ({ dkim }) => {
    const keys = dkim.selectors.filter((key) => !key.revoked && key.state !== 'unknown');
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
        ? `${dmarc.effectivePolicy ?? 'no policy'} by ${dmarc.policyDomain}`
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
};

function record(text: string | null, note: string): Facts {
  return text === null ? { primary: '', note: 'no record' } : { primary: text, note };
}

function answer(fact: boolean | null): string {
  if (fact === null) return 'unknown';
  return fact ? 'yes' : 'no';
}

function inherits(policyDomain: string | null, domain: string): boolean {
  return policyDomain !== null && policyDomain !== domain;
}

function chainFacts(dnssec: DnssecResult): string {
  if (dnssec.chainValid && dnssec.valid) return 'chain valid';
  return dnssec.state === 'fail' || !dnssec.valid ? 'broken' : 'no chain from the parent';
}

function keyFacts(key: DkimResult): string {
  if (key.state === 'unknown') return `${key.selector} unknown`;
  if (key.revoked) return `${key.selector} revoked`;
  if (!key.valid) return `${key.selector} invalid`;
  return [
    key.selector,
    key.keyType,
    key.keyType === 'rsa' ? key.keySize : null,
    key.testing ? 'in test' : null,
  ]
    .filter((part) => part !== null)
    .join(' ');
}
