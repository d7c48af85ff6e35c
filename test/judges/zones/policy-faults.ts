/** Faults of MTA-STS policies and of the hosts that serve them. */
import { zoneOf } from '../../shared/fixes/faulty-zones.ts';
import type { PolicyHost, ZoneFault } from './zone-fault.ts';

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\r\n`).join('');
const policy = (...rest: readonly string[]) => lines('version: STSv1', ...rest);
export const POLICY = policy('mode: enforce', 'mx: mx.$', 'max_age: 604800');

const faults: Readonly<Record<string, PolicyHost>> = {
  'none, line feeds alone': { page: POLICY.replaceAll('\r', '') },
  'none, a wildcard': { page: policy('mode: enforce', 'mx: *.$', 'max_age: 604800') },
  'none, an unknown field': { page: `${POLICY}${lines('later: yes')}` },
  'policy is missing': { page: { status: 404 } },
  'policy is redirected': { page: { status: 301, headers: { location: 'https://mta-sts.other.test/' } } },
  'server error': { page: { status: 500 } },
  'HTML in place of a policy': {
    page: { headers: { 'content-type': 'text/html' }, body: '<html><body>Hello</body></html>' },
  },
  'content type of HTML': { page: { headers: { 'content-type': 'text/html' }, body: POLICY } },
  'empty policy': { page: '' },
  'no version in the policy': { page: lines('mode: enforce', 'mx: mx.$', 'max_age: 604800') },
  'another version in the policy': { page: POLICY.replace('STSv1', 'STSv2') },
  'no mode': { page: policy('mx: mx.$', 'max_age: 604800') },
  'invalid mode': { page: policy('mode: strict', 'mx: mx.$', 'max_age: 604800') },
  'two modes': { page: policy('mode: enforce', 'mode: none', 'mx: mx.$', 'max_age: 604800') },
  'mode testing': { page: policy('mode: testing', 'mx: mx.$', 'max_age: 604800') },
  'mode none': { page: policy('mode: none', 'max_age: 604800') },
  'no max_age': { page: policy('mode: enforce', 'mx: mx.$') },
  'max_age of a minute': { page: policy('mode: enforce', 'mx: mx.$', 'max_age: 60') },
  'max_age of two years': { page: policy('mode: enforce', 'mx: mx.$', 'max_age: 63072000') },
  'max_age in words': { page: policy('mode: enforce', 'mx: mx.$', 'max_age: week') },
  'no mx in the policy': { page: policy('mode: enforce', 'max_age: 604800') },
  'another mx in the policy': { page: policy('mode: enforce', 'mx: mx.other.test', 'max_age: 604800') },
  'wildcard of another level': { page: policy('mode: enforce', 'mx: *.mx.$', 'max_age: 604800') },
  'a policy without colons': { page: policy('mode enforce', 'mx mx.$', 'max_age 604800') },
  'policy host does not listen': { page: null },
  'expired certificate': { page: POLICY, certificate: 'expired' },
  'self-signed certificate': { page: POLICY, certificate: 'self-signed' },
  'certificate of another name': { page: POLICY, certificate: 'another name' },
};

export const policyFaults: readonly ZoneFault[] = Object.entries(faults).map(([fault, policyHost]) => ({
  fault,
  class: 'MTA-STS',
  records: (domain) => zoneOf(domain, { fault }),
  policyHost,
}));
