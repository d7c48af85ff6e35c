import { bimiRules } from '../../../../../shared/protocol/findings/bimi.ts';
import { type BimiInput, inspectBimiOf } from './bimi-world.ts';
import { examplesOf } from './example.ts';

const LOGO = 'l=https://example.org/logo.svg';
const MARK = 'a=https://example.org/mark.pem';
const record = (tags: string): BimiInput => ({ records: [`v=BIMI1; ${tags}`] });

export const bimiExamples = examplesOf<BimiInput>('bimi', bimiRules, inspectBimiOf, {
  'bimi-missing': [{ records: ['v=spf1 -all'] }, {}],
  'bimi-record-unavailable': [{ records: 'SERVFAIL' }, { records: [] }],
  'bimi-inherited': [{ domain: 'news.example.org' }, { domain: 'example.org' }],
  'bimi-multiple-records': [
    { records: [`v=BIMI1; ${LOGO}`, `v=BIMI1; ${LOGO}; ${MARK}`] },
    { records: [`v=BIMI1; ${LOGO}`, 'v=spf1 -all'] },
  ],
  'bimi-record-ignored': [{ records: [`v=bimi1; ${LOGO}`] }, { records: [` v = BIMI1 ; ${LOGO}`] }],
  'bimi-record-malformed': [record(`${LOGO}; oops`), record(`${LOGO}; oops=1`)],
  'bimi-tags-repeated': [record(`${LOGO}; ${LOGO}`), record(`${LOGO}; ${MARK}`)],
  'bimi-tags-unknown': [record(`${LOGO}; s=1`), record(`${LOGO}; avp=brand`)],
  'bimi-value-ignored': [record(`${LOGO}; avp=both`), record(`${LOGO}; avp=personal`)],
  'bimi-uri-invalid': [record('l=http://example.org/logo.svg'), record(LOGO)],
  'bimi-location-missing': [record(MARK), record(`l=; ${MARK}`)],
  'bimi-location-empty': [record(`l=; ${MARK}`), record('l=; a=')],
  'bimi-location-not-svg': [record('l=https://example.org/logo.png'), record(LOGO)],
  'bimi-declined': [record('l=; a='), record(`${LOGO}; a=`)],
  'bimi-dmarc-not-enforced': [
    { dmarc: ['v=DMARC1; p=quarantine; pct=99'] },
    { dmarc: ['v=DMARC1; p=reject; pct=99'] },
  ],
  'bimi-dmarc-unavailable': [{ dmarc: 'SERVFAIL' }, { dmarc: [] }],
  'bimi-fetch-unavailable': [{ logoPage: { httpStatus: 503 } }, { logoPage: { httpStatus: 404 } }],
  'bimi-fetch-failed': [{ evidencePage: { httpStatus: 404 } }, { evidencePage: 'timeout' }],
  'bimi-host-certificate-expiring': [
    { evidencePage: { validTo: new Date('2026-06-30') } },
    { evidencePage: { validTo: new Date('2026-07-02') } },
  ],
  'bimi-no-evidence': [record(LOGO), record(`${LOGO}; ${MARK}`)],
});
