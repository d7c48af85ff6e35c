import { randomBytes } from 'node:crypto';
import { inspectDkim } from '../../../../../shared/checks/dkim/inspect.ts';
import type { CheckOutcome } from '../../../../../shared/checks/result-fields.ts';
import { dkimRules } from '../../../../../shared/protocol/findings/dkim.ts';
import { rsaForm } from '../../../../kit/dkim-signer.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf } from './example.ts';

const GOOD = rsaForm(2048);
const ED25519 = randomBytes(32).toString('base64');
const atSelector = (name: string, node: ZoneNode | 'SERVFAIL'): ZoneLiteral => ({
  [`${name}._domainkey.example.org`]: node,
});

interface Named {
  /** The selectors that the owner named. */
  readonly named: readonly string[];
  readonly zone: ZoneLiteral;
}

/** The text of the key record of `sel`, a known selector, or the zone. */
type Published = string | ZoneLiteral | Named;

const isNamed = (published: ZoneLiteral | Named): published is Named => 'named' in published;

/** The findings of the check and of its selectors. */
async function inspect(published: Published): Promise<CheckOutcome> {
  if (typeof published === 'string') return inspect(atSelector('sel', { TXT: [published] }));
  const { named, zone: literal } = isNamed(published) ? published : { named: [], zone: published };
  const network = networkOf({ dns: zone({ 'example.org': {}, ...literal }) });
  const check = await inspectDkim('example.org', network, {
    namedSelectors: named,
    knownSelectors: ['sel'],
  });
  const findings = [...check.findings, ...check.selectors.flatMap((selector) => selector.findings)];
  return { state: check.state, findings };
}

export const dkimExamples = examplesOf<Published>('dkim', dkimRules, inspect, {
  'dkim-malformed-tags': [`v=DKIM1; p=${GOOD}; oops`, `v=DKIM1; p=${GOOD}; oops=1`],
  'dkim-duplicate-tags': [`v=DKIM1; p=${GOOD}; p=${GOOD}`, `v=DKIM1; p=${GOOD}; n=p`],
  'dkim-empty-tags': [`v=DKIM1;; p=${GOOD}`, `v=DKIM1; p=${GOOD};`],
  'dkim-multiple-records': [
    atSelector('sel', { TXT: [`v=DKIM1; p=${GOOD}`, `v=DKIM1; k=rsa; p=${GOOD}`] }),
    atSelector('sel', { TXT: [[`v=DKIM1; p=${GOOD.slice(0, 200)}`, GOOD.slice(200)]] }),
  ],
  'dkim-missing-version': [`p=${GOOD}`, `v=DKIM1; p=${GOOD}`],
  'dkim-invalid-version': [`v=DKIM3; p=${GOOD}`, `v=DKIM1; p=${GOOD}`],
  'dkim-next-version': [`v=DKIM2; p=${GOOD}`, `v=DKIM3; p=${GOOD}`],
  'dkim-next-key-type': ['v=DKIM1; k=mldsa65; p=AAAA', 'v=DKIM1; k=mldsa66; p=AAAA'],
  'dkim-version-not-first': [`p=${GOOD}; v=DKIM1`, `v=DKIM1; p=${GOOD}`],
  'dkim-unknown-key-type': [`v=DKIM1; k=dsa; p=${GOOD}`, `v=DKIM1; k=rsa; p=${GOOD}`],
  'dkim-missing-key': ['v=DKIM1; k=rsa', 'v=DKIM1; k=rsa; p='],
  'dkim-revoked': ['v=DKIM1; p=', 'v=DKIM1'],
  'dkim-malformed-base64': [`v=DKIM1; p="${GOOD}"`, `v=DKIM1; p=${GOOD.slice(0, 9)} ${GOOD.slice(9)}`],
  'dkim-malformed-key': [`v=DKIM1; p=${GOOD.slice(0, 200)}`, `v=DKIM1; p=${GOOD}`],
  'dkim-key-too-short': [`v=DKIM1; p=${rsaForm(1016)}`, `v=DKIM1; p=${rsaForm(1024)}`],
  'dkim-key-short': [`v=DKIM1; p=${rsaForm(2040)}`, `v=DKIM1; p=${GOOD}`],
  'dkim-key-long': [`v=DKIM1; p=${rsaForm(4104)}`, `v=DKIM1; p=${rsaForm(4096)}`],
  'dkim-no-usable-hash': [`v=DKIM1; h=sha1; p=${GOOD}`, `v=DKIM1; h=sha1:sha256; p=${GOOD}`],
  'dkim-not-for-email': [`v=DKIM1; s=tlsrpt; p=${GOOD}`, `v=DKIM1; s=tlsrpt:email; p=${GOOD}`],
  'dkim-testing': [`v=DKIM1; t=y; p=${GOOD}`, `v=DKIM1; t=s; p=${GOOD}`],
  'dkim-selector-unavailable': [atSelector('sel', 'SERVFAIL'), atSelector('default', 'SERVFAIL')],
  'dkim-selector-gone': [atSelector('sel', { TXT: [] }), atSelector('sel', 'SERVFAIL')],
  'dkim-selector-missing': [
    { named: ['mine'], zone: {} },
    { named: ['mine'], zone: atSelector('mine', 'SERVFAIL') },
  ],
  'dkim-dangling-alias': [
    atSelector('sel', { CNAME: ['s._domainkey.gone.test'] }),
    {
      ...atSelector('sel', { CNAME: ['s._domainkey.kept.test'] }),
      's._domainkey.kept.test': { A: ['192.0.2.1'] },
    },
  ],
  'dkim-none-found': [{}, atSelector('default', 'SERVFAIL')],
  'dkim-incomplete': [atSelector('default', 'SERVFAIL'), {}],
  'dkim-ed25519-only': [
    `v=DKIM1; k=ed25519; p=${ED25519}`,
    {
      ...atSelector('sel', { TXT: [`v=DKIM1; k=ed25519; p=${ED25519}`] }),
      ...atSelector('default', { TXT: [`v=DKIM1; p=${GOOD}`] }),
    },
  ],
  'dkim-wildcard': [atSelector('*', { TXT: ['v=DKIM1; p='] }), atSelector('sel', { TXT: ['v=DKIM1; p='] })],
});
