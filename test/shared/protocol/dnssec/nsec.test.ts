import { describe, expect, test } from '@jest/globals';
import type { RecordSet } from '../../../../shared/protocol/dns.ts';
import { nameToWire } from '../../../../shared/protocol/dnssec/canonical.ts';
import { createEffort } from '../../../../shared/protocol/dnssec/effort.ts';
import { compareLabels, type Labels, labelsOf } from '../../../../shared/protocol/dnssec/names.ts';
import { proveByNsec, readNsec } from '../../../../shared/protocol/dnssec/nsec.ts';
import { hashName, proveExpansionByNsec3, readNsec3 } from '../../../../shared/protocol/dnssec/nsec3.ts';
import { base32Hex, nsecRdata } from './signed-denials.ts';

const labels = (name: string): Labels => labelsOf(name) ?? [];
const set = (name: string, type: string, ...rdata: Uint8Array[]): RecordSet => ({
  name,
  type,
  rdata,
  ttl: 300,
  signatures: [],
});

test('names are sorted as in RFC 4034 section 6.1', () => {
  const sorted = ['example', 'a.example', 'yljkjljk.a.example', 'Z.a.example', 'zABC.a.EXAMPLE', 'z.example'];
  const names = [...sorted, '\\001.z.example', '*.z.example', '\\200.z.example'];
  expect([...names].reverse().sort((a, b) => compareLabels(labels(a), labels(b)))).toEqual(names);
});

describe('NSEC', () => {
  const prove = (records: RecordSet, name: string, type: string) =>
    proveByNsec(readNsec(records), labels('example'), { name: labels(name), type, absence: 'no-data' });

  test('of a server that makes a record for each answer (RFC 9824) proves that the type is absent', () => {
    const made = set('q.example', 'NSEC', nsecRdata('\\000.q.example', ['RRSIG', 'NSEC']));
    expect(prove(made, 'q.example', 'MX')).toMatchObject({ status: 'proven', absence: 'no-data' });
    expect(prove(made, 'r.example', 'MX')).toEqual({ status: 'unproven' });
  });

  test('of another zone, or from below a delegation, proves nothing', () => {
    expect(prove(set('a.other', 'NSEC', nsecRdata('z.other', [])), 'q.example', 'MX').status).toBe(
      'unproven',
    );
    const cut = set('a.example', 'NSEC', nsecRdata('z.example', ['NS', 'RRSIG', 'NSEC']));
    expect(prove(cut, 'q.a.example', 'DS').status).toBe('unproven');
    expect(prove(cut, 'a.example', 'MX').status).toBe('unproven');
    expect(prove(cut, 'a.example', 'DS')).toMatchObject({ status: 'proven', isDelegation: true });
  });
});

describe('NSEC3', () => {
  test.each([
    ['example', '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom'],
    ['*.w.example', 'r53bq7cc2uvmubfu5ocmm6pers9tk9en'],
    ['xx.example', 't644ebqk9bibcna874givr6joj62mlhv'],
  ])('the hash of %s is that of RFC 5155 appendix A', (name, hash) => {
    const octets = hashName(Buffer.from(nameToWire(name) ?? []), Buffer.from('aabbccdd', 'hex'), 12);
    const next = Buffer.concat([Buffer.of(1, 0, 0, 0, 0, 20), Buffer.alloc(20)]);
    expect(readNsec3(set(`${hash}.example`, 'NSEC3', next))[0]?.ownerHash).toEqual(octets);
  });

  test('covers the hashes between its own and the next one, without the two', async () => {
    const names = ['a.example', 'b.example', 'c.example', 'd.example'];
    const hashOf = (name: string) => hashName(Buffer.from(nameToWire(name) ?? []), Buffer.alloc(0), 0);
    const [first = '', within = '', last = '', after = ''] = names.toSorted((a, b) =>
      Buffer.compare(hashOf(a), hashOf(b)),
    );
    const covering = async (owner: string, next: string, name: string) => {
      const rdata = Buffer.concat([Buffer.of(1, 0, 0, 0, 0, 20), hashOf(next)]);
      const own = `${base32Hex(hashOf(owner))}.example`;
      const records = readNsec3(set(own, 'NSEC3', rdata));
      return (await proveExpansionByNsec3(records, labels('example'), labels(name), 1, createEffort()))
        .status;
    };
    const covered = (owner: string, next: string) =>
      Promise.all([first, within, last, after].map((name) => covering(owner, next, name)));
    expect(await covered(first, last)).toEqual(['unproven', 'proven', 'unproven', 'unproven']);
    // The last record of a zone, whose next hash is the first one.
    expect(await covered(last, within)).toEqual(['proven', 'unproven', 'unproven', 'proven']);
    // The only record.
    expect(await covered(within, within)).toEqual(['proven', 'unproven', 'proven', 'proven']);
  });
});
