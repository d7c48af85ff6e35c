/** Each check of a test message with its evidence. */
import type { MailTestResults } from '../../mail-test/analyse.ts';
import type { BlocklistResult, DomainBlocklists } from '../../mail-test/blocklists.ts';
import { inWords } from '../../protocol/in-words.ts';
import type { DmarcReason } from '../../protocol/message/dmarc-verdict.ts';
import type { AlignedSignature } from '../../protocol/message/evaluate.ts';
import { pluralize } from '../../protocol/quantity.ts';
import { yesNo } from '../check-results/text.ts';
import { html, type Markup, timeElement, untrustedText, visibleStart } from '../markup.ts';

type Tone = 'pass' | 'fail' | 'softfail' | 'neutral';

type Evidence = readonly (readonly [what: string, shown: Markup | string | null])[];

export function checks(results: MailTestResults): Markup {
  const { spf, dkim, dmarc, ptr, mx, fromMx, blocklists, domainBlocklists, headers, secondOpinion } = results;
  const distinct = dkim.signatures.filter(({ duplicate }) => !duplicate);
  const copies = dkim.signatures.length - distinct.length;
  return html`<section aria-labelledby="checks">
<h2 id="checks">Checks</h2>
${check('SPF', spf.result, toneOf(spf.result), [
  ['Sender domain', code(spf.domain)],
  ['Sending IP address', spf.ip === null ? 'unknown' : code(spf.ip)],
  [
    'Matched term',
    spf.matched && html`${code(spf.matched.term)} in the record of ${code(spf.matched.domain)}`,
  ],
  [
    'Problem',
    spf.problem && html`${inWords(spf.problem.kind)} ${code(spf.problem.term ?? spf.problem.domain)}`,
  ],
  ['Explanation (exp=)', spf.explanation && visibleStart(spf.explanation)],
  ['Aligned with From', alignment(spf.aligned, spf.result)],
])}
${dkim.signatures.length === 0 ? check('DKIM', 'not signed', 'neutral', []) : distinct.map((it) => signature(it, dkim.valid))}
${copies > 0 ? html`<p class="soft">${pluralize(copies, 'duplicate signature')} ignored.</p>` : ''}
${dkim.more > 0 ? html`<p class="soft">${pluralize(dkim.more, 'more signature')} not checked.</p>` : ''}
${check('DMARC', dmarc.result, toneOf(dmarc.result), [
  ['Author domain', dmarc.domain && code(dmarc.domain)],
  ['Record', dmarc.record && html`${code(dmarc.record)} at ${code(`_dmarc.${dmarc.recordDomain}`)}`],
  ['Policy', dmarc.policy],
  ['Passed and aligned', dmarc.spfAligned || dmarc.dkimAligned ? passedBy(dmarc) : 'none'],
  ['Reason', dmarc.reason && dmarcReasons[dmarc.reason]],
])}
${check('Reverse DNS', ptr.status, ptrTones[ptr.status], [
  ['Name', ptr.record && code(ptr.record)],
  ['Resolves back', ptr.record && yesNo(ptr.confirmed)],
  ['HELO', spf.helo && code(spf.helo)],
])}
${mxCheck('Sender MX', mx)}
${fromMx.domain === mx.domain ? '' : mxCheck('From MX', fromMx)}
${check(
  'Blocklists',
  ...listingsOf(blocklists),
  blocklists.results.map((result) => [result.zone, listing(result)] as const),
)}
${
  domainBlocklists.results.length === 0
    ? ''
    : check(
        'Blocklists of domains',
        ...listingsOf(domainBlocklists),
        domainBlocklists.results.map(
          (result) => [`${result.domain} (${result.zone})`, listing(result)] as const,
        ),
      )
}
${check(
  'Header fields',
  headerWord(headers),
  headers.messageId !== null && headers.dateStatus === 'valid' ? 'pass' : 'softfail',
  [
    ['Message-ID', headers.messageId === null ? 'missing' : code(headers.messageId)],
    [
      'Date',
      headers.date === null
        ? headers.dateStatus
        : html`${timeElement(headers.date)}${headers.dateStatus === 'future' ? ', in the future' : ''}`,
    ],
  ],
)}
${
  secondOpinion
    ? check('Second opinion', 'by the receiving mail service', 'neutral', [
        ['SPF', secondOpinion.spf],
        ['DKIM', secondOpinion.dkim],
        ['DMARC', secondOpinion.dmarc],
      ])
    : ''
}
</section>`;
}

function headerWord({ messageId, dateStatus }: MailTestResults['headers']): string {
  if (dateStatus === 'future' || dateStatus === 'unreadable') return 'invalid';
  return messageId !== null && dateStatus === 'valid' ? 'valid' : 'incomplete';
}

function mxCheck(name: string, { domain, status, records, problem }: MailTestResults['mx']): Markup {
  return check(name, status, mxTones[status], [
    ['Domain', domain && code(domain)],
    [
      'Records',
      records.length === 0 ? null : html`${records.map(({ exchange }) => html`${code(exchange || '.')} `)}`,
    ],
    ['Problem', problem && untrustedText(problem)],
  ]);
}

function check(name: string, word: string, tone: Tone, evidence: Evidence): Markup {
  const known = evidence.filter(([, shown]) => shown !== null && shown !== '');
  return html`<div class="check-result ${tone}"><h3>${name} <span class="tag">${word}</span></h3>
${known.length === 0 ? '' : html`<dl>${known.map(([what, shown]) => html`<div><dt>${what}</dt><dd>${shown}</dd></div>`)}</dl>`}
</div>`;
}

/** Beside a valid signature, another one counts as none (RFC 6376 section 6.1). */
function signature(signed: AlignedSignature, isBesideValid: boolean): Markup {
  const { domain, selector, algorithm, keySize, verdict, explanation, aligned, warnings } = signed;
  return check(
    'DKIM',
    inWords(verdict),
    verdict === 'pass' ? 'pass' : isBesideValid || inconclusive.has(verdict) ? 'neutral' : 'fail',
    [
      ['Signing domain', code(domain)],
      ['Selector', code(selector)],
      ['Algorithm', html`${code(algorithm)}${keySize === null ? '' : `, ${keySize} bits`}`],
      ['Reason', explanation],
      ['Aligned with From', alignment(aligned, verdict)],
      ['Note', warnings.length === 0 ? null : warnings.join(' ')],
    ],
  );
}

const inconclusive: ReadonlySet<string> = new Set(['temperror', 'not-checked']);

function toneOf(result: string): Tone {
  if (result === 'pass' || result === 'fail' || result === 'softfail') return result;
  return result === 'permerror' ? 'fail' : 'neutral';
}

const ptrTones = { valid: 'pass', mismatch: 'fail', missing: 'fail', unknown: 'neutral' } as const;
const mxTones = { valid: 'pass', none: 'fail', invalid: 'fail', unknown: 'neutral' } as const;

const dmarcReasons: Readonly<Record<DmarcReason, string>> = {
  'no-from': 'the message has no From header field',
  'no-author-domain': 'the From header field has no address with a domain',
  'several-from': 'the message has more than one From header field',
  'several-authors': 'the From header field has addresses in several domains',
  'no-record': 'the author domain has no DMARC record',
  'broken-record': 'the DMARC record is invalid, so receivers ignore it',
  'not-aligned': 'neither SPF nor DKIM passed with an aligned domain',
  dns: 'a DNS lookup failed',
  limit: 'a signature that might have passed was not checked',
};

const unknowns: Readonly<Record<NonNullable<BlocklistResult['unknown']>, string>> = {
  refused: 'unavailable: the list refuses queries from this service',
  broken: 'unavailable: the list returns invalid answers',
  'no-test-entry':
    'unavailable: the list’s test entry is missing; it may have shut down or may block this resolver',
  'no-ipv6': 'unavailable: the list covers IPv4 addresses only',
  'no-answer': 'unavailable: the DNS lookup failed',
  'no-address': 'unavailable: the sending IP address is unknown',
};

/** An unavailable list never counts as "not listed". */
function listingsOf({ listed, results }: DomainBlocklists | MailTestResults['blocklists']): [string, Tone] {
  const answered = results.filter((result) => result.listed !== null).length;
  if (listed > 0) return [`listed on ${listed}`, 'fail'];
  if (answered === results.length) return ['not listed', 'pass'];
  return [
    answered === 0 ? 'unknown' : `not listed (${answered} of ${results.length} lists available)`,
    'neutral',
  ];
}

function listing({ listed, codes, reason, unknown }: Omit<BlocklistResult, 'list'>): Markup | string {
  if (unknown !== null) return unknowns[unknown];
  if (listed !== true) return 'not listed';
  return html`<strong>listed</strong> ${codes.join(', ')}${reason === null ? '' : html`: ${untrustedText(reason)}`}`;
}

function passedBy({ spfAligned, dkimAligned }: MailTestResults['dmarc']): string {
  return [...(spfAligned ? ['SPF'] : []), ...(dkimAligned ? ['DKIM'] : [])].join(' and ');
}

/** A domain can align although its result is not a pass; DMARC counts only aligned passes. */
function alignment(aligned: boolean | null, result: string): string {
  return aligned && result !== 'pass'
    ? `the domain aligns, but the result is ${inWords(result)}`
    : yesNo(aligned);
}

function code(text: string): Markup {
  return html`<code>${visibleStart(text)}</code>`;
}
