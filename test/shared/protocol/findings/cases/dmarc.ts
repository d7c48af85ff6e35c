import { inspectDmarc } from '../../../../../shared/checks/dmarc/inspect.ts';
import { dmarcRules } from '../../../../../shared/protocol/findings/dmarc.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf } from './example.ts';

/** The text of the record of example.org, or the zone. */
type Published = string | (ZoneLiteral & { readonly domain?: never });

/** Checks the subdomain `mail.example.org` with a record at example.org. */
interface Subdomain {
  readonly domain: 'mail.example.org';
  readonly zone: ZoneLiteral;
}

const REJECT = 'v=DMARC1; p=reject';
const RUF = 'ruf=mailto:f@example.org';
const rua = 'rua=mailto:reports@example.org';
const at = (name: string, ...texts: readonly string[]): ZoneLiteral => ({ [name]: { TXT: texts } });
const sub = (zone: ZoneLiteral): Subdomain => ({
  domain: 'mail.example.org',
  zone: { 'mail.example.org': exists, ...zone },
});
const exists: ZoneNode = { A: ['192.0.2.1'] };
const withExternalRua = (consent: string): ZoneLiteral => ({
  ...at('_dmarc.example.org', 'v=DMARC1; p=reject; rua=mailto:reports@elsewhere.example'),
  ...at('example.org._report._dmarc.elsewhere.example', consent),
});

function inspect(input: Published | Subdomain) {
  if (typeof input === 'string') return check('example.org', at('_dmarc.example.org', input));
  return isSubdomain(input) ? check(input.domain, input.zone) : check('example.org', input);
}

function isSubdomain(input: ZoneLiteral | Subdomain): input is Subdomain {
  return typeof input.domain === 'string';
}

function check(domain: string, literal: ZoneLiteral) {
  const network = networkOf({ dns: zone({ 'example.org': exists, ...literal }) });
  return inspectDmarc(domain, network, { mailbox: 'box@reports.example' });
}

export const dmarcExamples = examplesOf<Published | Subdomain>('dmarc', dmarcRules, inspect, {
  'dmarc-missing': [{}, 'v=DMARC1'],
  'dmarc-multiple-records': [
    at('_dmarc.example.org', 'v=DMARC1; p=none', REJECT),
    at('_dmarc.example.org', 'v=DMARC1; p=none', 'v=spf1 -all'),
  ],
  'dmarc-unreadable-version': ['v=DMARC; p=none', 'v = DMARC1 ; p=none'],
  'dmarc-leading-white-space': [' v=DMARC1; p=reject', `${REJECT} `],
  'dmarc-malformed-tags': [`${REJECT}; oops`, `${REJECT}; oops=1`],
  'dmarc-empty-tags': ['v=DMARC1;; p=reject', `${REJECT};`],
  'dmarc-duplicate-tags': [`${REJECT}; p=none`, `${REJECT}; sp=reject`],
  'dmarc-tag-name-case': ['v=DMARC1; P=reject', 'v=DMARC1; p=REJECT'],
  'dmarc-unknown-tags': [`${REJECT}; policy=1`, `${REJECT}; psd=n`],
  'dmarc-invalid-value': [`${REJECT}; adkim=strict`, `${REJECT}; adkim=s`],
  'dmarc-invalid-subdomain-policy': [`${REJECT}; sp=no; ${rua}`, `${REJECT}; sp=none; ${rua}`],
  'dmarc-void-record': [`${REJECT}; sp=bob`, `${REJECT}; sp=bob; ${rua}`],
  'dmarc-not-applied': ['v=DMARC1; sp=reject', `v=DMARC1; sp=reject; ${rua}`],
  'dmarc-missing-policy': [`v=DMARC1; ${rua}`, `v=DMARC1; p=none; ${rua}`],
  'dmarc-policy-not-second': [`v=DMARC1; ${rua}; p=reject`, `${REJECT}; ${rua}`],
  'dmarc-monitoring-only': ['v=DMARC1; p=none', 'v=DMARC1; p=quarantine'],
  'dmarc-weaker-subdomain-policy': [`${REJECT}; sp=quarantine`, 'v=DMARC1; p=quarantine; sp=quarantine'],
  'dmarc-testing': [`${REJECT}; t=y`, 'v=DMARC1; p=none; t=y'],
  'dmarc-partial': [`${REJECT}; pct=0`, `${REJECT}; pct=0; t=y`],
  'dmarc-removed-tag': [`${REJECT}; ri=86400`, `${REJECT}; pct=50`],
  'dmarc-invalid-removed-tag': [`${REJECT}; pct=101`, `${REJECT}; pct=100`],
  'dmarc-fo-conflict': [`${REJECT}; ${RUF}; fo=0:1`, `${REJECT}; ${RUF}; fo=1:d:s`],
  'dmarc-fo-without-ruf': [`${REJECT}; fo=1`, `${REJECT}; ${RUF}; fo=1`],
  'dmarc-malformed-uri': [`${REJECT}; rua=reports@example.org`, `${REJECT}; rua=mailto:reports@example.org`],
  'dmarc-unsupported-uri': [
    `${REJECT}; rua=https://example.org/reports`,
    `${REJECT}; rua=MAILTO:reports@example.org`,
  ],
  'dmarc-uri-without-address': [
    `${REJECT}; rua=mailto:example.org`,
    `${REJECT}; rua=mailto:reports%40example.org`,
  ],
  'dmarc-uri-size': [
    `${REJECT}; rua=mailto:reports@example.org!10m`,
    `${REJECT}; rua=mailto:reports%2110m@example.org`,
  ],
  'dmarc-missing-rua': [REJECT, `${REJECT}; ${rua}`],
  'dmarc-wrong-mailbox': [
    `${REJECT}; rua=mailto:bux@reports.example,mailto:box@reports.example`,
    `${REJECT}; rua=mailto:bux@more.reports.example,mailto:B%6Fx@Reports.example?subject=x`,
  ],
  'dmarc-mailbox-not-named': [`${REJECT}; ${rua}`, `${REJECT}; rua=mailto:box@reports.example`],
  'dmarc-inherited': [sub(at('_dmarc.example.org', REJECT)), sub(at('_dmarc.mail.example.org', REJECT))],
  'dmarc-subdomain-policy-ignored': [
    sub({
      ...at('_dmarc.example.org', REJECT),
      ...at('_dmarc.mail.example.org', `${REJECT}; sp=none`),
    }),
    sub({
      ...at('_dmarc.example.org', REJECT),
      ...at('_dmarc.mail.example.org', `${REJECT}; sp=none; psd=n`),
    }),
  ],
  'dmarc-claims-public-suffix': [`${REJECT}; psd=y`, `${REJECT}; psd=n`],
  'dmarc-unauthorized-destination': [withExternalRua('v=spf1 -all'), withExternalRua('v=DMARC1')],
  'dmarc-foreign-override': [
    withExternalRua('v=DMARC1; rua=mailto:reports@third.example'),
    withExternalRua('v=DMARC1; rua=mailto:others@elsewhere.example'),
  ],
  'dmarc-destination-unknown': [
    { ...withExternalRua('v=DMARC1'), 'example.org._report._dmarc.elsewhere.example': 'SERVFAIL' },
    withExternalRua('v=DMARC1'),
  ],
  'dmarc-many-destinations': [reportingTo(11), reportingTo(10)],
  'dmarc-unavailable': [{ '_dmarc.example.org': 'SERVFAIL' }, { '_dmarc.example.org': {} }],
});

function reportingTo(hosts: number): string {
  const uris = Array.from({ length: hosts }, (_, index) => `mailto:reports@d${index}.example.org`);
  return `${REJECT}; rua=${uris.join(',')}`;
}
