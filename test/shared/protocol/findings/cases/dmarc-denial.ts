import { compactDenial } from '../../../../../shared/checks/dmarc/compact-denial.ts';
import { inspectDmarc } from '../../../../../shared/checks/dmarc/inspect.ts';
import { outcomeOf } from '../../../../../shared/checks/outcome.ts';
import type { Dns } from '../../../../../shared/protocol/dns.ts';
import { dmarcDenialRules } from '../../../../../shared/protocol/findings/dmarc-denial.ts';
import { zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf } from './example.ts';

interface Input {
  readonly tags: string;
  /** The owner of the NSEC record in the answer about a name that does not exist; NXDOMAIN without one. */
  readonly nsec?: 'the name' | '*.example.org';
}

/** A Dns that answers about names that do not exist as a zone with compact denial does, or as one with a wildcard. */
function answering(dns: Dns, nsec: Input['nsec']): Dns {
  return {
    async lookup(name, type, options) {
      const answer = await dns.lookup(name, type, options);
      if (nsec === undefined || answer.status !== 'absent' || answer.reason !== 'no-name') return answer;
      const set = { type: 'NSEC', ttl: 60, rdata: [], signatures: [] };
      const sets = [{ ...set, name: nsec === 'the name' ? name : nsec }];
      return { ...answer, reason: 'no-data', denial: { name, type, sets } };
    },
  };
}

async function inspect({ tags, nsec }: Input) {
  const records = zone({ 'example.org': {}, '_dmarc.example.org': { TXT: [`v=DMARC1; ${tags}`] } });
  const dns = answering(records, nsec);
  const dmarc = await inspectDmarc('example.org', networkOf({ dns }));
  return outcomeOf([...dmarc.findings, ...(await compactDenial('example.org', dmarc, dns))]);
}

export const dmarcDenialExamples = examplesOf<Input>('dmarc', dmarcDenialRules, inspect, {
  'dmarc-np-without-effect': [
    { tags: 'p=none; np=reject', nsec: 'the name' },
    { tags: 'p=none; np=reject', nsec: '*.example.org' },
  ],
});

/** Whether np is said to have no effect. */
export const isWithoutEffect = async (input: Input): Promise<boolean> =>
  (await inspect(input)).findings.some(({ id }) => id in dmarcDenialRules);
