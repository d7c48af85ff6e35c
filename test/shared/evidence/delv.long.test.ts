/** The validator of BIND confirms the DNSSEC proofs in evidence, from the recorded answers alone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { type Recording, recording } from '../../../shared/checks/recording/recorded.ts';
import { type DnssecProof, dnssecProofs } from '../../../shared/evidence/dnssec-proofs.ts';
import type { RecordSet } from '../../../shared/protocol/dns.ts';
import { type Delv, startDelv } from '../../kit/delv.ts';
import type { WireAnswer } from '../../kit/set-server.ts';
import { describeWith } from '../protocol/dnssec/denial-verdicts.ts';
import { anchorOf } from '../protocol/dnssec/signed-world.ts';
import { DOMAIN, recordSigned, root } from './signed-zone.ts';

/** Answers from a recording, and with SERVFAIL to what was not recorded with signatures. */
function answering({ answers }: Recording) {
  return async (name: string, type: string): Promise<WireAnswer> => {
    const found = answers.dns.find((one) => one.name === name && one.type === type && one.dnssec === true);
    const answer = found?.answer;
    if (answer === undefined || answer.status === 'unavailable')
      return { rcode: 'SERVFAIL', answers: [], authorities: [] };
    const given = answer.status === 'found' ? answer.sets : answer.denial?.sets;
    const isBeside = (set: RecordSet) =>
      ['NSEC', 'NSEC3'].includes(set.type) || (set.type === 'SOA' && type !== 'SOA');
    return {
      rcode: answer.status === 'absent' && answer.reason === 'no-name' ? 'NXDOMAIN' : 'NOERROR',
      answers: (given ?? []).filter((set) => !isBeside(set)),
      authorities: (given ?? []).filter(isBeside),
    };
  };
}

/** The recording with the last octet of a TXT record changed. */
const forged = (recorded: Recording, at: string): Recording => ({
  ...recorded,
  answers: {
    ...recorded.answers,
    dns: recorded.answers.dns.map((one) => {
      if (one.name !== at || one.type !== 'TXT' || one.answer.status !== 'found') return one;
      const changed = (one.answer.sets ?? []).map((set) => ({
        ...set,
        rdata: set.rdata.map((octets) =>
          Uint8Array.from(octets, (octet, i) => (i === octets.length - 1 ? octet ^ 1 : octet)),
        ),
      }));
      return { ...one, answer: { ...one.answer, sets: changed } };
    }),
  },
});

const isNamed = (name: string, type: string) => (proof: DnssecProof) =>
  proof.name === name && proof.type === type;

describeWith('delv', () => {
  let recorded: Recording;
  let delv: Delv;
  beforeAll(async () => {
    recorded = z.parse(recording, (await recordSigned()).recording);
    delv = await startDelv(anchorOf(root), answering(recorded));
  });
  afterAll(() => delv.stop());

  test('confirms each proof', async () => {
    const proofs = await dnssecProofs(recorded, new Map());
    const own = proofs.filter(({ name, type }) => name.endsWith(DOMAIN) && type !== 'DS');
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter(({ status }) => status !== 'secure')).toEqual([]);
    for (const { name, type, status } of own)
      expect([name, type, await delv.judge(name, type)]).toEqual([name, type, status]);
  }, 120_000);

  test('refutes a record that was changed, as we do', async () => {
    const at = `_dmarc.${DOMAIN}`;
    const changed = forged(recorded, at);
    const proofs = await dnssecProofs(changed, new Map());
    expect(proofs.find(isNamed(at, 'TXT'))?.status).toBe('bogus');
    const judge = await startDelv(anchorOf(root), answering(changed));
    expect(await judge.judge(at, 'TXT')).toBe('bogus');
    judge.stop();
  }, 60_000);
});
