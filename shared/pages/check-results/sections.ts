/** The checks of a domain: state, records, evidence, and findings with their citations. */

import { checkTitles, findingsOf, publishedRecords } from '../../checks/checks.ts';
import type { CheckResults } from '../../checks/results.ts';
import { type CheckName, checkNames } from '../../checks/state.ts';
import { describeFor } from '../../protocol/findings/catalogue.ts';
import type { DescribedFinding, FindingAudience, Severity } from '../../protocol/findings/finding.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { Score } from '../../score/shapes.ts';
import { components } from '../../score/weights.ts';
import { findingList } from '../components/findings.ts';
import { html, type Markup, timeElement, untrustedText, visibleStart } from '../markup.ts';
import { fitting, inTurn, more } from '../room.ts';
import { code, day, stateMark, yesNo } from './text.ts';

export function checkSections(
  results: CheckResults,
  score: Score,
  owner: FindingAudience,
  room: number,
): Markup {
  return html`<section class="full" aria-labelledby="checks"><h2 id="checks">Checks</h2>
<div class="checks">${inTurn(
    room,
    checkNames.map((name) => (left: number) => section(name, results, score, owner, left)),
  )}</div></section>`;
}

function section(
  name: CheckName,
  results: CheckResults,
  score: Score,
  owner: FindingAudience,
  room: number,
): Markup {
  const { state, asOf } = results[name];
  const earned = score.components.find(({ component }) => component === name);
  const findings = findingsOf(name, results).map(describeFor(owner)).toSorted(bySeverity);
  const records = publishedRecords(name, results);
  // A failed lookup is a finding.
  const isUnchecked = state === 'unknown' && findings.length === 0;
  const seen = [
    (left: number) => recordList(records, left),
    (left: number) => evidenceList(evidence[name](results), left),
  ];
  return html`<details class="check-of" id="check-${name}"><summary><strong>${checkTitles[name]}</strong> ${stateMark(state)} <span class="n">${earned === undefined ? '' : earned.maximum === 0 ? 'not counted' : `${earned.points} of ${earned.maximum} points`}</span> <span class="what">${worst(findings)}</span></summary>
${asOf === undefined ? '' : html`<p class="soft">The last lookups failed. This was seen ${timeElement(asOf)}.</p>`}
${isUnchecked ? '' : earned === undefined ? html`<p class="soft">${notCounted(name)}</p>` : html`<p>${earned.reason}</p>`}
${inTurn(room, [
  // Failed lookups show neither that something is there nor that it is not.
  ...(state === 'unknown' && records.length === 0 ? [] : seen),
  (left) =>
    findings.length === 0
      ? html`<p class="soft">${isUnchecked ? 'Not checked yet.' : 'No findings.'}</p>`
      : findingList(findings, left),
])}</details>`;
}

const receptions: Readonly<Record<NonNullable<CheckResults['mx']['emailReceptionCapability']>, string>> = {
  active: 'active',
  'null-mx': 'null MX: no mail',
  'no-mail': 'no MX records',
  unreachable: 'unreachable',
  'relay-denied': 'relay denied',
};

const notCounted = (name: CheckName): string =>
  components.some((one) => one === name)
    ? 'Does not count for this usage type.'
    : 'Does not count in the score.';

/** In characters: more does not fit the row of a check. */
const MAX_WORST = 160;

/** The most severe finding of a check, and how many others there are. */
function worst([first, ...others]: readonly DescribedFinding[]): Markup {
  if (first === undefined) return html``;
  const { message } = first;
  return html`${others.length === 0 ? '' : html`<span class="tag">+${others.length}<span class="hush"> more ${others.length === 1 ? 'finding' : 'findings'}</span></span> `}${untrustedText(message.slice(0, MAX_WORST))}${message.length > MAX_WORST ? '…' : ''}`;
}

function recordList(records: readonly string[], room: number): Markup {
  if (records.length === 0) return html`<p class="soft">No records.</p>`;
  const { shown, omitted } = fitting(records, room, (text) => html`<div>${code(text, 1000)}</div>`);
  return html`<div class="record">${shown}${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}</div>`;
}

/** What was seen; null if it was not. */
type Evidence = readonly (readonly [what: string, shown: Markup | string | null])[];

function evidenceList(facts: Evidence, room: number): Markup {
  const seen = facts.filter(([, fact]) => fact !== null);
  if (seen.length === 0) return html``;
  const { shown, omitted } = fitting(
    seen,
    room,
    ([what, fact]) => html`<div><dt>${visibleStart(what, 120)}</dt><dd>${fact}</dd></div>`,
  );
  return html`<dl class="fields">${shown}</dl>${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}`;
}

const order: readonly Severity[] = ['error', 'warning', 'notice'];

const bySeverity = (a: DescribedFinding, b: DescribedFinding): number =>
  order.indexOf(a.severity) - order.indexOf(b.severity);

const codeOf = (text: string | null, limit?: number) => (text === null ? null : code(text, limit));

/** What a check saw beside the records. */
const evidence: Readonly<Record<CheckName, (results: CheckResults) => Evidence>> = {
  mx: ({ mx: { hosts, daneSupported, emailReceptionCapability } }) => [
    ['Reception', emailReceptionCapability === null ? null : receptions[emailReceptionCapability]],
    ['DANE', yesNo(daneSupported)],
    ...hosts.map(
      ({ hostname, ip, starttlsSupported, tlsVersion, certificateExpiry }) =>
        [
          hostname,
          html`${ip === null ? 'no address' : code(ip)}; ${untrustedText(tlsVersion ?? `STARTTLS: ${yesNo(starttlsSupported)}`)}${certificateExpiry === null ? '' : html`; certificate until ${day(certificateExpiry)}`}`,
        ] as const,
    ),
  ],
  spf: ({ spf }) => [
    ['DNS lookups', `${spf.totalLookupCount} of 10`],
    ['Authorized networks', formatNumber(spf.flattenedIps.length)],
    ['Others', codeOf(spf.allPolicy)],
  ],
  dkim: ({ dkim }) =>
    dkim.selectors.map(({ selector, keyType, keySize, state }) => [
      selector,
      html`${untrustedText(keyType ?? 'no key')}${keySize === null ? '' : `, ${keySize} bits`} ${stateMark(state)}`,
    ]),
  dmarc: ({ dmarc }) => [
    ['Policy in effect', codeOf(dmarc.effectivePolicy)],
    ['Subdomains', codeOf(dmarc.subdomainPolicy)],
    ['Record of', codeOf(dmarc.policyDomain)],
    ...dmarc.rua.map((uri) => ['Reports to', code(uri, 200)] as const),
  ],
  mtaSts: ({ mtaSts }) => [
    ['Policy file', mtaSts.policyFetched ? 'served' : mtaSts.state === 'unknown' ? null : 'not served'],
    ['Mode', codeOf(mtaSts.policyMode)],
    ...mtaSts.policyMx.map((pattern) => ['MX', code(pattern, 200)] as const),
    [
      'Cached for',
      mtaSts.policyMaxAge === null ? null : pluralize(Math.round(mtaSts.policyMaxAge / 86_400), 'day'),
    ],
  ],
  tlsRpt: ({ tlsRpt }) => tlsRpt.rua.map((uri) => ['Reports to', code(uri, 200)] as const),
  bimi: ({ bimi }) => [
    ['Logo', codeOf(bimi.location, 300)],
    ['Logo valid', bimi.location === null ? null : yesNo(bimi.logoValid)],
    ['Mark certificate', codeOf(bimi.authority, 300)],
  ],
  dnssec: ({ dnssec }) => [
    ['Signed', yesNo(dnssec.enabled)],
    ['Chain of trust', dnssec.chainValid ? 'valid' : dnssec.state === 'unknown' ? null : 'not valid'],
  ],
  caa: ({ caa }) => [
    ['Records of', codeOf(caa.recordsAt)],
    ...caa.certificates.map(
      ({ host, issuer, permitted }) =>
        [
          host,
          html`issued by ${untrustedText(issuer ?? 'an unnamed CA')}; ${permitted === null ? 'not compared' : permitted ? 'permitted' : 'not permitted'}`,
        ] as const,
    ),
  ],
};
